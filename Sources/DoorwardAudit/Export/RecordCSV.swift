import DoorwardDomain
import FoundationEssentials

/// Writes records as CSV (RFC 4180) in UTF-8 with a byte order mark, for spreadsheets: with local times of the property beside
/// those in UTC, and without cells that a spreadsheet would execute as formulas.
package struct RecordCSV: Sendable {
    /// The byte order mark, without which some spreadsheets read UTF-8 as another encoding.
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private let separator: UInt8
    /// The lines written since `take` was called last.
    private var text = mark
    private var isAtLineStart = true

    /// The names of the columns. Those of fields are the names in the API.
    package static let columns = [
        "logId", "seq", "id", "at", "localTime", "timeZone", "kind", "operation", "decision", "reason", "ruleKind", "ruleId",
        "ruleRole", "actorKind", "actorId", "actorName", "actorUserId", "source", "clientAddress", "requestId", "deviceId",
        "deviceName", "unitId", "propertyId", "portfolioId", "commandId", "outcome", "outcomeDetail", "stateBefore", "stateAfter",
        "latencyMs", "statedReason", "override", "event", "method", "action", "targetType", "targetId", "details",
    ]

    /// Begins with the byte order mark and the line of the columns' names.
    ///
    /// - Parameter separator: the character between two cells, in ASCII.
    package init(separator: UInt8 = UInt8(ascii: ",")) {
        self.separator = separator
        for column in Self.columns { cell(column) }
        endLine()
    }

    /// The number of bytes that are ready.
    package var byteCount: Int { text.count }

    /// Returns the lines written since the last call.
    package mutating func take() -> [UInt8] {
        defer { text.removeAll(keepingCapacity: true) }
        return text
    }

    /// Writes the line of a record.
    ///
    /// - Parameter zone: the time zone of the record's property; `nil` leaves the local time empty.
    package mutating func add(_ record: AccessRecord, zone: TimeZoneRules?) {
        let body = record.body
        let before: [String?] = [
            body.log.description, "\(record.seq)", body.id.description, body.at.description,
            zone.map { Self.localTime(body.at, $0) }, zone?.name, body.kind.rawValue, body.operation?.rawValue,
            body.decision?.rawValue, body.reason?.rawValue, body.rule?.kind, body.rule?.id, body.rule?.role.rawValue,
            body.actor.kind.rawValue, body.actor.id, body.actor.name, body.actor.userID?.description, body.source.rawValue,
            body.clientAddress, body.requestID, body.device?.deviceID.description, body.device?.deviceName,
            body.unitID?.description, body.propertyID?.description, body.portfolioID?.description, body.commandID?.description,
            body.outcome?.rawValue, body.outcomeDetail, body.stateBefore?.rawValue, body.stateAfter?.rawValue,
        ]
        for text in before { cell(text) }
        // A number is never a formula, although it may begin with a minus.
        append(body.latencyMs.map { "\($0)" } ?? "")
        let after: [String?] = [
            body.statedReason, body.override, body.event?.rawValue, body.method?.rawValue, body.action?.rawValue,
            body.target?.type, body.target?.id,
        ]
        for text in after { cell(text) }
        cell(body.details.isEmpty ? nil : Self.json(of: body.details))
        endLine()
    }

    /// An instant in RFC 3339 with the offset of a zone, such as `2026-11-21T09:46:00.000+01:00`.
    package static func localTime(_ instant: Timestamp, _ zone: TimeZoneRules) -> String {
        let offset = zone.offset(at: instant.milliseconds.flooredQuotient(by: 1000))
        let local = Timestamp(milliseconds: instant.milliseconds + offset * 1000).description.dropLast()
        // RFC 3339 has no seconds in offsets; only zones before 1972 have such offsets.
        let minutes = abs(offset) / 60
        let digits = [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(local)\(offset < 0 ? "-" : "+")\(digits[0]):\(digits[1])"
    }

    /// The details as JSON, with the personal values in them; `nil` for an integer that no record contains, rather than half an object.
    private static func json(of details: [String: RecordValue]) -> String? {
        var text: [UInt8] = []
        guard (try? DetailsWriter.append(details, as: .shown, to: &text)) != nil else { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    // MARK: - Cells

    /// Writes a text. One that a spreadsheet would take for a formula is preceded by an apostrophe, which it shows as text.
    private mutating func cell(_ value: String?) {
        guard let value, let first = value.unicodeScalars.first else { return append("") }
        append(Self.formulaStarts.contains(first) ? "'" + value : value)
    }

    /// The characters with which formulas begin, also in the full-width forms that some spreadsheets accept.
    private static let formulaStarts: Set<Unicode.Scalar> = [
        "=", "+", "-", "@", "\t", "\r", "\n", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
    ]

    private mutating func append(_ value: String) {
        if !isAtLineStart { text.append(separator) }
        isAtLineStart = false
        guard value.utf8.contains(where: { [0x22, separator, 0x0A, 0x0D].contains($0) }) else {
            text.append(contentsOf: value.utf8)
            return
        }
        text.append(UInt8(ascii: "\""))
        for byte in value.utf8 {
            if byte == UInt8(ascii: "\"") { text.append(byte) }
            text.append(byte)
        }
        text.append(UInt8(ascii: "\""))
    }

    private mutating func endLine() {
        text.append(contentsOf: [0x0D, 0x0A])
        isAtLineStart = true
    }
}
