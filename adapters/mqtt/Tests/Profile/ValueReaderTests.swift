import Testing

@testable import AdapterMQTT

@Suite struct ValueReaderTests {
    private enum Reading: Equatable { case absent, malformed, value(String) }

    private static func read(
        _ payload: String, _ source: ValueReader.Source, _ type: ValueType, _ paths: [String] = [], ignoresCase: Bool = false
    ) throws -> Reading {
        var reader = ValueReader(topic: ProfileTemplate(literal: "t"))
        (reader.source, reader.type, reader.ignoresCase) = (source, type, ignoresCase)
        reader.paths = paths.map { JSONPath($0) }
        let bytes = try #require(Payload(Array(payload.utf8)))
        do { return try reader.read(bytes).map { .value($0) } ?? .absent } catch { return .malformed }
    }

    @Test("reads a payload that is the value itself", arguments: raw)
    private func readRaw(_ payload: String, _ type: ValueType, _ expected: Reading) throws {
        #expect(try Self.read(payload, .raw, type) == expected)
    }

    private static let raw: [(String, ValueType, Reading)] = [
        ("locked", .string, .value("locked")),
        (" locked", .string, .value(" locked")),
        (#"{"a":1}"#, .string, .value(#"{"a":1}"#)),
        ("null", .string, .value("null")),
        ("7", .int, .value("7")),
        ("007", .int, .value("7")),
        ("-0", .int, .value("0")),
        ("-12", .int, .value("-12")),
        ("+7", .int, .malformed),
        ("7 ", .int, .malformed),
        ("7.0", .int, .malformed),
        ("7e0", .int, .malformed),
        ("-", .int, .malformed),
        ("\u{0667}", .int, .malformed),
        ("99999999999999999999999", .int, .value("99999999999999999999999")),
        ("true", .bool, .value("true")),
        ("True", .bool, .malformed),
        ("1", .bool, .malformed),
    ]

    @Test("reads a value from JSON, at the first path that has a value", arguments: json)
    private func readJSON(_ payload: String, _ type: ValueType, _ paths: [String], _ expected: Reading) throws {
        #expect(try Self.read(payload, .json, type, paths) == expected)
    }

    private static let json: [(String, ValueType, [String], Reading)] = [
        (#"{"a":"x"}"#, .string, ["a"], .value("x")),
        (#"{"a":null,"b":"y"}"#, .string, ["a", "b"], .value("y")),
        (#"{"b":"y","a":"x"}"#, .string, ["a", "b"], .value("x")),
        (#"{"c":"z"}"#, .string, ["a", "b"], .absent),
        (#"{"a":{"b":[5,6]}}"#, .int, ["/a/b/1"], .value("6")),
        (#"{"a":{"b":[5,6]}}"#, .int, ["/a/b/2"], .absent),
        (#"{"a/b":1}"#, .int, ["/a~1b"], .value("1")),
        (#"{"a":1.0}"#, .int, ["a"], .malformed),
        (#"{"a":"1"}"#, .int, ["a"], .malformed),
        (#"{"a":true}"#, .string, ["a"], .value("true")),
        (#"{"a":"true"}"#, .bool, ["a"], .malformed),
        (#"{"a":[1]}"#, .string, ["a"], .malformed),
        (#"{"a":{}}"#, .string, ["a"], .malformed),
        ("x", .string, ["a"], .malformed),
        (#""x""#, .string, ["a"], .malformed),
        ("[1]", .string, ["a"], .malformed),
        (#"{"a":"x"} "#, .string, ["a"], .value("x")),
        (#"{"a":"x"}y"#, .string, ["a"], .malformed),
        (#""x""#, .string, [], .value("x")),
        ("null", .string, [], .absent),
    ]

    @Test("reads a payload as JSON if it looks like JSON, else as the value itself", arguments: either)
    private func readEither(_ payload: String, _ type: ValueType, _ expected: Reading) throws {
        #expect(try Self.read(payload, .jsonOrRaw, type, ["value"]) == expected)
    }

    private static let either: [(String, ValueType, Reading)] = [
        ("255", .int, .value("255")),
        (#"{"value":255}"#, .int, .value("255")),
        (#"{"value":"255"}"#, .int, .value("255")),
        (#"{"time":1}"#, .int, .absent),
        (#""open""#, .string, .value("open")),
        ("open", .string, .value("open")),
        ("[255]", .int, .malformed),
        (#"{"value":255"#, .int, .malformed),
        ("true", .bool, .value("true")),
        (#"{"value":true}"#, .bool, .value("true")),
    ]

    @Test("case is ignored only if the profile says so")
    func caseInsensitive() throws {
        #expect(try Self.read("TRUE", .raw, .bool, ignoresCase: true) == .value("true"))
        let pattern = ValuePattern("OFF")
        #expect(pattern.match("off", ignoringCase: true) != nil && pattern.match("off") == nil)
    }

    @Test("matches a value with a pattern, and returns the text that `*` stands for", arguments: patterns)
    func pattern(_ pattern: String, _ value: String, _ rest: String?) {
        #expect(ValuePattern(pattern).match(value).map(String.init) == rest)
    }

    private static let patterns: [(String, String, String?)] = [
        ("a", "a", ""),
        ("a", "ab", nil),
        ("a", "A", nil),
        ("a*", "a", ""),
        ("a*", "abc", "bc"),
        ("a*", "ba", nil),
        ("*c", "abc", "ab"),
        ("*c", "cb", nil),
        ("*", "", ""),
        ("*", "x", "x"),
        ("!0", "1", ""),
        ("!0", "0", nil),
    ]

    @Test("`unless` and `onlyWith` enable a part depending on the variables", arguments: conditions)
    func condition(_ unless: String?, _ onlyWith: String?, _ values: [String: String], _ isPresent: Bool) {
        #expect(PartCondition(unless: unless, onlyWith: onlyWith).holds(values) == isPresent)
    }

    private static let conditions: [(String?, String?, [String: String], Bool)] = [
        (nil, nil, [:], true),
        ("a", nil, [:], true),
        ("a", nil, ["a": "false"], true),
        ("a", nil, ["a": "true"], false),
        ("a", nil, ["a": ""], true),
        (nil, "a", [:], false),
        (nil, "a", ["a": "false"], false),
        (nil, "a", ["a": "ON"], true),
        ("a", "b", ["b": "x"], true),
        ("a", "b", ["a": "x", "b": "x"], false),
    ]
}
