import DoorwardTesting
import FoundationEssentials
import Glibc
import NIOHTTP1
import Testing

@testable import DoorwardClient

@Suite("Requests over a connection") struct HTTPTransportTests {
    private static let unlocked = StubGateway.StubResponse.data(
        #"{"command":{"id":"c","deviceId":"d","operation":"UNLOCK","state":"CONFIRMED","sent":true,"new":1},"device":null}"#)

    private func client(_ gateway: StubGateway, _ credentials: Credentials = .bearer("t")) throws -> DoorwardClient {
        try DoorwardClient(patient: gateway.address, credentials: credentials, source: "cli")
    }

    @Test("a command whose connection closes before the response is sent once more, with the same idempotency key")
    func repeated() async throws {
        let gateway = try await StubGateway { _, before in before == 0 ? .closeConnection : Self.unlocked }
        let response = try await client(gateway).devices.move(.unlock, "d", .init(reason: "post", timeoutMs: 500))
        #expect(response.content.command.state == "CONFIRMED")
        #expect(gateway.requests.count == 2)
        #expect(gateway.requests[0].key != nil)
        #expect(gateway.requests[0].key == gateway.requests[1].key)
        #expect(gateway.requests[0].body == gateway.requests[1].body)
        #expect(gateway.requests[0].uri == "/api/v1/devices/d/unlock")
    }

    @Test("after two lost connections the client reports a missing response and does not try a third time")
    func brokenTwice() async throws {
        let gateway = try await StubGateway { _, _ in .closeConnection }
        let error = await #expect(throws: ClientError.self) { try await client(gateway).devices.move(.lock, "d") }
        #expect(
            error == .noResponse(server: gateway.address, why: "the connection ended before the response was complete"))
        #expect(gateway.requests.count == 2)
    }

    @Test("requests without an idempotency key are sent only once: deleting, signing in, simulated events")
    func notRepeated() async throws {
        let gateway = try await StubGateway { _, _ in .closeConnection }
        let client = try client(gateway)
        await #expect(throws: ClientError.self) { try await client.guestAccesses.deletion(of: "g").perform() }
        await #expect(throws: ClientError.self) { try await client.signIn(email: "a@b.example", password: "p") }
        await #expect(throws: ClientError.self) { try await client.trigger("jam", on: "d") }
        #expect(gateway.requests.count == 3)
        #expect(gateway.requests.allSatisfy { $0.key == nil })
    }

