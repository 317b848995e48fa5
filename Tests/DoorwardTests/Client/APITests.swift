import ArgumentParser
import Testing

@testable import doorward

@Suite("The arguments of `doorward api`") struct APITests {
    @Test(
        "a path is accepted with or without the API's prefix, and characters not allowed in a URL are encoded",
        arguments: [
            ("devices", "/devices"), ("/devices", "/devices"), ("/api/v1/devices", "/devices"), ("api/v1/devices", "/devices"),
            ("/api/v1", "/"), ("/api/v1?x=1", "/?x=1"), ("api/v11/x", "/api/v11/x"),
            ("devices?limit=1&q=a b", "/devices?limit=1&q=a%20b"),
            ("devices/a%2Fb", "/devices/a%2Fb"), ("units/ä\n", "/units/%C3%A4%0A"), ("//doors.example/x", "//doors.example/x"),
        ])
    func paths(_ text: String, _ path: String) {
        #expect(APIPath.path(text) == path)
        #expect(APIPath.problem(with: text) == nil)
    }

    @Test(
        "an empty path, a whole URL or a fragment is rejected",
        arguments: ["", "https://doors.example/api/v1/devices", "devices#x"])
    func noPaths(_ text: String) { #expect(APIPath.problem(with: text) != nil) }

    @Test(
        "a header has a name and a value",
        arguments: [
            ("If-Match: \"a:b\"", "If-Match", "\"a:b\""), ("Prefer:respond-async", "Prefer", "respond-async"),
            ("X-Empty:", "X-Empty", ""),
            ("X:  a b  ", "X", "a b"),
        ])
    func headers(_ text: String, _ name: String, _ value: String) {
        #expect(HeaderArgument(argument: text)?.name == name)
        #expect(HeaderArgument(argument: text)?.value == value)
    }

    @Test(
        "malformed headers and headers that the client itself sets are rejected",
        arguments: [
            "", "X", ": x", "X Y: z", "X: a\r\nY: b", "X: a\u{0}", "X\n: a", "Authorization: Bearer t", "host: x",
            "Content-Length: 1",
            "Transfer-Encoding: chunked", "Ä: x",
        ])
    func noHeaders(_ text: String) { #expect(HeaderArgument(argument: text) == nil) }

    @Test("text is printed in whole lines, with control characters made visible")
    func lines() {
        var lines = PrintableLines()
        #expect(lines.take(Array("data: {\"a\":".utf8)) == "")
        #expect(lines.take(Array("1}\r\n\nid:\t\u{1B}[2J".utf8)) == "data: {\"a\":1}\n\n")
        #expect(lines.rest == "id:\t\u{241B}[2J")
        let cut = Array("ä\n".utf8)
        #expect(lines.take([cut[0]]) == "")
        #expect(lines.take(Array(cut[1...])).hasSuffix("ä\n"), "a character in two parts")
        #expect(lines.rest == "")
    }

    @Test(
        "wrong usage is reported before any request is sent",
        arguments: [
            ["FETCH", "devices"], ["GET", "https://doors.example/x"], ["POST", "users", "novalue"],
            ["POST", "users", "a=1", "a=2"],
            ["GET", "devices", "--input", "f"], ["GET", "devices", "--header", "Authorization: x"],
            ["GET", "devices", "--header", "X: 1", "--header", "x: 2"], ["GET"], ["GET", "devices", "--as", "a/b"],
        ])
    func usage(_ arguments: [String]) throws {
        let error = try #require(throws: (any Error).self) { _ = try DoorwardCommand.parseAsRoot(["api"] + arguments) }
        #expect(Exit(of: error).code == 2)
    }

    @Test("a query may contain a key twice, also together with a body from a file")
    func repeated() throws {
        for arguments in [["GET", "devices", "a=1", "a=2"], ["post", "devices", "a=1", "a=2", "--input", "-"]] {
            #expect(try DoorwardCommand.parseAsRoot(["api"] + arguments) is API)
        }
    }
}
