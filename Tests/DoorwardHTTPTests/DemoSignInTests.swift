import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

@Suite("Links that sign in the people of a demo") struct DemoSignInTests {
    private static let gateway = "http://127.0.0.1:8080"
    private let clock = VirtualClock()

    private func links(seed: UInt64 = 1) -> DemoSignInLinks {
        DemoSignInLinks(password: Secret(House.password), clock: clock, random: RandomSource(SeededGenerator(seed: seed)))
    }

    private func token(_ links: DemoSignInLinks, _ email: String = "tenant@example.com") throws -> Secret<String> {
        let address = links.address(for: email, at: Self.gateway)
        return Secret(String(try #require(address.wholeMatch(of: /http:\/\/127\.0\.0\.1:8080\/#sign-in=([A-Za-z0-9_-]{22})/)?.1)))
    }

    @Test("A link is the same until it is used, works once, and is then replaced by another one")
    func once() throws {
        let links = links()
        let first = try token(links)
        #expect(try token(links).reveal() == first.reveal())
        #expect(links.take(first) == "tenant@example.com")
        #expect(links.take(first) == nil)
        let second = try token(links)
        #expect(second.reveal() != first.reveal() && links.take(second) == "tenant@example.com")
    }

    @Test("A link works for ten minutes, and one that is about to expire is replaced before, but still works")
    func expiry() throws {
        let links = links()
        let (first, other) = (try token(links), try token(links, "owner@example.com"))
        clock.advance(by: .seconds(541))
        let second = try token(links)
        #expect(second.reveal() != first.reveal())
        #expect(links.take(first) == "tenant@example.com")
        clock.advance(by: .seconds(59))
        #expect(links.take(other) == nil, "the last second of its ten minutes is over")
        #expect(links.take(second) == "tenant@example.com")
    }

    @Test("Random sequences give what a list of links with their times gives", arguments: 0..<40 as Range<UInt64>)
    func model(seed: UInt64) throws {
        var choices = SeededGenerator(seed: seed)
        let links = links(seed: seed)
        var known: [(token: String, email: String, made: Int)] = []
        var (now, used): (Int, Set<String>) = (0, [])
        for _ in 0..<60 {
            switch Int.random(in: 0..<4, using: &choices) {
            case 0:
                let step = Int.random(in: 1...300, using: &choices)
                now += step
                clock.advance(by: .seconds(step))
            case 1, 2:
                let email = ["a@x.example", "b@x.example"].randomElement(using: &choices) ?? ""
                let shown = try token(links, email).reveal()
                if let current = known.first(where: { $0.email == email && !used.contains($0.token) && now - $0.made <= 540 }) {
                    #expect(shown == current.token)
                } else {
                    #expect(!known.contains { $0.token == shown })
                    known.append((shown, email, now))
                }
            default:
                guard let one = known.randomElement(using: &choices) else { continue }
                let works = !used.contains(one.token) && now - one.made < 600
                #expect(links.take(Secret(one.token)) == (works ? one.email : nil))
                used.insert(one.token)
            }
        }
    }

    @Test("Of many requests with one link at the same time, one gets a session")
    func race() async throws {
        let links = links()
        let token = try token(links)
        let taken = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<100 { group.addTask { links.take(token) } }
            return await group.reduce(into: [String]()) { if let email = $1 { $0.append(email) } }
        }
        #expect(taken == ["tenant@example.com"])
    }

    @Test("No other gateway has the route")
    func absent() async throws {
        #expect(!RouteTable.routes.contains { $0.path.contains("demo") })
        let reply = try await House(withPasswords: true).call(
            .post, "//demo/sign-in", #"{"token":"\#(try token(links()).reveal())"}"#)
        #expect(reply.status == 404)
    }

    @Test("Over a loopback connection a link signs in once, and not through a proxy; its secret is in no log")
    func served() async throws {
        let house = try await House(withPasswords: true)
        let links = links()
        var settings = HTTPSettings()
        settings.port = 0
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        let server = try GatewayServer(
            control: house.control, settings: settings, tokenKey: house.signingKey, simulator: nil, logger: house.logs.logger,
            demoSignIns: links
        ) { continuation.yield($0) }
        let running = Task { try await server.run() }
        defer { running.cancel() }
        let port = try #require(await ports.first { _ in true })
        func open(_ body: String, _ headers: String = "") async throws -> String {
            let connection = try RawConnection(port: port)
            connection.send(
                "POST /demo/sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
                    + "\(headers)Connection: close\r\n\r\n\(body)")
            return await connection.rest()
        }
        let token = try token(links).reveal()
        let body = #"{"token":"\#(token)"}"#
        #expect(try await open(body, "X-Real-IP: 127.0.0.1\r\n").hasPrefix("HTTP/1.1 404"))
        #expect(try await open(#"{"token":"\#(token)","email":"owner@example.com"}"#).hasPrefix("HTTP/1.1 400"))
        let reply = try await open(body, "X-Doorward-Client: console\r\n")
        #expect(reply.hasPrefix("HTTP/1.1 200") && reply.contains("tenant@example.com"))
        // The console gets the refresh token in a cookie only.
        #expect(reply.lowercased().contains("set-cookie: __secure-doorward-refresh=") && !reply.contains("refreshToken"))
        #expect(try await open(body).hasPrefix("HTTP/1.1 401"))
        #expect(!house.logs.text.contains(token), "the secret is in no line of the log")
    }
}
