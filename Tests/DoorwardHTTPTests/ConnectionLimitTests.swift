import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import DoorwardHTTP

/// Limits on connections, tested with the server on a socket. Time is virtual.
@Suite(.timeLimit(.minutes(30))) struct ConnectionLimitTests {
    private struct Running: Sendable {
        let house: House
        let server: GatewayServer
        let port: Int

        func connect(from source: UInt8 = 1) throws -> RawConnection { try RawConnection(port: port, from: source) }

        /// Advances the clock until the condition is true.
        func pass(until isSo: () -> Bool) async {
            while !isSo() { await house.clock.pass(.seconds(1)) }
        }
    }

    private func serving(
        _ change: (inout HTTPSettings) -> Void = { _ in }, _ body: @escaping @Sendable (Running) async throws -> Void
    ) async throws {
        var settings = HTTPSettings()
        settings.port = 0
        change(&settings)
        let house = try await House(settings: settings)
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        let server = try GatewayServer(
            control: house.control, settings: settings, tokenKey: house.signingKey, simulator: nil, logger: house.logs.logger
        ) { continuation.yield($0) }
        let running = Task { try await server.run() }
        do {
            let port = try #require(await ports.first { _ in true })
            try await body(Running(house: house, server: server, port: port))
        } catch {
            running.cancel()
            throw error
        }
        running.cancel()
        try? await running.value
    }

    private func request(_ method: String, _ path: String, _ headers: String...) -> String {
        "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n" + headers.map { "\($0)\r\n" }.joined() + "\r\n"
    }

    @Test("Connections with slowly sent bodies or an endless head are closed, and none of their requests is carried out")
    func trickle() async throws {
        try await serving { running in
            let token = try await running.house.token(of: .tenant)
            let unlock = "/api/v1/devices/\(running.house.ids.door)/unlock"
            let trickling = try (0..<20).map { _ in try running.connect() }
            for connection in trickling {
                connection.send(
                    request(
                        "POST", unlock, "Authorization: Bearer \(token)", "Content-Type: application/json",
                        "Content-Length: 60000"))
            }
            let endless = try running.connect()
            endless.send("GET /healthz HTTP/1.1\r\nHost: local")
            while running.server.connections.counts.open < 21 { await Task.yield() }
            let ends = Seen<Int>(0)
            let reading = (trickling + [endless]).map { connection in
                Task {
                    _ = await connection.rest()
                    ends.change { $0 += 1 }
                }
            }
            await running.pass {
                for connection in trickling { connection.send(" ") }
                endless.send("h")
                return ends.value == 21
            }
            for task in reading { await task.value }
            #expect(running.house.adapter.sentCommands.isEmpty)
            #expect(!running.house.logs.text.contains("failed with an internal error"), "\(running.house.logs.text)")
            let health = try running.connect()
            health.send(request("GET", "/healthz", "Connection: close"))
            #expect(await health.rest().hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test("Idle connections do not keep the next request from being answered, and a signed-in connection stays open")
    func idle() async throws {
        try await serving {
            ($0.maxConnections, $0.maxConnectionsPerAddress) = (16, 16)
        } _: { running in
            let token = try await running.house.token(of: .tenant)
            let tenant = try running.connect(from: 2)
            let me = request("GET", "/api/v1/users/me", "Authorization: Bearer \(token)")
            tenant.send(me)
            #expect(await tenant.head().hasPrefix("HTTP/1.1 200"))
            var idle: [RawConnection] = []
            for round in 1...5 {
                for _ in 0..<20 { idle.append(try running.connect()) }
                let stranger = try running.connect(from: 3)
                stranger.send(request("GET", "/healthz", "Connection: close"))
                #expect(await stranger.rest().hasPrefix("HTTP/1.1 200"), "round \(round)")
            }
            #expect(running.server.connections.counts.open <= 16)
            tenant.send(me)
            #expect(await tenant.head().hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test("Behind a trusted proxy the limit is per client, and the proxy itself has none")
    func proxy() async throws {
        try await serving {
            ($0.trustedProxies, $0.maxConnectionsPerAddress) = (["127.0.0.1"], 2)
        } _: { running in
            let held = try (0..<2).map { _ in try running.connect() }
            for connection in held {
                connection.send(
                    request(
                        "POST", "/api/v1/auth/refresh", "X-Forwarded-For: 198.51.100.7", "Content-Type: application/json",
                        "Content-Length: 10"))
            }
            func status(for client: String) async throws -> String {
                let connection = try running.connect()
                connection.send(request("GET", "/healthz", "X-Forwarded-For: \(client)", "Connection: close"))
                return String(await connection.rest().prefix(12))
            }
            // The table is read directly: a trial request could take the place of a held request,
            // and the held request would then get 429.
            let (table, client) = (running.server.connections, ClientNetwork("198.51.100.7"))
            while table.forwardedCount(of: client) < 2 { try await Self.yield() }
            #expect(try await status(for: "198.51.100.7") == "HTTP/1.1 429")
            #expect(try await status(for: "198.51.100.8") == "HTTP/1.1 200")
            for connection in held { connection.send("{\"a\":  12}") }
            for connection in held { #expect(await connection.head().hasPrefix("HTTP/1.1 400")) }
            while table.forwardedCount(of: client) > 0 { try await Self.yield() }
            #expect(try await status(for: "198.51.100.7") == "HTTP/1.1 200")
        }
    }

    private static func yield() async throws {
        try Task.checkCancellation()
        await Task.yield()
    }

    @Test(
        "A request whose body ends before its declared length is not carried out",
        arguments: ["Content-Length: 10", "Transfer-Encoding: chunked"])
    func incomplete(_ framing: String) async throws {
        // The token must still be valid when the server is done.
        try await serving {
            $0.accessTokenLifetime = .seconds(30 * 86_400)
        } _: { running in
            let token = try await running.house.token(of: .tenant)
            let connection = try running.connect()
            connection.send(
                request(
                    "POST", "/api/v1/devices/\(running.house.ids.door)/unlock", "Authorization: Bearer \(token)",
                    "Content-Type: application/json", framing) + (framing.hasPrefix("C") ? "{}" : "2\r\n{}\r\n"))
            connection.finish()
            // The server may wait for more bytes until its timeout.
            let end = Seen<String?>(nil)
            let reading = Task {
                let text = await connection.rest()
                end.change { $0 = text }
            }
            await running.pass { end.value != nil }
            await reading.value
            let answer = end.value ?? ""
            #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400"), "\(answer)")
            #expect(running.house.adapter.sentCommands.isEmpty)
            #expect(!running.house.logs.text.contains("failed with an internal error"), "\(running.house.logs.text)")
        }
    }
}
