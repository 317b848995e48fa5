import DoorwardAPI
import DoorwardControl
import DoorwardDomain
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// Text that takes quadratic time to compare is rejected, or read as bytes, before it is compared.
@Suite struct HostileTextTests {
    /// 64,000 bytes of combining marks in an order that Unicode normalisation must sort.
    static let bomb = String(
        String.UnicodeScalarView(
            (0..<32_000).map { [0x345, 0x35C, 0x301, 0x323, 0x31B, 0x327, 0x334][$0 % 7] }.map {
                Unicode.Scalar($0) ?? "x"
            }))
    private static let escaped = String(repeating: #"\u0345\u0301"#, count: 5_000)

    private static let bodies = [
        #"{"\#(bomb)":1}"#, #"{"name":"\#(bomb)"}"#, #"{"name":["\#(bomb)"]}"#, #"{"\#(escaped)":1}"#, #"{"a":{"\#(bomb)":{}}}"#,
        #"{"email":"\#(bomb)","password":"x"}"#, #"{"email":"a@example.com","password":"\#(bomb)"}"#,
        #"{"\#(bomb)":1,"\#(bomb)":2}"#,
    ]

    @Test("A body with too many combining marks is rejected, in a key or in a value, escaped or not", arguments: 0..<bodies.count)
    func body(_ index: Int) async throws {
        let text = Self.bodies[index]
        #expect(throws: JSONFailure.tooManyMarks) { try JSONValue.parse(Array(text.utf8)) }
        let house = try await House()
        // A body with two keys of this kind is larger than the limit.
        let isTooLarge = text.utf8.count > WireLimits.bodyBytes
        let signedIn = try await house.call(.post, "/portfolios", as: .superAdmin, text)
        #expect(signedIn.status == (isTooLarge ? 413 : 400))
        #expect(signedIn.problems == (isTooLarge ? [] : ["body: too_many_combining_marks"]))
        let stranger = try await house.call(.post, "/auth/login", text)
        #expect(stranger.problems == signedIn.problems)
    }

    @Test("A text with as many combining marks as real languages need is accepted")
    func accents() async throws {
        let name = "Villa " + String(Self.bomb.unicodeScalars.prefix(30)) + " Zoe\u{308}"
        let house = try await House()
        let made = try await house.call(.post, "/portfolios", as: .superAdmin, #"{"name":"\#(name)"}"#)
        #expect(made.status == 201, "\(made.text)")
        #expect(made.data["portfolio"]["name"].text?.hasSameBytes(as: name) == true)
    }

    @Test("A query item with too many combining marks in its name or value is rejected, percent-encoded or not")
    func query() async throws {
        let encoded = String(repeating: "%CC%81", count: 5_000)
        let house = try await House()
        for item in [encoded, "a=\(encoded)", "sortBy=\(encoded)", "cursor=\(encoded)", Self.bomb, "adapter=\(Self.bomb)"] {
            var reader = QueryReader(item, errors: FieldErrors())
            #expect(reader.errors.problems.map(\.problem) == ["malformed"])
            #expect(reader.string("a") == nil && reader.string("sortBy") == nil && reader.string("adapter") == nil)
            let reply = try await house.call(.get, "/devices?\(item)", as: .tenant)
            #expect(reply.status == 400, "\(item.prefix(40))")
        }
    }

    @Test("A path with bytes other than visible ASCII is 404 before routing")
    func path() async throws {
        let house = try await House()
        for path in ["/\(Self.bomb)", "/api/v1/devices/\(Self.bomb)", "/api/v1/\(Self.bomb)?x=1", "/api/v1/devices/é", "/a b"] {
            let reply = try await house.send(.get, path)
            #expect(reply.status == 404 && reply.code == "not_found", "\(path.prefix(40))")
        }
    }

    @Test("Headers are read as ASCII: any other byte becomes one that no header grammar allows")
    func headers() async throws {
        let short = String(Self.bomb.unicodeScalars.prefix(4_000))
        for name: HTTPField.Name in [
            .authorization, .accept, .doorwardClient, .forwardedFor, .requestID, .prefer, .ifMatch, .idempotencyKey, .contentType,
        ] {
            let headers = RequestHeaders([name: short])
            #expect(headers[name]?.utf8.allSatisfy { $0 == 0x7F } == true)
            #expect(headers[values: name].allSatisfy { $0.utf8.allSatisfy { $0 == 0x7F } })
        }
        #expect(RequestHeaders([.accept: "text/plain"])[.accept] == "text/plain")
        #expect(RequestHeaders([:])[.accept] == nil)
        let house = try await House()
        let reply = try await house.command(as: .tenant, headers: [.idempotencyKey: short])
        #expect(reply.problems == ["Idempotency-Key: malformed"])
        let other = try await house.command(as: .tenant, headers: [.ifMatch: short, .accept: short, .prefer: short])
        #expect(other.status == 200)
        #expect(try await house.call(.get, "/users/me", headers: [.authorization: "Bearer " + short]).status == 401)
    }

    @Test("A response lists at most a hundred errors, and repeats at most 256 bytes of a field's name")
    func mistakes() async throws {
        let house = try await House()
        let many = "{" + (0..<5_000).map { #""k\#($0)":1"# }.joined(separator: ",") + "}"
        let reply = try await house.call(.post, "/portfolios", as: .superAdmin, many)
        #expect(reply.problems.count == FieldErrors.maxProblems)
        let long = try await house.call(
            .post, "/portfolios", as: .superAdmin, #"{"name":"a","\#(String(repeating: "é", count: 30_000))":1}"#)
        #expect(long.problems == [String(repeating: "é", count: 128) + ": unknown_key"])
    }

    @Test("Names are compared by bytes and without regard to case")
    func sorting() {
        #expect(SortValue.name("Zoe\u{308}") > SortValue.name("ZOE"))
        #expect(SortValue.name("ab") < SortValue.name("B"))
        #expect(SortValue.name("É") == SortValue.name("é"))
        #expect(SortValue.number(2) < SortValue.number(10))
    }

    @Test("White space is trimmed by Unicode scalars")
    func trimming() {
        #expect(" \t\u{2003}a b\n".trimmed == "a b")
        #expect("".trimmed == "" && " \n".trimmed == "")
        #expect((" " + Self.bomb + " ").trimmed.hasSameBytes(as: Self.bomb))
    }
}
