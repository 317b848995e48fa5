import DoorwardDomain
import DoorwardTesting
import FoundationEssentials
import Testing

@testable import DoorwardAudit

/// A record's bytes, put together field by field, also to records that no gateway writes.
struct RecordBytes {
    private(set) var fields: [(number: UInt8, value: [UInt8])] = []

    /// A record of the gateway's log with the required fields only.
    static let smallest: RecordBytes = {
        var record = RecordBytes()
        record.set(.logID, "gateway")
        record.set(.seq, RecordBytes.number(7))
        record.set(.id, "019ab3c0-0014-7000-8000-000000000014")
        record.set(.at, RecordBytes.number(1_795_252_860_123))
        record.set(.kind, "GATEWAY")
        record.set(.actorKind, "GATEWAY")
        record.set(.source, "GATEWAY")
        return record
    }()

    static func number(_ value: Int64) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }

    mutating func set(_ field: RecordField, _ value: [UInt8]?) {
        fields.removeAll { $0.number == field.rawValue }
        if let value { fields.append((field.rawValue, value)) }
        fields.sort { $0.number < $1.number }
    }

    mutating func set(_ field: RecordField, _ value: String) { set(field, Array(value.utf8)) }

    func with(_ field: RecordField, _ value: [UInt8]?) -> RecordBytes {
        var copy = self
        copy.set(field, value)
        return copy
    }

    func with(_ field: RecordField, _ value: String) -> RecordBytes { with(field, Array(value.utf8)) }

    var bytes: [UInt8] { Self.bytes(fields) }

    static func bytes(_ fields: [(number: UInt8, value: [UInt8])]) -> [UInt8] {
        fields.reduce(Array("DWRD\u{1}".utf8)) { bytes, field in
            let length = field.value.count
            return bytes + [field.number, UInt8(length >> 8), UInt8(length & 0xFF)] + field.value
        }
    }
}

/// The JSON object of a record in an export.
@Suite struct RecordObjectTests {
    private static let id = "019ab3c0-0015-7000-8000-000000000015"

    private func write(
        _ record: RecordBytes, personal: [DisclosedValue?] = [], log: LogID = .gateway
    ) throws(ExportFault.Problem) -> String {
        var object = RecordObject(log: log)
        try object.append(record.bytes, personal: personal)
        return String(decoding: object.text, as: UTF8.self)
    }

    private func problem(
        _ record: RecordBytes, personal: [DisclosedValue?] = [], log: LogID = .gateway
    ) -> ExportFault.Problem? {
        do {
            _ = try write(record, personal: personal, log: log)
            return nil
        } catch {
            return error
        }
    }

    @Test("the smallest record has its required fields in the order of their numbers")
    func smallest() throws {
        let expected = """
            {"logId":"gateway","seq":7,"id":"019ab3c0-0014-7000-8000-000000000014","at":"2026-11-21T09:21:00.123Z",\
            "kind":"GATEWAY","actorKind":"GATEWAY","source":"GATEWAY"}
            """
        #expect(try write(.smallest) == expected)
    }

