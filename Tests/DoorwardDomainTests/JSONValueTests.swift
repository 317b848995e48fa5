import DoorwardDomain
import Foundation
import Testing

@Suite struct JSONValueTests {
    @Test(
        "Each kind of value is decoded and encoded",
        arguments: [
            ("null", JSONValue.null), ("true", .bool(true)), ("false", .bool(false)), ("0", .integer(0)), ("1", .integer(1)),
            ("-7", .integer(-7)), ("9223372036854775807", .integer(.max)), ("1.5", .number(1.5)), ("\"\"", .string("")),
            ("\"1\"", .string("1")), ("[]", .array([])), ("{}", .object([:])),
            ("[1,[null,\"é\"],{\"a\":{}}]", .array([.integer(1), .array([.null, .string("é")]), .object(["a": .object([:])])])),
            ("{\"broker\":\"main\",\"qos\":1}", .object(["broker": .string("main"), "qos": .integer(1)])),
        ])
    func reads(text: String, value: JSONValue) throws {
        #expect(try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) == value)
        let written = try JSONEncoder().encode(value)
        #expect(try JSONDecoder().decode(JSONValue.self, from: written) == value)
    }

    @Test("A number too large for an integer is decoded as a floating-point number")
    func large() throws {
        #expect(try JSONDecoder().decode(JSONValue.self, from: Data("1e300".utf8)) == .number(1e300))
    }

    @Test("Malformed JSON is rejected", arguments: ["", "{", "[1", "nul", "{\"a\"}"])
    func broken(text: String) {
        #expect(throws: (any Error).self) { try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) }
    }
}
