import DoorwardAudit
import DoorwardDomain
import DoorwardTesting
import FoundationEssentials
import Testing

@Suite struct RecordCSVTests {
    /// Reads CSV as RFC 4180 defines it, one character at a time.
    private func parse(_ text: String) -> [[String]] {
        var (rows, row, cell, isQuoted) = ([[String]](), [String](), String.UnicodeScalarView(), false)
        var scalars = Array(text.unicodeScalars)[...]
        while let scalar = scalars.popFirst() {
            switch (scalar, isQuoted) {
            case ("\"", true) where scalars.first == "\"": cell.append(scalars.removeFirst())
            case ("\"", _): isQuoted.toggle()
            case (",", false):
                row.append(String(cell))
                cell = String.UnicodeScalarView()
            case ("\r", false) where scalars.first == "\n":
                scalars.removeFirst()
                rows.append(row + [String(cell)])
                (row, cell) = ([], String.UnicodeScalarView())
            default: cell.append(scalar)
            }
        }
        #expect(row.isEmpty && cell.isEmpty)
        return rows
    }

    private func rows(_ records: [AccessRecord], zone: TimeZoneRules? = nil) -> [[String: String]] {
        var csv = RecordCSV()
        for record in records { csv.add(record, zone: zone) }
        let text = String(decoding: csv.take(), as: UTF8.self)
        #expect(text.unicodeScalars.first == "\u{FEFF}")
        let rows = parse(String(text.unicodeScalars.dropFirst()))
        #expect(rows[0] == RecordCSV.columns && rows.count == records.count + 1)
        return rows.dropFirst().map { row in
            #expect(row.count == RecordCSV.columns.count)
            return Dictionary(zip(RecordCSV.columns, row)) { first, _ in first }
        }
    }

    @Test("every field has its column")
    func columns() throws {
        let record = AccessRecord(seq: 17, body: Samples.outcome())
        let row = try #require(rows([record], zone: TimeZoneDatabase.system.rules(of: "Europe/Berlin")).first)
        let expected = [
            "logId": Samples.portfolioLog.description, "seq": "17", "at": "2026-11-21T09:21:00.123Z",
            "localTime": "2026-11-21T10:21:00.123+01:00", "timeZone": "Europe/Berlin", "kind": "COMMAND_OUTCOME",
            "operation": "UNLOCK", "decision": "ALLOWED", "reason": "", "ruleKind": "ASSOCIATION", "ruleRole": "TENANT",
            "actorKind": "USER", "actorName": "Ada Lovelace", "actorUserId": Samples.ada.description, "source": "CLI",
            "clientAddress": "203.0.113.7", "requestId": "req-1", "deviceName": "Front door", "outcome": "FAILED",
            "outcomeDetail": "jammed", "stateBefore": "LOCKED", "stateAfter": "JAMMED", "latencyMs": "1234",
            "statedReason": "Parcel", "override": "Fire drill", "details": "",
        ]
        for (column, value) in expected { #expect(row[column] == value, "\(column)") }
        let withDetails = AccessRecord(
            seq: 0, body: Samples.start(details: ["b": .integer(1), "a": .personal("Ada", person: nil), "c": .withheld]))
        #expect(rows([withDetails]).first?["details"] == #"{"a":"Ada","b":1,"c":null}"#)
        #expect(rows([withDetails]).first?["localTime"] == "")
    }

    @Test(
        "texts that a spreadsheet would execute are shown as text", arguments: ["=1+1", "+1", "-1", "@A1", "\t=1", "\r=1", "＝1"])
    func formulas(text: String) throws {
        var body = Samples.outcome()
        (body.actor.name, body.statedReason, body.latencyMs) = (text, text, -5)
        body.device?.deviceName = text
        let row = try #require(rows([AccessRecord(seq: 0, body: body)]).first)
        for column in ["actorName", "deviceName", "statedReason"] { #expect(row[column] == "'" + text) }
        #expect(row["latencyMs"] == "-5")
    }

    @Test("any text is read back as it was", arguments: 0..<40 as Range<UInt64>)
    func texts(seed: UInt64) throws {
        var bodies = RandomBody(seed: seed)
        let records = (0..<10 as Range<UInt64>).map { AccessRecord(seq: $0, body: bodies.body()) }
        for (record, row) in zip(records, rows(records)) {
            let texts = [
                "actorName": record.body.actor.name, "requestId": record.body.requestID,
                "outcomeDetail": record.body.outcomeDetail,
                "statedReason": record.body.statedReason, "targetType": record.body.target?.type,
            ]
            for (column, text) in texts {
                let cell = try #require(row[column])
                #expect(cell.utf8.elementsEqual((text ?? "").utf8) || cell.utf8.elementsEqual(("'" + (text ?? "")).utf8))
                if let first = cell.utf8.first { #expect(!"=+-@\t\r\n".utf8.contains(first)) }
            }
        }
    }

    @Test(
        "local times have the offset of the zone at that instant",
        arguments: [
            ("America/New_York", "2026-07-01T12:00:00.000Z", "2026-07-01T08:00:00.000-04:00"),
            ("Europe/Berlin", "2026-10-25T00:30:00.000Z", "2026-10-25T02:30:00.000+02:00"),
            ("Europe/Berlin", "2026-10-25T01:30:00.000Z", "2026-10-25T02:30:00.000+01:00"),
            ("Asia/Kolkata", "2026-01-01T00:00:00.000Z", "2026-01-01T05:30:00.000+05:30"),
            ("America/St_Johns", "2026-01-01T00:00:00.000Z", "2025-12-31T20:30:00.000-03:30"),
        ])
    func localTimes(zone: String, instant: String, local: String) throws {
        let rules = try #require(TimeZoneDatabase.system.rules(of: zone))
        #expect(RecordCSV.localTime(try Timestamp(rfc3339: instant), rules) == local)
    }
}
