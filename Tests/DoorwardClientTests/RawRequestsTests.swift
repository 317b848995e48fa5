import FoundationEssentials
import NIOHTTP1
import Testing

@testable import DoorwardClient

@Suite("Requests that the caller composes") struct RawRequestsTests {
    private func client(_ gateway: StubGateway, _ credentials: Credentials = .bearer("t")) throws -> DoorwardClient {
        try DoorwardClient(patient: gateway.address, credentials: credentials, source: "cli")
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test("method, path, query, headers and body are sent as given")
    func sent() async throws {
        let gateway = try await StubGateway { _, _ in .data("{}") }
        _ = try await client(gateway).open(
            "PUT", "/devices/d%20e?dryRun=true", query: [("q", "a&b"), ("q", "c"), ("absent", nil)],
            headers: [("If-Match", "\"v1\""), ("content-type", "text/plain")], body: Array("body".utf8))
        let received = try #require(gateway.requests.first)
        #expect(received.method == .PUT)
        #expect(received.uri == "/api/v1/devices/d%20e?dryRun=true&q=a%26b&q=c")
        #expect(received.headers["If-Match"] == ["\"v1\""])
        #expect(received.headers["Content-Type"] == ["text/plain"], "the given header replaces the client's own")
        #expect(received.headers["X-Doorward-Client"] == ["cli"])
        #expect(received.token == "Bearer t")
        #expect((received.body, received.key) == ("body", nil))
    }

    @Test("a POST has its own idempotency key or the caller's, and is not repeated, because not every path supports keys")
    func keys() async throws {
        let gateway = try await StubGateway { _, before in before < 2 ? .data("{}") : .closeConnection }
        let client = try client(gateway)
        _ = try await client.open("POST", "/store/backup")
        let send = { try await client.open("POST", "/store/backup", headers: [("idempotency-key", "mine")]) }
        _ = try await send()
        let error = await #expect(throws: ClientError.self) { try await send() }
        #expect(error == .noResponse(server: gateway.address, why: "the connection ended before the response was complete"))
        #expect(gateway.requests.count == 3)
        #expect(gateway.requests[0].key?.count == 36)
        #expect(gateway.requests[1].headers["Idempotency-Key"] == ["mine"])
    }

    @Test("the document is the `data` of the envelope, or the whole body if there is no envelope")
    func documents() async throws {
        let bodies = [
            #"{"status":"success","data":{"b":1, "a":[]}}"#, #"{"openapi":"3.1.0"}"#, "[1]", "", #""text""#,
        ]
        let gateway = try await StubGateway { _, before in
            .response(200, bodies[before], ["Content-Type": "application/json; charset=utf-8"])
        }
        for expected in [#"{"b":1, "a":[]}"#] + bodies.dropFirst() {
            let response = try await client(gateway).open("GET", "/x")
            #expect(response.isJSON && response.isSuccess)
            #expect(text(try await response.document()) == expected)
        }
    }

    @Test("a body that is not JSON is returned unchanged")
    func otherTypes() async throws {
        let gateway = try await StubGateway { _, _ in .response(200, #"{"data":1}"#, ["Content-Type": "application/x-ndjson"]) }
        let response = try await client(gateway).open("GET", "/access-records/export")
        #expect(!response.isJSON)
        #expect(text(try await response.document()) == #"{"data":1}"#)
    }

    @Test("the status line and the headers are available as received")
    func head() async throws {
        let gateway = try await StubGateway { _, _ in .response(201, "{}", ["Location": "/api/v1/units/u"]) }
        let response = try await client(gateway).open("POST", "/units")
        #expect((response.status, response.statusLine) == (201, "HTTP/1.1 201 Created"))
        #expect(response.headers.contains { $0 == ("Location", "/api/v1/units/u") })
    }

    @Test("a gateway's error is thrown with all its details, another server's error as notAGateway")
    func errors() async throws {
        let gateway = try await StubGateway { _, before in
            before == 0 ? .error(412, "precondition_failed") : .response(500, "an error")
        }
        let client = try client(gateway)
        let refused = try await client.open("PUT", "/units/u")
        #expect(!refused.isSuccess)
        let error = await #expect(throws: ClientError.self) { try await refused.document() }
        guard case .refused(let apiError) = error else { throw try #require(error) }
        #expect((apiError.status, apiError.code, apiError.requestID) == (412, "precondition_failed", "r-1"))
        let otherServer = try await client.open("GET", "/units")
        await #expect(throws: ClientError.notAGateway(server: gateway.address)) { try await otherServer.document() }
    }

    @Test("if the gateway rejects the access token, the client refreshes it and repeats the request")
    func refreshed() async throws {
        let folder = try TemporaryFolder()
        let gateway = try await StubGateway { request, _ in
            if request.uri == "/api/v1/auth/refresh" {
                return .data(#"{"user":{"id":"u"},"token":"new","expiresIn":900,"refreshToken":"r2"}"#)
            }
            return request.token == "Bearer new" ? .data(#"{"done":true}"#) : .error(401, "unauthenticated")
        }
        let file = SessionFile(folder: folder.path)
        try file.write(
            Session(
                server: try ServerAddress(gateway.address), email: "a@b.example", token: "old", lifetime: 900, refreshToken: "r1")
        )
        let response = try await client(gateway, .session(file)).open("DELETE", "/units/u")
        #expect(response.status == 200)
        #expect(gateway.requests.map(\.uri) == ["/api/v1/units/u", "/api/v1/auth/refresh", "/api/v1/units/u"])
    }

    @Test("reading stops as soon as the handler returns false")
    func stopped() async throws {
        let gateway = try await StubGateway { _, _ in .response(200, String(repeating: "x", count: 4 << 20)) }
        let response = try await client(gateway).open("GET", "/stream")
        var parts = 0
        try await response.read { _ in
            parts += 1
            return false
        }
        #expect(parts == 1)
    }
}
