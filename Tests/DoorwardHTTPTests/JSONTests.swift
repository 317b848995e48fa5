import DoorwardDomain
import DoorwardPolicy
import Testing

@testable import DoorwardHTTP

@Suite struct JSONParserTests {
    private func parse(_ text: String) throws(JSONParser.Failure) -> JSONValue { try JSONParser.parse(Array(text.utf8)) }

    @Test(
        "Values are read as they were meant",
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
        "What is no JSON is refused",
        arguments: [
            "", " ", "nul", "True", "01", "-", "1.", ".5", "1e", "+1", "NaN", "1e999", "[1,]", "[1 2]", "[", "{", "{a:1}",
            #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, "'a'", #""a"#, "\"a\nb\"", #""\x""#, #""\u12"#, #""\u12G4""#, #""\ud800""#,
            #""\udc00""#, #""\ud800\u0041""#, "1 2", "[1]]", "// x", "\u{FEFF}1",
        ])
    func wrong(_ text: String) {
        #expect(throws: JSONParser.Failure.notJSON) { try parse(text) }
    }

    @Test("Bytes that are no UTF-8 are refused")
    func utf8() {
        for bytes: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82]] {
            #expect(throws: JSONParser.Failure.notJSON) { try JSONParser.parse([0x22] + bytes + [0x22]) }
        }
    }

    @Test("A key that stands twice is refused, also when it is written differently")
    func duplicates() {
        #expect(throws: JSONParser.Failure.duplicateKey("a")) { try parse(#"{"a":1,"\u0061":2}"#) }
        #expect(throws: JSONParser.Failure.duplicateKey("b")) { try parse(#"{"a":{"b":1,"b":1}}"#) }
        #expect(throws: Never.self) { try parse(#"{"a":{"b":1},"c":{"b":1}}"#) }
    }

    @Test("Nesting is read up to its limit")
    func depth() {
        func nested(_ depth: Int) -> String { String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
        #expect(throws: Never.self) { try parse(nested(JSONParser.deepest)) }
        #expect(throws: JSONParser.Failure.notJSON) { try parse(nested(JSONParser.deepest + 1)) }
        #expect(throws: JSONParser.Failure.notJSON) { try parse(nested(30_000)) }
    }
}

@Suite struct JSONWriterTests {
    private func text(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("Fields stand in the order of the calls, with commas between them")
    func order() {
        let written = text { writer in
            writer.object { writer in
                writer.field("z", 1)
                writer.field("a", [String]())
                writer.field("m", ["x", "y"])
                writer.field("o") { $0.object { $0.field("n", Int?.none) } }
                writer.fieldIfPresent("absent", String?.none)
                writer.field("last", true)
            }
        }
        #expect(written == #"{"z":1,"a":[],"m":["x","y"],"o":{"n":null},"last":true}"#)
    }

    @Test(
        "Whatever is written is read back the same",
        arguments: [
            "", "a\"b\\c/d", "\u{0}\u{1F}\n\t", "é😀\u{7F}", "</script>",
        ])
    func strings(_ string: String) throws {
        #expect(try JSONParser.parse(Array(text { $0.string(string) }.utf8)) == .string(string))
    }

    @Test("Equal values are written alike, whatever the order of their keys")
    func canonical() throws {
        let (a, b) = (#"{"b":[1,{"d":1.5,"c":null}],"a":true}"#, #"{ "a":true, "b":[1,{"c":null,"d":1.5}] }"#)
        let written = try [a, b].map { source in
            let value = try JSONParser.parse(Array(source.utf8))
            return text { value.write(into: &$0) }
        }
        #expect(written[0] == #"{"a":true,"b":[1,{"c":null,"d":1.5}]}"#)
        #expect(written[1] == written[0])
    }

    @Test("An entity is written field by field: those above the level are left out, null stands for no value")
    func entity() {
        let now = Timestamp(milliseconds: 0)
        let property = Property(
            id: PropertyID(high: 1, low: 2), name: #"No. "5""#, portfolioID: PortfolioID(high: 3, low: 4), createdAt: now,
            updatedAt: now)
        let directory = TenancyDirectory()
        let reader = FieldReader(directory.subject(of: .user(UserID(high: 5, low: 6))), level: .publicLevel, at: now)
        let written = text { $0.object(property, Property.fields, for: reader, in: directory) }
        #expect(
            written == """
                {"id":"00000000-0000-0001-0000-000000000002","name":"No. \\"5\\"","address":null,"defaultTimeZone":null,\
                "lockdown":{"active":false}}
                """)
    }
}
