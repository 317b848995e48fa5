import DoorwardDomain
import Testing

@Suite struct JSONParserTests {
    private func parse(_ text: String) throws(JSONFailure) -> JSONValue { try JSONValue.parse(Array(text.utf8)) }

    @Test(
        "Valid JSON is parsed into the right value",
        arguments: [
            ("null", JSONValue.null), (" true ", .bool(true)), ("0", .integer(0)), ("-12", .integer(-12)), ("1.5", .number(1.5)),
            ("1e2", .integer(100)), ("100.0", .integer(100)), ("-0.0", .integer(0)), ("1e-2", .number(0.01)),
            ("1e300", .number(1e300)), ("9223372036854775807", .integer(.max)),
            ("9223372036854775808", .number(9223372036854775808)),
            (#""a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00""#, .string("a\"\\/\u{8}\u{C}\n\r\té😀")), ("[]", .array([])),
            ("[1, [2]]", .array([.integer(1), .array([.integer(2)])])), ("{}", .object([:])),
            (#"{"a" : {"b":null}}"#, .object(["a": .object(["b": .null])])),
        ])
    func right(_ text: String, _ value: JSONValue) throws {
        #expect(try parse(text) == value)
    }

    @Test(
        "Text that is not valid JSON is rejected",
        arguments: [
            "", " ", "nul", "True", "01", "-", "1.", ".5", "1e", "+1", "NaN", "1e999", "[1,]", "[1 2]", "[", "{", "{a:1}",
            #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, "'a'", #""a"#, "\"a\nb\"", #""\x""#, #""\u12"#, #""\u12G4""#, #""\ud800""#,
            #""\udc00""#, #""\ud800\u0041""#, "1 2", "[1]]", "// x", "\u{FEFF}1",
        ])
    func wrong(_ text: String) {
        #expect(throws: JSONFailure.notJSON) { try parse(text) }
    }

    @Test("Bytes that are not UTF-8 are rejected")
    func utf8() {
        for bytes: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82]] {
            #expect(throws: JSONFailure.notJSON) { try JSONValue.parse([0x22] + bytes + [0x22]) }
        }
    }

    @Test("A duplicate key is rejected, even if one of the two is written with an escape")
    func duplicates() {
        #expect(throws: JSONFailure.duplicateKey("a")) { try parse(#"{"a":1,"\u0061":2}"#) }
        #expect(throws: JSONFailure.duplicateKey("b")) { try parse(#"{"a":{"b":1,"b":1}}"#) }
        #expect(throws: Never.self) { try parse(#"{"a":{"b":1},"c":{"b":1}}"#) }
    }

    @Test("Values nested up to the maximum depth are parsed, and deeper ones are rejected")
    func depth() {
        func nested(_ depth: Int) -> String { String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
        #expect(throws: Never.self) { try parse(nested(JSONValue.maxDepth)) }
        #expect(throws: JSONFailure.notJSON) { try parse(nested(JSONValue.maxDepth + 1)) }
        #expect(throws: JSONFailure.notJSON) { try parse(nested(30_000)) }
    }
}