    @Test("a GET is repeated after the connection was lost")
    func getRepeated() async throws {
        let gateway = try await StubGateway { _, before in
            before == 0 ? .closeConnection : .data(#"{"user":{"id":"u","firstName":"Olga","lastName":null}}"#)
        }
        let me = try await client(gateway).users.me()
        #expect(me.content.fullName == "Olga")
        #expect(String(decoding: me.json, as: UTF8.self) == #"{"user":{"id":"u","firstName":"Olga","lastName":null}}"#)
    }

    @Test("a refused connection is a different error from a missing response: nothing was sent")
    func connectionRefused() async throws {
        // The port stays bound, so that no other process can listen on it.
        let held = try Listener(isListening: false)
        defer { close(held.descriptor) }
        let client = try DoorwardClient(patient: "http://127.0.0.1:\(held.port)", credentials: .bearer("t"))
        let error = await #expect(throws: ClientError.self) { try await client.devices.move(.unlock, "d") }
        #expect(error == .noConnection(server: "http://127.0.0.1:\(held.port)", why: "connection refused"))
    }

    @Test("a request without a response fails after its time limit")
    func timeLimit() async throws {
        let gateway = try await StubGateway { _, _ in .noResponse }
        let transport = HTTPTransport(server: try ServerAddress(gateway.address), source: nil)
        // The time limit can expire before the request arrives; in that case the next request has a longer limit.
        var milliseconds = 30
        while gateway.requests.isEmpty {
            var request = APIRequest.get("devices", "\(milliseconds)")
            request.timeLimit = .milliseconds(milliseconds)
            let error = await #expect(throws: ClientError.self) { try await transport.send(request, token: nil) }
            #expect(error == .noResponse(server: gateway.address, why: "no response arrived in time"))
            milliseconds *= 2
        }
        let requested = gateway.requests.map(\.uri)
        #expect(Set(requested).count == requested.count, "after a timeout the request is not repeated")
    }

    @Test("a cancelled request throws CancellationError")
    func cancelled() async throws {
        let gateway = try await StubGateway { _, _ in .noResponse }
        let client = try client(gateway)
        let task = Task { try await client.devices.move(.unlock, "d") }
        while gateway.requests.isEmpty { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("a request has the headers for the token, the client's name and the content types")
    func headers() async throws {
        let gateway = try await StubGateway { _, _ in Self.unlocked }
        _ = try await client(gateway).devices.move(.unlatch, "d")
        let headers = try #require(gateway.requests.first).headers
        #expect(headers.first(name: "Authorization") == "Bearer t")
        #expect(headers.first(name: "X-Doorward-Client") == "cli")
        #expect(headers.first(name: "Accept") == "application/json")
        #expect(headers.first(name: "Content-Type") == "application/json")
    }

    @Test("a redirect is not followed, so that the token is not sent to another server")
    func redirection() async throws {
        let elsewhere = try await StubGateway { _, _ in Self.unlocked }
        let target = elsewhere.address
        let gateway = try await StubGateway { _, _ in .response(307, "", ["Location": target + "/api/v1/devices/d/unlock"]) }
        let error = await #expect(throws: ClientError.self) { try await client(gateway).devices.move(.unlock, "d") }
        #expect(error == .notAGateway(server: gateway.address))
        #expect(elsewhere.requests.isEmpty)
    }

    @Test(
        "a response that no gateway would send throws notAGateway",
        arguments: [
            (200, ""), (200, "<html>"), (200, #"{"status":"success"}"#), (200, #"{"data":{"commands":[]}}"#), (404, "not found"),
            (500, #"{"error":"x"}"#),
        ])
    func otherServers(_ status: Int, _ body: String) async throws {
        let gateway = try await StubGateway { _, _ in .response(status, body) }
        let error = await #expect(throws: ClientError.self) { try await client(gateway).devices.move(.unlock, "d") }
        #expect(error == .notAGateway(server: gateway.address))
    }

    @Test("the answer of a proxy without a connection to the gateway throws noResponse", arguments: [502, 503, 504])
    func proxies(_ status: Int) async throws {
        let proxy = try await StubGateway { _, _ in .response(status, "<html>Bad Gateway</html>") }
        let error = await #expect(throws: ClientError.self) { try await client(proxy).devices.move(.unlock, "d") }
        #expect(error == .noResponse(server: proxy.address, why: "a proxy in front of the gateway answered \(status)"))
        #expect(error.map { DoorwardError($0).isTransient } == true)
        #expect(proxy.requests.count == 1, "whether the lock has moved is not known")
    }

    @Test("a refusal contains all details of the error response")
    func apiError() async throws {
        let details = """
            {"operation":"UNLOCK","deviceId":"d","reason":"guest_window_not_started","opensAt":"2030-01-01T00:00:00.000Z",
             "rule":{"kind":"GUEST_ACCESS","id":"g","role":"GUEST"},"missing":{"role":"TENANT"},"later":{"x":1}}
            """
        let gateway = try await StubGateway { _, _ in .error(403, "guest_window_not_started", details, ["Retry-After": "7"]) }
        let error = await #expect(throws: ClientError.self) { try await client(gateway).devices.move(.unlock, "d") }
        guard case .refused(let apiError) = error else { throw try #require(error) }
        #expect((apiError.status, apiError.code, apiError.message) == (403, "guest_window_not_started", "A sentence."))
        #expect((apiError.requestID, apiError.retryAfter) == ("r-1", 7))
        #expect(apiError.denial?.opensAt == Doorward.Instant("2030-01-01T00:00:00.000Z"))
        let rule = try decoded(#"{"kind":"GUEST_ACCESS","id":"g","role":"GUEST"}"#, as: Doorward.Rule.self)
        #expect(apiError.denial?.rule == rule)
        #expect(apiError.denial?.missing?.role == "TENANT")
    }

    @Test("a refusal without details has no denial, and a validation error lists its fields")
    func bareRefusals() async throws {
        let gateway = try await StubGateway { _, before in
            before == 0
                ? .error(403, "forbidden") : .error(400, "invalid_request", #"{"fields":[{"field":"a.b","problem":"too_long"}]}"#)
        }
        let client = try client(gateway)
        for fields in [[], try decoded(#"[{"field":"a.b","problem":"too_long"}]"#, as: [FieldProblem].self)] {
            let error = await #expect(throws: ClientError.self) { try await client.devices.move(.unlock, "d") }
            guard case .refused(let apiError) = error else { throw try #require(error) }
            #expect(apiError.denial == nil)
            #expect(apiError.fields == fields)
        }
    }
}
