import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Logging
import Testing

@testable import DoorwardHTTP

@Suite struct RequestLogTests {
    /// The lines of the test's own requests. The first test of the process also requests the document of the API.
    private func lines(_ house: House) -> [String] {
        house.logs.text.split(separator: "\n").map(String.init).filter {
            $0.contains("request completed") && !$0.contains(#""route": /api/v1/openapi.json"#)
        }
    }

    @Test("Each request is logged in one line with level, method, route, status, time and id, and without its content")
    func line() async throws {
        let house = try await House()
        _ = try await house.command(
            as: .tenant, #"{"reason":"canary-reason"}"#, headers: [.requestID: "my-id-1", .idempotencyKey: "canary-key"])
        let line = try #require(lines(house).first)
        #expect(lines(house).count == 1)
        for part in [
            "debug request completed", #""method": POST"#, #""route": /api/v1/devices/:id/unlock"#, #""status": 200"#,
            #""durationMs": 0.000"#, #""request": my-id-1"#,
        ] {
            #expect(line.contains(part), "\(part) in \(line)")
        }
        let token = try await house.token(of: .tenant)
        for canary in ["canary", "hb.request.id", house.ids.door.description, token, "Tenant", "Flat door"] {
            #expect(!line.contains(canary))
        }
    }

    @Test(
        "A client's error is logged at info, a failure of the gateway or a lock as a warning",
        arguments: [
            (House.Person.tenant, ScriptedAdapter.Behaviour.confirmAtOnce, "debug"), (.stranger, .confirmAtOnce, "info"),
            (.tenant, .fail(.offline), "warning"),
        ])
    func levels(_ person: House.Person, _ behaviour: ScriptedAdapter.Behaviour, _ level: String) async throws {
        let house = try await House(behaviour: behaviour)
        _ = try await house.command(as: person)
        #expect(lines(house).map { $0.prefix(level.count) } == [level.prefix(level.count)])
    }

    @Test("Unknown paths and methods are logged without their text")
    func unknown() async throws {
        let house = try await House()
        _ = try await house.send(.get, "/api/v1/canary?token=canary")
        _ = try await house.send(.delete, "/healthz?canary=1")
        #expect(lines(house).count == 2)
        #expect(!house.logs.text.contains("canary"))
        #expect(lines(house)[0].contains(#""route": unknown"#) && lines(house)[0].contains(#""status": 404"#))
        #expect(lines(house)[1].contains(#""route": /healthz"#) && lines(house)[1].contains(#""status": 405"#))
    }

    @Test("Log lines of other modules written during a request contain its id; outside a request there is none")
    func scope() async throws {
        #expect(RequestLogging.metadataProvider.get().isEmpty)
        let head = HTTPRequest(
            method: .get, scheme: nil, authority: nil, path: "/", headerFields: [.requestID: "r-1", .traceContext: Self.trace])
        let proxies = try TrustedProxies([])
        let metadata = RequestMetadata(head, peer: PeerAddress(nil, proxies: proxies), proxies: proxies, random: RandomSource())
        await RequestMetadata.$current.withValue(metadata) {
            let metadata = await Task { RequestLogging.metadataProvider.get() }.value
            #expect(metadata["request"] == "r-1")
            #expect(metadata["trace"] == "4bf92f3577b34da6a3ce929d0e0e4736")
            #expect(metadata["parent"] == "00f067aa0ba902b7")
            #expect(metadata["span"]?.description.count == 16)
            #expect(metadata["span"] != metadata["parent"])
        }
    }

    @Test(
        "Times are written with three decimal places",
        arguments: [
            (Duration.zero, "0.000"), (.nanoseconds(999), "0.000"), (.microseconds(7), "0.007"), (.milliseconds(12), "12.000"),
            (.microseconds(1_234_567), "1234.567"), (.milliseconds(-3), "0.000"),
        ])
    func milliseconds(_ time: Duration, _ text: String) { #expect(RequestLog.milliseconds(time) == text) }

    // MARK: traceparent

    static let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test("A well-formed trace is continued with a new span")
    func goesOn() async throws {
        let house = try await House()
        for _ in 0..<2 { _ = try await house.call(.get, "/users/me", as: .tenant, headers: [.traceContext: Self.trace]) }
        let spans = lines(house).map { line in line.firstMatch(of: /"span": ([0-9a-f]{16})/).map { String($0.1) } }
        #expect(lines(house).allSatisfy { $0.contains(#""trace": 4bf92f3577b34da6a3ce929d0e0e4736"#) })
        #expect(lines(house).allSatisfy { $0.contains(#""parent": 00f067aa0ba902b7"#) })
        #expect(Set(spans).count == 2 && !spans.contains(nil))
    }

    @Test(
        "Any flags are accepted, and a later version may have further fields after them",
        arguments: [
            trace, "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-the-future-brings",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-ff",
        ])
    func wellFormed(_ text: String) { #expect(TraceContext(text)?.traceID == "4bf92f3577b34da6a3ce929d0e0e4736") }

    @Test(
        "A malformed header is ignored, and the request is still answered",
        arguments: [
            "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7", trace + "-", trace + "-more",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "0-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01", "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902bg-01", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1",
            "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.", "00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01",
        ])
    func malformed(_ text: String) async throws {
        #expect(TraceContext(text) == nil)
        let house = try await House()
        #expect(try await house.call(.get, "/users/me", as: .tenant, headers: [.traceContext: text]).status == 200)
        #expect(!house.logs.text.contains(#""trace""#))
    }

    @Test("A header that occurs twice is ignored")
    func twice() {
        var headers = HTTPFields()
        headers.append(HTTPField(name: .traceContext, value: Self.trace))
        #expect(TraceContext(headers) != nil)
        headers.append(HTTPField(name: .traceContext, value: Self.trace))
        #expect(TraceContext(headers) == nil)
    }
}
