import DoorwardDomain
import DoorwardTesting
import Testing

@testable import DoorwardAudit

@Suite struct RecordStrictnessTests {
    private let list = FieldList()
    private let id = "019ab3c0-000a-7000-8000-00000000000a"

    private func refusal(of bytes: [UInt8]) -> RecordDecodingError? {
        #expect(throws: RecordDecodingError.self) { try RecordEncoding.decode(bytes) }
    }

    @Test("the field list that the other tests modify is a valid record")
    func sound() throws {
        let record = try RecordEncoding.decode(list.bytes).record
        #expect(record.seq == 5)
        #expect(record.body.kind == .gateway)
    }

    @Test("bytes that do not begin with DWRD are rejected")
    func magic() {
        var other = list
        other.header[3] = UInt8(ascii: "d")
        #expect(refusal(of: other.bytes) == .notARecord)
        #expect(refusal(of: []) == .notARecord)
        #expect(refusal(of: Array("DWRD".utf8)) == .notARecord)
    }

    @Test("another version is rejected with its number", arguments: [0, 2, 255] as [UInt8])
    func versions(version: UInt8) {
        var other = list
        other.header[4] = version
        #expect(refusal(of: other.bytes) == .unknownVersion(version))
    }

    @Test("every field that is defined can be read")
    func knownFields() throws {
        for field in RecordField.allCases {
            let bytes = [UInt8]("DWRD\u{1}".utf8) + [field.rawValue, 0, 1, 7]
            #expect(try RecordFields(bytes)[field] == [7])
        }
    }

    @Test("an unknown field number is rejected", arguments: [0, 36, 255] as [UInt8])
    func unknownField(number: UInt8) {
        var other = list
        other.fields.append((number, []))
        #expect(refusal(of: other.bytes) == .unknownField(number))
    }

    @Test("duplicate fields and fields in another order are rejected")
    func order() {
        var twice = list
        twice.fields.append((14, Array("GATEWAY".utf8)))
        #expect(refusal(of: twice.bytes) == .outOfOrder(14))
        var swapped = list
        swapped.fields.swapAt(0, 1)
        #expect(refusal(of: swapped.bytes) == .outOfOrder(1))
    }

    @Test("a record truncated within a field is rejected")
    func truncation() throws {
        let bytes = try Samples.encode(Samples.outcome()).bytes
        let ends = fieldEnds(bytes)
        for count in 0..<bytes.count where !ends.contains(count) { #expect(refusal(of: Array(bytes[..<count])) != nil) }
    }

    /// Returns the positions at which fields end. A record that is truncated at such a position can
    /// be valid, because it may lack only optional fields.
    private func fieldEnds(_ bytes: [UInt8]) -> Set<Int> {
        var (ends, position) = (Set<Int>(), 5)
        while position < bytes.count {
            position += 3 + Int(bytes[position + 1]) << 8 + Int(bytes[position + 2])
            ends.insert(position)
        }
        return ends
    }

    @Test("bytes after the last field are rejected")
    func trailing() {
        #expect(refusal(of: list.bytes + [35]) == .truncated)
        #expect(refusal(of: list.bytes + [35, 0]) == .truncated)
        #expect(refusal(of: list.bytes + [35, 0, 1]) == .truncated)
        #expect(refusal(of: list.bytes + [0, 0, 0]) == .unknownField(0))
    }

    @Test("more than 65,535 bytes are rejected")
    func tooLarge() {
        let large = list.with(16, [UInt8](repeating: 0x78, count: 40_000)).with(18, [UInt8](repeating: 0x78, count: 30_000))
        #expect(refusal(of: large.bytes) == .tooLarge)
    }

    @Test(
        "a record without a required field is rejected",
        arguments: [
            (1, .logID), (2, .seq), (3, .id), (4, .at), (5, .kind), (10, .actorKind), (14, .source),
        ] as [(UInt8, RecordField)])
    func missing(number: UInt8, field: RecordField) {
        #expect(refusal(of: list.without(number).bytes) == .missing(field))
    }

    @Test(
        "a field without the other field that it requires is rejected",
        arguments: [(18, "Door", .deviceID), (33, "Unit", .targetID), (34, "x", .targetType)] as [(UInt8, String, RecordField)])
    func together(number: UInt8, text: String, missing: RecordField) {
        #expect(refusal(of: list.with(number, text).bytes) == .missing(missing))
    }

    @Test("place fields without a device are read as the record's own place", arguments: [19, 20, 21] as [UInt8])
    func placeWithoutDevice(number: UInt8) throws {
        let place = try RecordEncoding.decode(list.with(number, id).bytes) { _ in nil }.record.body.path
        #expect(
            [place?.unitID?.description, place?.propertyID?.description, place?.portfolioID?.description].compactMap(\.self) == [
                id
            ])
    }