    @Test(
        "each field is written in its form",
        arguments: [
            (RecordField.operation, "UNLOCK", #""operation":"UNLOCK""#),
            (.decision, "ALLOWED", #""decision":"ALLOWED""#),
            (.reason, "no_association", #""reason":"no_association""#),
            (.rule, "ASSOCIATION/\(id)/TENANT", #""rule":{"kind":"ASSOCIATION","id":"\#(id)","role":"TENANT"}"#),
            (.rule, "GUEST_ACCESS/\(id)/GUEST", #""rule":{"kind":"GUEST_ACCESS","id":"\#(id)","role":"GUEST"}"#),
            (.rule, "SUPER_ADMIN//SUPER_ADMIN", #""rule":{"kind":"SUPER_ADMIN","id":null,"role":"SUPER_ADMIN"}"#),
            (.actorID, "a pseudonym", #""actorId":"a pseudonym""#),
            (.actorUserID, id, #""actorUserId":"\#(id)""#),
            (.requestID, "req-1", #""requestId":"req-1""#),
            (.requestID, "", #""requestId":"""#),
            (.requestID, "\"\\\n\u{1}", #""requestId":"\"\\\n\u0001""#),
            (.requestID, "Tür", #""requestId":"Tür""#),
            (.deviceID, id, #""deviceId":"\#(id)""#),
            (.unitID, id, #""unitId":"\#(id)""#),
            (.propertyID, id, #""propertyId":"\#(id)""#),
            (.portfolioID, id, #""portfolioId":"\#(id)""#),
            (.commandID, id, #""commandId":"\#(id)""#),
            (.outcome, "CONFIRMED", #""outcome":"CONFIRMED""#),
            (.outcomeDetail, "jammed", #""outcomeDetail":"jammed""#),
            (.stateBefore, "LOCKED", #""stateBefore":"LOCKED""#),
            (.stateAfter, "UNLOCKED", #""stateAfter":"UNLOCKED""#),
            (.event, "START", #""event":"START""#),
            (.event, "AN_EVENT_OF_A_LATER_VERSION", #""event":"AN_EVENT_OF_A_LATER_VERSION""#),
            (.method, "MANUAL", #""method":"MANUAL""#),
            (.action, "CREATE", #""action":"CREATE""#),
            (.details, #"{"a":1}"#, #""details":{"a":1}"#),
        ])
    func forms(field: RecordField, value: String, member: String) throws {
        let text = try write(.smallest.with(field, value))
        #expect(text.contains("," + member), "\(text)")
        #expect(text.replacing("," + member, with: "") == (try write(.smallest)))
    }

    @Test("every field of the format has the name that the page of the format gives it")
    func names() throws {
        let page = try String(contentsOfFile: Files.page.path, encoding: .utf8)
        for field in RecordField.allCases {
            #expect(page.contains("| \(field.rawValue) | `\(field.exportName)` |"), "\(field)")
        }
    }

    @Test("numbers are written in decimal, also the smallest and the largest", arguments: [0, 1, -1, 42, .min, .max] as [Int64])
    func numbers(value: Int64) throws {
        #expect(try write(.smallest.with(.latencyMs, RecordBytes.number(value))).contains(#","latencyMs":\#(value)"#))
        let record = RecordBytes.smallest.with(.seq, RecordBytes.number(value))
        if value >= 0 {
            #expect(try write(record).contains(#","seq":\#(value),"#))
        } else {
            #expect(problem(record) == .notARecord)
        }
    }

    @Test(
        "values that do not have the form of their field are rejected",
        arguments: [
            (RecordField.seq, "1234567"),
            (.seq, "123456789"),
            (.at, "1234567"),
            (.latencyMs, ""),
            (.id, ""),
            (.id, "019AB3C0-0014-7000-8000-000000000014"),
            (.id, "019ab3c0-0014-7000-8000-00000000001"),
            (.id, "019ab3c0-0014-7000-8000-0000000000145"),
            (.id, "019ab3c0_0014-7000-8000-000000000014"),
            (.id, "019ab3c0-0014-7000-8000-00000000001g"),
            (.actorUserID, "somebody"),
            (.deviceID, "-"),
            (.kind, ""),
            (.kind, "1GATEWAY"),
            (.kind, "GATE WAY"),
            (.kind, "_GATEWAY"),
            (.operation, "UNLOC\u{212A}"),
            (.outcome, "CONFIRMED\n"),
            (.rule, "ASSOCIATION"),
            (.rule, "ASSOCIATION//TENANT"),
            (.rule, "ASSOCIATION/\(id)/NOBODY"),
            (.rule, "ASSOCIATION/\(id)/TENANT/"),
            (.rule, "GUEST_ACCESS/\(id)/OWNER"),
            (.rule, "OTHER/\(id)/TENANT"),
            (.rule, "SUPER_ADMIN/\(id)/SUPER_ADMIN"),
            (.actorName, "not 32 bytes"),
            (.details, ""),
            (.details, "{}"),
            (.details, "[]"),
            (.details, "null"),
            (.details, #"{"a": 1}"#),
            (.details, #"{"a":1.0}"#),
            (.details, #"{"a":1}}"#),
            (.details, #"{"b":1,"a":1}"#),
            (.details, #"{"a":1,"a":1}"#),
            (.details, #"{"$a":1}"#),
            (.details, #"{"a":9007199254740992}"#),
            (.details, #"{"a":{"$commitment":"AA=="}}"#),
        ])
    func malformed(field: RecordField, value: String) {
        #expect(problem(.smallest.with(field, value)) == .notARecord)
    }

    @Test(
        "bytes that are not UTF-8 are rejected in every text", arguments: [.actorID, .requestID, .outcomeDetail] as [RecordField])
    func notUnicode(field: RecordField) {
        for bytes in [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80]] as [[UInt8]] {
            #expect(problem(.smallest.with(field, bytes)) == .notARecord)
        }
    }

    @Test("every required field must be there", arguments: [.logID, .seq, .id, .at, .kind, .actorKind, .source] as [RecordField])
    func required(field: RecordField) {
        #expect(problem(RecordBytes.smallest.with(field, nil as [UInt8]?)) == .notARecord)
    }

    @Test("fields that belong together come together")
    func together() throws {
        #expect(problem(.smallest.with(.deviceName, "Front door")) == .notARecord)
        #expect(problem(.smallest.with(.deviceName, "Front door").with(.deviceID, Self.id)) == nil)
        #expect(problem(.smallest.with(.targetType, "User")) == .notARecord)
        #expect(problem(.smallest.with(.targetID, Self.id)) == .notARecord)
        #expect(problem(.smallest.with(.targetType, "User").with(.targetID, Self.id)) == nil)
    }

    @Test("a record of another log is one, whatever else is wrong with it")
    func otherLog() {
        #expect(problem(.smallest, log: Samples.portfolioLog) == .otherLog)
        #expect(problem(.smallest.with(.logID, "Gateway")) == .otherLog)
        #expect(problem(.smallest.with(.logID, "")) == .otherLog)
    }

    @Test("the structure of the bytes is checked")
    func structure() {
        var object = RecordObject(log: .gateway)
        let bytes = RecordBytes.smallest.bytes
        for length in 0..<bytes.count {
            #expect(throws: ExportFault.Problem.self) { try object.append(Array(bytes[..<length]), personal: []) }
        }
        #expect(throws: ExportFault.Problem.notARecord) { try object.append(bytes + [0], personal: []) }
        #expect(throws: ExportFault.Problem.notARecord) { try object.append(bytes + [36, 0, 0], personal: []) }
        #expect(throws: ExportFault.Problem.notARecord) { try object.append(bytes + [255, 0, 0], personal: []) }
        var version = bytes
        version[4] = 2
        #expect(throws: ExportFault.Problem.notARecord) { try object.append(version, personal: []) }
        let fields = RecordBytes.smallest.fields
        let doubled = RecordBytes.bytes(fields + [fields[6]])
        #expect(throws: ExportFault.Problem.notARecord) { try object.append(doubled, personal: []) }
        let swapped = RecordBytes.bytes([fields[1], fields[0]] + fields.dropFirst(2))
        #expect(throws: ExportFault.Problem.notARecord) { try object.append(swapped, personal: []) }
        #expect(throws: Never.self) { try object.append(bytes, personal: []) }
    }

    // MARK: - Personal values

    private static let salt = Digest32(leaf: [5])

    private func commitment(_ field: String, _ value: String) -> [UInt8] {
        PersonalFieldPath(record: Samples.id(7), field: field).commitment(to: value, salt: Self.salt).bytes
    }

    @Test(
        "a personal value is verified against its commitment and written in its place",
        arguments: [
            (RecordField.actorName, "actorName", #""actorName":"Ada""#, #""actorName":null"#),
            (.clientAddress, "clientAddress", #""clientAddress":"Ada""#, #""clientAddress":null"#),
            (.statedReason, "statedReason", #""statedReason":"Ada""#, #""statedReason":null"#),
            (.override, "override.reason", #""override":{"reason":"Ada"}"#, #""override":{"reason":null}"#),
        ])
    func personal(field: RecordField, name: String, shown: String, hidden: String) throws {
        let record = RecordBytes.smallest.with(field, commitment(name, "Ada"))
        #expect(try write(record, personal: [DisclosedValue(value: "Ada", salt: Self.salt)]).contains("," + shown))
        #expect(try write(record, personal: [nil]).contains("," + hidden))
        #expect(problem(record, personal: []) == .wrongPersonalValue)
        #expect(problem(record, personal: [nil, nil]) == .wrongPersonalValue)
        #expect(problem(record, personal: [DisclosedValue(value: "Eve", salt: Self.salt)]) == .wrongPersonalValue)
        let other = DisclosedValue(value: "Ada", salt: Digest32(leaf: [6]))
        #expect(problem(record, personal: [other]) == .wrongPersonalValue)
        let elsewhere = RecordBytes.smallest.with(field, commitment("another field", "Ada"))
        #expect(problem(elsewhere, personal: [DisclosedValue(value: "Ada", salt: Self.salt)]) == .wrongPersonalValue)
    }

    @Test("values in the details are verified under their paths, and keys lose their additional dollar sign")
    func details() throws {
        func written(_ path: String, _ value: String) -> String {
            #"{"$commitment":"\#(Data(commitment(path, value)).base64EncodedString())"}"#
        }
        let details = """
            {"$$price":[\(written(#"details.$price[0]"#, "Ada"))],"a.b":\(written(#"details.a\.b"#, "Bob")),"c":[1,true,null]}
            """
        let record = RecordBytes.smallest.with(.details, details)
        let values = ["Ada", "Bob"].map { DisclosedValue(value: $0, salt: Self.salt) }
        #expect(try write(record, personal: values).contains(#","details":{"$price":["Ada"],"a.b":"Bob","c":[1,true,null]}"#))
        #expect(try write(record, personal: [nil, values[1]]).contains(#","details":{"$price":[null],"a.b":"Bob","c"#))
        #expect(problem(record, personal: values.reversed()) == .wrongPersonalValue)
        #expect(problem(record, personal: [values[0]]) == .wrongPersonalValue)
    }

    @Test("the object of any record is the one that the decoded record gives", arguments: 0..<60 as Range<UInt64>)
    func anyRecord(seed: UInt64) throws {
        var bodies = RandomBody(seed: seed)
        for seq in 0..<5 as Range<UInt64> {
            let body = bodies.body()
            let encoded = try RecordDraft(fitting: body).encoded(seq: seq) { try Samples.key(body.log, $0) }
            let decoded = try Samples.decode(encoded, log: body.log)
            let personal = try decoded.commitments.map { commitment -> DisclosedValue? in
                let sealed = encoded.personal.first { $0.field == commitment.place.field }
                return try sealed.map {
                    try commitment.disclosed($0.ciphertext, under: Samples.key(body.log, commitment.owner))
                }
            }
            var object = RecordObject(log: body.log)
            try object.append(encoded.bytes, personal: personal)
            #expect(object.seq == seq && object.at == decoded.record.body.at.milliseconds)
            #expect(String(decoding: object.text, as: UTF8.self) == NaiveObject(decoded.record).text)
            // Values that were verified for other fields are rejected.
            if personal.count > 1 {
                #expect(throws: ExportFault.Problem.wrongPersonalValue) {
                    try object.append(encoded.bytes, personal: personal.reversed())
                }
            }
        }
    }
}

/// Writes the JSON object of a record from the decoded record, slowly and independently of the bytes.
struct NaiveObject {
    private var members: [String] = []

    var text: String { "{" + members.joined(separator: ",") + "}" }

    init(_ record: AccessRecord) {
        let body = record.body
        add("logId", body.log.description)
        members.append("\"seq\":\(record.seq)")
        add("id", body.id.description)
        add("at", body.at.description)
        add("kind", body.kind.rawValue)
        add("operation", body.operation?.rawValue)
        add("decision", body.decision?.rawValue)
        add("reason", body.reason?.rawValue)
        if let rule = body.rule {
            let id = rule.id.map { "\"\($0)\"" } ?? "null"
            members.append("\"rule\":{\"kind\":\"\(rule.kind)\",\"id\":\(id),\"role\":\"\(rule.role.rawValue)\"}")
        }
        add("actorKind", body.actor.kind.rawValue)
        add("actorId", body.actor.id)
        add("actorName", body.actor.name)
        add("actorUserId", body.actor.userID?.description)
        add("source", body.source.rawValue)
        add("clientAddress", body.clientAddress)
        add("requestId", body.requestID)
        add("deviceId", body.device?.deviceID.description)
        add("deviceName", body.device?.deviceName)
        add("unitId", body.unitID?.description)
        add("propertyId", body.propertyID?.description)
        add("portfolioId", body.portfolioID?.description)
        add("commandId", body.commandID?.description)
        add("outcome", body.outcome?.rawValue)
        add("outcomeDetail", body.outcomeDetail)
        add("stateBefore", body.stateBefore?.rawValue)
        add("stateAfter", body.stateAfter?.rawValue)
        if let latency = body.latencyMs { members.append("\"latencyMs\":\(latency)") }
        add("statedReason", body.statedReason)
        if let reason = body.override { members.append("\"override\":{\"reason\":\(Self.string(reason))}") }
        add("event", body.event?.rawValue)
        add("method", body.method?.rawValue)
        add("action", body.action?.rawValue)
        add("targetType", body.target?.type)
        add("targetId", body.target?.id)
        if !body.details.isEmpty { members.append("\"details\":" + Self.json(.object(body.details))) }
    }

    private mutating func add(_ name: String, _ value: String?) {
        if let value { members.append("\"\(name)\":\(Self.string(value))") }
    }

    private static func json(_ value: RecordValue) -> String {
        switch value {
        case .null, .withheld: return "null"
        case .bool(let flag): return "\(flag)"
        case .integer(let number): return "\(number)"
        case .string(let text), .personal(let text, _): return string(text)
        case .array(let elements): return "[" + elements.map(json).joined(separator: ",") + "]"
        case .object(let members):
            let sorted = members.sorted { Array($0.key.utf16).lexicographicallyPrecedes(Array($1.key.utf16)) }
            return "{" + sorted.map { "\(string($0.key)):\(json($0.value))" }.joined(separator: ",") + "}"
        }
    }

    private static func string(_ text: String) -> String {
        let escapes: [Unicode.Scalar: String] = [
            "\"": "\\\"", "\\": "\\\\", "\u{8}": "\\b", "\t": "\\t", "\n": "\\n", "\u{C}": "\\f", "\r": "\\r",
        ]
        let escaped = text.unicodeScalars.map { scalar -> String in
            if let escape = escapes[scalar] { return escape }
            guard scalar.value < 0x20 else { return String(scalar) }
            return "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
        }
        return "\"" + escaped.joined() + "\""
    }
}
