import DoorwardAPI

/// How access records are shown: one line each.
struct RecordLines: Sendable {
    private let style: Style
    private let isFollowing: Bool

    /// - Parameter isFollowing: whether lines will come later, for which the columns keep room.
    init(_ style: Style, isFollowing: Bool = false) { (self.style, self.isFollowing) = (style, isFollowing) }

    func lines(_ records: [Wire.AccessRecord], withHeadings: Bool = true) -> [String] {
        if records.isEmpty, !isFollowing { return style.isForPerson ? ["There are no such records."] : [] }
        var table = Table("TIME", "WHO", "WHAT", "LOCK", "RESULT", rows: records.map(row))
        if isFollowing { table.leastWidths = [19, 20, 16, 20, 0] }
        return table.lines(style, withHeadings: withHeadings)
    }

    private func row(_ record: Wire.AccessRecord) -> [Table.Cell] {
        [
            Table.Cell(style.instant(record.at), .dim), Table.Cell(Self.who(record)), Table.Cell(Self.what(record)),
            Table.Cell(record.deviceName ?? record.deviceId), Self.result(record),
        ]
    }

    static func who(_ record: Wire.AccessRecord) -> String? {
        if let name = record.actor ?? record.actorName { return name }
        switch record.actorKind {
        case "DEVICE": return "the lock"
        case "GATEWAY": return "the gateway"
        case "OUTSIDE": return "somebody without access"
        case "API_KEY": return "an API key"
        case "GUEST_LINK": return "a guest's link"
        default: return record.actorId
        }
    }

    static func what(_ record: Wire.AccessRecord) -> String {
        if let operation = record.operation { return Words.word(operation) }
        if let event = record.event { return Words.word(event) }
        if let action = record.action {
            return ([Words.word(action)] + [record.targetType.map(Words.kind)].compactMap(\.self)).joined(separator: " ")
        }
        return Words.word(record.kind)
    }

    static func result(_ record: Wire.AccessRecord) -> Table.Cell {
        if let outcome = record.outcome {
            let detail = record.outcomeDetail.map { ": " + Words.reason($0) } ?? ""
            return Table.Cell(Words.word(outcome) + detail, outcome == "CONFIRMED" ? .green : .red)
        }
        if record.decision == "DENIED" {
            return Table.Cell("denied" + (record.reason.map { ": " + Words.reason($0) } ?? ""), .red)
        }
        if record.decision == "ALLOWED" {
            return Table.Cell("allowed" + (record.rule?.role.map { " as \(Words.role($0))" } ?? ""))
        }
        if let method = record.method { return Table.Cell(Words.word(method)) }
        return Table.Cell(record.targetId)
    }
}
