import DoorwardAPI
import DoorwardControl
import DoorwardDomain

/// Prints access records, one line each.
struct RecordTable: Sendable {
    /// Names for the ids in the records.
    var names: RecordNames
    private let style: OutputStyle
    private let isFollowing: Bool
    private let now: Timestamp
    /// The layout of the previous lines, for the alignment of the following ones.
    private var layout: Table.Layout?

    /// - Parameters:
    ///   - isFollowing: whether more rows will follow; columns then get minimum widths.
    ///   - now: the present time. A timestamp is printed with its year if it is not in the present year.
    init(
        _ style: OutputStyle, names: RecordNames = RecordNames(), isFollowing: Bool = false, now: Timestamp = SystemClock().now()
    ) {
        (self.style, self.names, self.isFollowing, self.now) = (style, names, isFollowing, now)
    }

    mutating func lines(_ records: [Wire.AccessRecord], withHeadings: Bool = true) -> [String] {
        if records.isEmpty, !isFollowing { return style.isInteractive ? ["There are no such records."] : [] }
        var table = Table("TIME", "WHO", "WHAT", "LOCK", "RESULT", "WHERE", rows: records.map(row))
        table.fittings = [.whole, .cut(to: 8), .cut(to: 8), .cut(to: 8), .cut(to: 12), .optional]
        if isFollowing { table.leastWidths = [19, 16, 16, 16, 24, 0] }
        let layout = self.layout ?? table.layout(style)
        if isFollowing { self.layout = layout }
        return table.lines(style, layout, withHeadings: withHeadings)
    }

    private func row(_ record: Wire.AccessRecord) -> [Table.Cell] {
        [
            Table.Cell(style.instant(record.at), .dim, short: style.shortInstant(record.at, now: now, withSeconds: true)),
            Table.Cell(Self.who(record, names)), Table.Cell(Self.what(record)), Table.Cell(lock(record)), result(record),
            Table.Cell(place(record)),
        ]
    }

    static func who(_ record: Wire.AccessRecord, _ names: RecordNames = RecordNames()) -> String? {
        if let name = record.actor ?? record.actorName { return name }
        switch record.actorKind {
        case "DEVICE": return "the lock"
        case "GATEWAY": return "the gateway"
        case "OUTSIDE": return "somebody without access"
        case "API_KEY": return "an API key"
        case "GUEST_LINK": return "a guest's link"
        default: return record.actorId.map { names.people[$0] ?? $0 }
        }
    }

    static func what(_ record: Wire.AccessRecord) -> String {
        if let operation = record.operation { return DisplayText.word(operation) }
        if let event = record.event { return DisplayText.word(event) }
        if let action = record.action {
            return ([DisplayText.word(action)] + [record.targetType.map(DisplayText.kind)].compactMap(\.self)).joined(
                separator: " ")
        }
        return DisplayText.word(record.kind)
    }

    private func lock(_ record: Wire.AccessRecord) -> String? {
        record.deviceName ?? record.deviceId.map { names.locks[$0] ?? $0 }
    }

    /// Returns the place of the record. For a record in a reduced view, which has no place, returns
    /// the present place of the lock.
    private func place(_ record: Wire.AccessRecord) -> String? {
        let property = record.propertyId.map { names.properties[$0] ?? $0 }
        let unit = record.unitId.map { names.units[$0] ?? $0 }
        let parts = [property, unit].compactMap(\.self)
        guard parts.isEmpty else { return parts.joined(separator: " / ") }
        return record.logId == nil ? record.deviceId.flatMap { names.places[$0] } : nil
    }

    private func result(_ record: Wire.AccessRecord) -> Table.Cell {
        var (text, colour) = Self.outcome(record)
        if record.action != nil {
            text = [text, RecordChange(record).text(names)].compactMap(\.self).first
        } else if let settings = RecordChange(record).text(names) {
            text = [text, settings].compactMap(\.self).joined(separator: ": ")
        }
        let stated = [
            record.statedReason.map { "reason: \($0)" }, record.override.map { "override: \($0.reason)" },
        ].compactMap(\.self)
        if !stated.isEmpty { text = [text, "(\(stated.joined(separator: "; ")))"].compactMap(\.self).joined(separator: " ") }
        return Table.Cell(text, colour)
    }

    /// Returns the outcome or the decision; for other records, the method by which the lock was operated.
    private static func outcome(_ record: Wire.AccessRecord) -> (String?, OutputStyle.Colour?) {
        if let outcome = record.outcome {
            let detail = record.outcomeDetail.map { ": " + DisplayText.reason($0) } ?? ""
            return (DisplayText.word(outcome) + detail, outcome == "CONFIRMED" ? .green : .red)
        }
        switch record.decision {
        case "DENIED": return ("denied" + (record.reason.map { ": " + DisplayText.reason($0) } ?? ""), .red)
        case "ALLOWED": return ("allowed" + (record.rule?.role.map { " as \(DisplayText.role($0))" } ?? ""), nil)
        default: return (record.method.map(DisplayText.word), nil)
        }
    }
}
