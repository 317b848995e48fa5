import Testing

@testable import DoorwardClient

@Suite("Extracting parts of JSON texts") struct JSONScannerTests {
    private func member(_ name: String, of text: String) -> String? {
        JSONScanner.member(name, of: Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    private func items(_ text: String) -> [String]? {
        JSONScanner.items(of: Array(text.utf8))?.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "a member is found only at the top level, with its text unchanged",
        arguments: [
            (#"{"data":{"a":[1,{"data":2}]},"x":1}"#, #"{"a":[1,{"data":2}]}"#), (#"{"x":{"data":1},"data":2}"#, "2"),
            (#" { "x" : "\"data\":3}" , "data" : [ 1.50e3 , null ] } "#, "[ 1.50e3 , null ]"), (#"{"data":"a\\"}"#, #""a\\""#),
            (#"{"data":true}"#, "true"), (#"{"data":"ä\u0041"}"#, #""ä\u0041""#), (#"{"data":{}}"#, "{}"),
        ])
    func members(_ text: String, _ value: String) {
        #expect(member("data", of: text) == value)
    }

    @Test(
        "nil for a text that is incomplete or lacks the member",
        arguments: ["", "[]", "{}", #"{"x":1}"#, #"{"data":"#, #"{"data":[1"#, #"{"data":"a"#, #"{"x":1 "data":2}"#, "nonsense"])
    func noMember(_ text: String) { #expect(member("data", of: text) == nil) }

    @Test("an array is split at its own commas only")
    func arrays() {
        #expect(items(#"[{"a":[1,2]}, "x,y" ,3]"#) == [#"{"a":[1,2]}"#, #""x,y""#, "3"])
        #expect(items(" [ ] ") == [])
        #expect(items("[1") == nil)
        #expect(items("[1 2]") == nil)
        #expect(items("{}") == nil)
    }
}
