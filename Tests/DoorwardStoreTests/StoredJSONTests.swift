import DoorwardDomain
import DoorwardTesting
import Testing

@testable import DoorwardStore

@Suite struct StoredJSONTests {
    private func read(_ text: String) -> [String: JSONValue]? { StoredJSON.object(from: Array(text.utf8)) }

    @Test(
        "Every kind of JSON value is read as it was written",
        arguments: [
            .null, .bool(true), .bool(false), .integer(0), .integer(-1), .integer(1 << 53), .integer(.max), .integer(.min),
            .number(0.1),
            .number(-1.5e300), .number(.leastNormalMagnitude), .string(""), .string("e\u{301}\u{0}\u{7f}\"\\/🔑"), .array([]),
            .object([:]),
            .array([.object(["a": .array([.null])])]), .string(String(repeating: "x", count: 70_000)),
        ] as [JSONValue])
    func roundTrip(value: JSONValue) throws {
        let object = ["value": value, "other": .integer(1)]
        #expect(read(try #require(StoredJSON.text(of: object))) == object)
    }

    @Test("The keys of an object are in one order, and slashes are not escaped")
    func form() {
        #expect(StoredJSON.text(of: ["b": .string("a/b"), "a": .integer(1)]) == #"{"a":1,"b":"a/b"}"#)
    }

    @Test("Text that is truncated, has more behind it, is no object or has a key twice is rejected")
    func malformed() throws {
        let text = try #require(StoredJSON.text(of: ["a": .array([.string("text"), .number(2.5), .integer(70_000)])]))
        for count in 0..<text.utf8.count { #expect(read(String(text.prefix(count))) == nil) }
        for text in [text + "1", "1", "[]", #"{"a":1,"a":2}"#, "{a:1}", #"{"a":NaN}"#] { #expect(read(text) == nil, "\(text)") }
        #expect(StoredJSON.object(from: Array(#"{"a":""#.utf8) + [0xFF] + Array(#""}"#.utf8)) == nil, "not UTF-8")
        #expect(read(#"{"a":"# + String(repeating: "[", count: 100_000)) == nil, "nested deeper than any value that is written")
    }

    @Test("Text that is not stream-safe is made so when it is read, and no member of the object is lost")
    func streamSafe() throws {
        let marks = String(repeating: "\u{345}\u{301}", count: 2_000)
        let object = try #require(read(#"{"a":"\#(marks)","\#(marks)":1,"b\#(marks)":["\#(marks)"]}"#))
        let safe = marks.streamSafe
        #expect(object == ["a": .string(safe), safe: .integer(1), ("b" + marks).streamSafe: .array([.string(safe)])])
        for (key, value) in object {
            #expect(key.isStreamSafe)
            if case .string(let text) = value { #expect(text.isStreamSafe) }
        }
    }

    @Test("A value that could not be read is not written", arguments: [(62, true), (63, true), (64, false), (1000, false)])
    func depth(levels: Int, isWritten: Bool) {
        let value = (0..<levels - 1).reduce(JSONValue.array([])) { inner, _ in .array([inner]) }
        let text = StoredJSON.text(of: ["a": value])
        #expect((text != nil) == isWritten)
        if let text { #expect(read(text) == ["a": value]) }
        #expect(StoredJSON.text(of: ["a": .number(.infinity)]) == nil)
    }
}
