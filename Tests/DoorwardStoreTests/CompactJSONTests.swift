import DoorwardDomain
import Testing

@testable import DoorwardStore

@Suite struct CompactJSONTests {
    @Test(
        "Every kind of JSON value comes back as it was",
        arguments: [
            .null, .bool(true), .bool(false), .integer(0), .integer(23), .integer(24), .integer(-1), .integer(-24), .integer(-25),
            .integer(255), .integer(256), .integer(65_536), .integer(1 << 32), .integer(.max), .integer(.min), .number(0.1),
            .number(-.infinity), .string(""), .string("e\u{301}\u{0}🔑"), .array([]), .object([:]),
            .array([.object(["a": .array([.null])])]), .string(String(repeating: "x", count: 70_000)),
        ] as [JSONValue])
    func roundTrip(value: JSONValue) {
        let object = ["value": value, "other": .integer(1)]
        #expect(CompactJSON.object(from: CompactJSON.bytes(of: object)) == object)
    }

    @Test("The bytes are CBOR as RFC 8949 has it, appendix A")
    func examples() {
        #expect(
            CompactJSON.bytes(of: ["a": .integer(1), "b": .array([.integer(2), .integer(3)])]) == [
                0xA2, 0x61, 0x61, 0x01, 0x61, 0x62, 0x82, 0x02, 0x03,
            ])
        #expect(CompactJSON.bytes(of: ["a": .integer(-1000)]) == [0xA1, 0x61, 0x61, 0x39, 0x03, 0xE7])
        #expect(
            CompactJSON.bytes(of: ["a": .number(1.1)]) == [
                0xA1, 0x61, 0x61, 0xFB, 0x3F, 0xF1, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9A,
            ])
    }

    @Test("Bytes that were cut, lengthened or are of another form are not read")
    func malformed() {
        let bytes = CompactJSON.bytes(of: ["a": .array([.string("text"), .number(2.5), .integer(70_000)])])
        for count in 0..<bytes.count { #expect(CompactJSON.object(from: Array(bytes.prefix(count))) == nil) }
        #expect(CompactJSON.object(from: bytes + [0xF6]) == nil)
        #expect(CompactJSON.object(from: [0x01]) == nil, "no map")
        #expect(CompactJSON.object(from: [0xA1, 0x01, 0x01]) == nil, "a key that is no text")
        #expect(CompactJSON.object(from: [0xA2, 0x61, 0x61, 0x01, 0x61, 0x61, 0x02]) == nil, "a key that comes twice")
        #expect(CompactJSON.object(from: [0xBB] + [UInt8](repeating: 0xFF, count: 8)) == nil, "more members than bytes")
        #expect(CompactJSON.object(from: [0xA1, 0x61, 0xFF, 0x01]) == nil, "no UTF-8")
        let deep = [UInt8](repeating: 0x81, count: 100_000)
        #expect(CompactJSON.object(from: [0xA1, 0x61, 0x61] + deep) == nil, "deeper than anything that is written")
    }
}
