import DoorwardDomain
import Testing

@testable import DoorwardStore

/// The examples of RFC 8949, appendix A, each as the value of the key `a`.
@Suite struct CBORExampleTests {
    @Test(
        "An example in the form that we write is encoded to and decoded from the bytes of the standard",
        arguments: CBORExample.written)
    func written(_ example: CBORExample) throws {
        let bytes = CBORExample.prefix + example.bytes
        #expect(CBOR.bytes(of: ["a": try #require(example.value)]) == bytes)
        #expect(CBOR.object(from: bytes) == ["a": try #require(example.value)])
    }

    @Test("An example in a form that we never write is rejected", arguments: CBORExample.foreign)
    func foreign(_ example: CBORExample) {
        #expect(CBOR.object(from: CBORExample.prefix + example.bytes) == nil)
    }
}

/// An example of the standard: its hexadecimal digits, and its value if it is JSON in the form that we write.
struct CBORExample: Sendable, CustomStringConvertible {
    /// The start of a map with one pair, whose key is `a`.
    static let prefix: [UInt8] = [0xA1, 0x61, 0x61]

    let description: String
    let value: JSONValue?

    init(_ hex: String, _ value: JSONValue? = nil) { (description, self.value) = (hex, value) }

    var bytes: [UInt8] {
        stride(from: 0, to: description.count, by: 2).compactMap { UInt8(description.dropFirst($0).prefix(2), radix: 16) }
    }

    static let written: [CBORExample] = [
        CBORExample("00", .integer(0)), CBORExample("01", .integer(1)), CBORExample("0a", .integer(10)),
        CBORExample("17", .integer(23)), CBORExample("1818", .integer(24)), CBORExample("1819", .integer(25)),
        CBORExample("1864", .integer(100)), CBORExample("1903e8", .integer(1000)), CBORExample("1a000f4240", .integer(1_000_000)),
        CBORExample("1b000000e8d4a51000", .integer(1_000_000_000_000)), CBORExample("20", .integer(-1)),
        CBORExample("29", .integer(-10)), CBORExample("3863", .integer(-100)), CBORExample("3903e7", .integer(-1000)),
        CBORExample("fb3ff199999999999a", .number(1.1)), CBORExample("fb7e37e43c8800759c", .number(1.0e+300)),
        CBORExample("fbc010666666666666", .number(-4.1)), CBORExample("fb7ff0000000000000", .number(.infinity)),
        CBORExample("fbfff0000000000000", .number(-.infinity)), CBORExample("f4", .bool(false)), CBORExample("f5", .bool(true)),
        CBORExample("f6", .null), CBORExample("60", .string("")), CBORExample("6161", .string("a")),
        CBORExample("6449455446", .string("IETF")), CBORExample("62225c", .string("\"\\")),
        CBORExample("62c3bc", .string("\u{fc}")), CBORExample("63e6b0b4", .string("\u{6c34}")),
        CBORExample("64f0908591", .string("\u{10151}")), CBORExample("80", .array([])),
        CBORExample("83010203", .array([.integer(1), .integer(2), .integer(3)])),
        CBORExample(
            "8301820203820405",
            .array([.integer(1), .array([.integer(2), .integer(3)]), .array([.integer(4), .integer(5)])])),
        CBORExample(
            "98190102030405060708090a0b0c0d0e0f101112131415161718181819", .array((1...25).map { .integer($0) })),
        CBORExample("a0", .object([:])),
        CBORExample("a26161016162820203", .object(["a": .integer(1), "b": .array([.integer(2), .integer(3)])])),
        CBORExample("826161a161626163", .array([.string("a"), .object(["b": .string("c")])])),
        CBORExample(
            "a56161614161626142616361436164614461656145",
            .object(["a": .string("A"), "b": .string("B"), "c": .string("C"), "d": .string("D"), "e": .string("E")])),
    ]

    /// Integers that do not fit into 64 bits with sign, floating-point numbers of other widths,
    /// tags, byte strings, other simple values, and items of indefinite length.
    static let foreign: [CBORExample] = [
        "1bffffffffffffffff", "c249010000000000000000", "3bffffffffffffffff", "c349010000000000000000", "f90000", "f98000",
        "f93c00",
        "f93e00", "f97bff", "fa47c35000", "fa7f7fffff", "f90001", "f90400", "f9c400", "f97c00", "f97e00", "f9fc00", "fa7f800000",
        "fa7fc00000", "faff800000", "f7", "f0", "f8ff", "c074323031332d30332d32315432303a30343a30305a", "c11a514b67b0",
        "c1fb41d452d9e8200000", "d74401020304", "d818456449455446", "d82076687474703a2f2f7777772e6578616d706c652e636f6d", "40",
        "4401020304", "a201020304", "5f42010243030405ff", "7f657374726561646d696e67ff", "9fff", "9f018202039f0405ffff",
        "9f01820203820405ff", "83018202039f0405ff", "83019f0203ff820405",
        "9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff", "bf61610161629f0203ffff", "826161bf61626163ff",
        "bf6346756ef563416d7421ff",
    ].map { CBORExample($0) }
}
