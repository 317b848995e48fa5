import DoorwardDomain
import DoorwardTesting
import Testing

@testable import DoorwardStore

@Suite struct CBORTests {
    @Test(
        "Every kind of JSON value is decoded as it was encoded",
        arguments: [
            .null, .bool(true), .bool(false), .integer(0), .integer(23), .integer(24), .integer(-1), .integer(-24), .integer(-25),
            .integer(255), .integer(256), .integer(65_536), .integer(1 << 32), .integer(.max), .integer(.min), .number(0.1),
            .number(-.infinity), .string(""), .string("e\u{301}\u{0}🔑"), .array([]), .object([:]),
            .array([.object(["a": .array([.null])])]), .string(String(repeating: "x", count: 70_000)),
        ] as [JSONValue])
    func roundTrip(value: JSONValue) throws {
        let object = ["value": value, "other": .integer(1)]
        #expect(CBOR.object(from: try #require(CBOR.bytes(of: object))) == object)
    }

    @Test("The bytes are those of the examples in RFC 8949, appendix A")
    func examples() {
        #expect(
            CBOR.bytes(of: ["a": .integer(1), "b": .array([.integer(2), .integer(3)])]) == [
                0xA2, 0x61, 0x61, 0x01, 0x61, 0x62, 0x82, 0x02, 0x03,
            ])
        #expect(CBOR.bytes(of: ["a": .integer(-1000)]) == [0xA1, 0x61, 0x61, 0x39, 0x03, 0xE7])
        #expect(
            CBOR.bytes(of: ["a": .number(1.1)]) == [
                0xA1, 0x61, 0x61, 0xFB, 0x3F, 0xF1, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9A,
            ])
    }

    @Test("Bytes that are truncated, have extra bytes or are of another form are rejected")
    func malformed() throws {
        let object: [String: JSONValue] = ["a": .array([.string("text"), .number(2.5), .integer(70_000)])]
        let bytes = try #require(CBOR.bytes(of: object))
        for count in 0..<bytes.count { #expect(CBOR.object(from: Array(bytes.prefix(count))) == nil) }
        #expect(CBOR.object(from: bytes + [0xF6]) == nil)
        #expect(CBOR.object(from: [0x01]) == nil, "not a map")
        #expect(CBOR.object(from: [0xA1, 0x01, 0x01]) == nil, "a key that is not text")
        #expect(CBOR.object(from: [0xA2, 0x61, 0x61, 0x01, 0x61, 0x61, 0x02]) == nil, "a duplicate key")
        #expect(CBOR.object(from: [0xBB] + [UInt8](repeating: 0xFF, count: 8)) == nil, "more members than bytes")
        #expect(CBOR.object(from: [0xA1, 0x61, 0xFF, 0x01]) == nil, "not UTF-8")
        let deep = [UInt8](repeating: 0x81, count: 100_000)
        #expect(CBOR.object(from: [0xA1, 0x61, 0x61] + deep) == nil, "nested deeper than any value that is written")
    }

    @Test("Text stored by an older gateway is made stream-safe when it is read, and no member of the map is lost")
    func streamSafe() throws {
        let marks = String(repeating: "\u{345}\u{301}", count: 2_000)
        let stored: [String: JSONValue] = ["a": .string(marks), marks: .integer(1), "b" + marks: .array([.string(marks)])]
        let bytes = try #require(CBOR.bytes(of: stored))
        let read = try #require(CBOR.object(from: bytes))
        let safe = marks.streamSafe
        #expect(read == ["a": .string(safe), safe: .integer(1), ("b" + marks).streamSafe: .array([.string(safe)])])
        for (key, value) in read {
            #expect(key.isStreamSafe)
            if case .string(let text) = value { #expect(text.isStreamSafe) }
        }
    }

    @Test(
        "A value in another form than the one that we write is rejected",
        arguments: [
            [0xA1, 0x61, 0x61, 0x18, 0x17], [0xA1, 0x61, 0x61, 0x19, 0x00, 0xFF],
            [0xA1, 0x61, 0x61, 0x1A, 0x00, 0x00, 0xFF, 0xFF],
            [0xA1, 0x61, 0x61, 0x1B, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF], [0xA1, 0x78, 0x01, 0x61, 0x01],
            [0xA2, 0x61, 0x62, 0x01, 0x61, 0x61, 0x02], [0xBF, 0x61, 0x61, 0x01, 0xFF], [0xA1, 0x61, 0x61, 0xF9, 0x3C, 0x00],
            [0xA1, 0x61, 0x61, 0xF7], [0xA1, 0x61, 0x61, 0xC0, 0x01], [0xA1, 0x61, 0x61, 0x41, 0x00],
        ] as [[UInt8]])
    func otherForms(bytes: [UInt8]) {
        #expect(CBOR.object(from: bytes) == nil)
    }

    @Test(
        "If bytes with one byte changed are still accepted, encoding the decoded value gives the same bytes",
        arguments: 1...4 as ClosedRange<UInt64>)
    func oneForm(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let object: [String: JSONValue] = [
            "a": .array([.integer(300), .null, .bool(true)]), "b": .object(["x": .string("yz"), "y": .number(0.5)]),
        ]
        let bytes = try #require(CBOR.bytes(of: object))
        var read = 0
        for _ in 0..<4000 {
            var changed = bytes
            changed[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            guard let other = CBOR.object(from: changed) else { continue }
            read += 1
            #expect(CBOR.bytes(of: other) == changed)
        }
        #expect(read > 100)
    }

    @Test("A value nested too deep to be read is not written", arguments: [(62, true), (63, true), (64, false), (1000, false)])
    func depth(levels: Int, isWritten: Bool) {
        let value = (0..<levels - 1).reduce(JSONValue.array([])) { inner, _ in .array([inner]) }
        let bytes = CBOR.bytes(of: ["a": value])
        #expect((bytes != nil) == isWritten)
        if let bytes { #expect(CBOR.object(from: bytes) == ["a": value]) }
    }
}
