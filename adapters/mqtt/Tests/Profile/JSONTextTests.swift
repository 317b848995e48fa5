import DoorwardDomain
import Testing

@testable import AdapterMQTT

@Suite struct JSONTextTests {
    @Test("parses valid JSON, with integers as they are written", arguments: sound)
    func reads(_ text: String, _ value: JSONText) { #expect(JSONText(text) == value) }

    private static let sound: [(String, JSONText)] = [
        ("3", .integer("3")),
        ("-0", .integer("-0")),
        ("3.0", .number(3)),
        ("1e2", .number(100)),
        ("-1.5E-1", .number(-0.15)),
        (String(repeating: "9", count: 400), .integer(String(repeating: "9", count: 400))),
        ("1e999", .number(.infinity)),
        ("null", .null),
        (" true\n", .bool(true)),
        ("[]", .array([])),
        ("[1, \"a\"]", .array([.integer("1"), .string("a")])),
        ("{}", .object([:])),
        (#"{"a":{"b":false}}"#, .object(["a": .object(["b": .bool(false)])])),
        (#""\"\\\/\b\f\n\r\t""#, .string("\"\\/\u{8}\u{c}\n\r\t")),
        (#""\u00e9\ud83d\udd12""#, .string("é🔒")),
        (#""é""#, .string("é")),
    ]

    @Test(
        "rejects invalid JSON",
        arguments: [
            "", " ", "NaN", "Infinity", "-", "+1", "01", "1.", ".5", "1e", "0x1", "tru", "nulll", "'a'", "\"a", "\"\u{1}\"",
            #""\x""#,
            #""\ud83d""#, #""\ud83dx""#, #""\ud83d\u0041""#, #""\u12""#, #""\u+123""#, "[1,]", "[1 2]", "[", "{", "{\"a\"}",
            "{\"a\":1,}", "{a:1}",
            "{\"a\":1 \"b\":2}", "1 2", "{}x", #"{"a":1,"a":1}"#, "\u{FEFF}1", "// x",
        ])
    func refuses(_ text: String) { #expect(JSONText(text) == nil) }

    @Test("parsed keys and strings are stream-safe, literal or escaped, so that a lookup takes linear time")
    func streamSafe() throws {
        let marks = String(repeating: "\u{345}\u{301}", count: 5_000)
        let escaped = String(repeating: #"\u0345\u0301"#, count: 5_000)
        for text in [marks, escaped] {
            let value = try #require(JSONText(#"{"state":"LOCKED","\#(text)":"\#(text)"}"#))
            guard case .object(let fields) = value else { return #expect(Bool(false), "no object") }
            #expect(fields["state"] == .string("LOCKED"))
            for (key, value) in fields {
                #expect(key.isStreamSafe)
                if case .string(let text) = value { #expect(text.isStreamSafe) }
            }
            #expect(Payload(Array(text.utf8))?.text.isStreamSafe == true)
        }
        #expect(Payload(Array("Zoe\u{308}".utf8))?.text.utf8.count == 5)
    }

    @Test("rejects JSON that is nested too deeply")
    func depth() {
        func nested(_ depth: Int) -> String { String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
        #expect(JSONText(nested(JSONText.maxDepth)) != nil)
        #expect(JSONText(nested(JSONText.maxDepth + 1)) == nil)
        #expect(JSONText(String(repeating: #"{"a":"#, count: 100_000)) == nil)
    }

    @Test("a path is a key or a JSON pointer", arguments: paths)
    func path(_ path: String, _ value: JSONText?) {
        #expect(JSONText(#"{"a":{"b":[1,2]},"a/b":3,"c~d":4,"":5}"#)?[JSONPath(path)] == value)
    }

    private static let paths: [(String, JSONText?)] = [
        ("/a/b/1", .integer("2")),
        ("/a/b/2", nil),
        ("/a/b/-1", nil),
        ("/a/x", nil),
        ("a/b", .integer("3")),
        ("/a~1b", .integer("3")),
        ("/c~0d", .integer("4")),
        ("c~d", .integer("4")),
        ("/", .integer("5")),
        ("x", nil),
    ]

    @Test(
        "a text that is escaped as JSON is parsed to the same text",
        arguments: ["", "a", "\"", "\\", "\n\u{0}\u{1f}", "é🔒", "{{x}}"])
    func escaping(_ text: String) { #expect(JSONText("\"\(text.escapedAsJSON)\"") == .string(text)) }
}