    @Test(
        "a text that does not have its field's form is rejected",
        arguments: [
            (1, "Gateway"), (1, ""), (1, "019AB3C0-000A-7000-8000-00000000000A"), (3, "019ab3c0"),
            (3, "019AB3C0-000A-7000-8000-00000000000A"), (5, "gateway"), (5, ""), (6, "LOC\u{212A}"), (6, "OPEN"),
            (7, "allowed"), (8, "USER_UNKNOWN"), (10, "NOBODY"), (14, "api"), (17, "front-door"), (22, ""), (23, "DONE"),
            (25, "OPEN"), (26, "locked"), (30, "OPENED"), (31, "HOMEKIT"), (32, "create"),
        ] as [(UInt8, String)])
    func malformedText(number: UInt8, text: String) throws {
        let field = try #require(RecordField(rawValue: number))
        #expect(refusal(of: list.with(number, text).bytes) == .malformed(field))
    }

    @Test("numbers and commitments must have exactly their length", arguments: [2, 4, 27, 12, 15, 28, 29] as [UInt8])
    func lengths(number: UInt8) throws {
        let field = try #require(RecordField(rawValue: number))
        let length = field == .seq || field == .at || field == .latencyMs ? 8 : 32
        for wrong in [0, length - 1, length + 1] {
            #expect(refusal(of: list.with(number, [UInt8](repeating: 0, count: wrong)).bytes) == .malformed(field))
        }
        _ = try RecordEncoding.decode(list.with(number, [UInt8](repeating: 0, count: length)).bytes)
    }

    @Test("`seq` must be less than 2^63")
    func places() throws {
        let largest = list.with(2, [0x7F] + [UInt8](repeating: 0xFF, count: 7))
        #expect(try RecordEncoding.decode(largest.bytes).record.seq == UInt64(Int64.max))
        #expect(refusal(of: list.with(2, [0x80] + [UInt8](repeating: 0, count: 7)).bytes) == .malformed(.seq))
    }

    @Test(
        "bytes that are not UTF-8 are rejected",
        arguments: [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x61, 0x80]] as [[UInt8]])
    func utf8(bytes: [UInt8]) {
        #expect(refusal(of: list.with(16, bytes).bytes) == .malformed(.requestID))
        let quoted = Array("{\"a\":\"".utf8) + bytes + Array("\"}".utf8)
        #expect(refusal(of: list.with(35, quoted).bytes) == .malformed(.details))
    }

    @Test("rules are accepted only in the form in which they are written")
    func rules() throws {
        let good: [(String, Rule)] = [
            ("SUPER_ADMIN//SUPER_ADMIN", .superAdmin),
            ("GUEST_ACCESS/\(id)/GUEST", .guestAccess(Samples.id(10))),
            ("ASSOCIATION/\(id)/OWNER", .association(Samples.id(10), .owner)),
        ]
        for (text, rule) in good {
            #expect(try RecordEncoding.decode(list.with(9, text).bytes).record.body.rule == rule)
        }
        let bad = [
            "", "SUPER_ADMIN", "SUPER_ADMIN//", "SUPER_ADMIN/\(id)/SUPER_ADMIN", "GUEST_ACCESS/\(id)/TENANT",
            "ASSOCIATION//OWNER", "ASSOCIATION/\(id)/owner", "ASSOCIATION/\(id)/OWNER/", "OTHER/\(id)/OWNER",
        ]
        for text in bad { #expect(refusal(of: list.with(9, text).bytes) == .malformed(.rule)) }
    }

    @Test("bytes that are accepted are exactly what the encoder writes", arguments: 0..<10 as Range<UInt64>)
    func mutations(seed: UInt64) throws {
        var bodies = RandomBody(seed: seed)
        for _ in 0..<200 {
            let body = bodies.body()
            let encoded = try Samples.encode(body, seq: seed)
            let mutated = Mutation.mutate(encoded.bytes, using: &bodies.random)
            guard (try? RecordEncoding.decode(mutated)) != nil else { continue }
            #expect(try Recommitted.bytes(of: mutated) == mutated)
        }
    }
}
