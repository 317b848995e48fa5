import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import DoorwardHTTP

/// The server on a socket, on a port chosen by the system.
@Suite struct GatewayServerTests {
    private func serving(
        _ house: House, settings given: HTTPSettings = HTTPSettings(),
        _ body: @escaping @Sendable (TestClient, _ port: Int) async throws -> Void
    ) async throws {
        var settings = given
        settings.port = 0
        // The server must not close a client's connection as idle on a machine that is busy for a minute.
        settings.idleTimeout = .seconds(3600)
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        let server = try GatewayServer(
            control: house.control, settings: settings, tokenKey: house.signingKey, simulator: nil, logger: house.logs.logger
        ) { port in
            continuation.yield(port)
            continuation.finish()
        }
        let running = Task { try await server.run() }
        let port = try #require(await ports.first { _ in true })
        // The client's timeout is long for the same reason: response times are not tested here.
        let client = TestClient(host: "127.0.0.1", port: port, configuration: .init(timeout: .seconds(3600)))
        client.connect()
        do {
            try await body(client, port)
            // The server may have closed the connection already.
            try? await client.close()
            running.cancel()
            try await running.value
        } catch {
            running.cancel()
            throw error
        }
    }

    @Test("Links name the port that the system chose")
    func linkPort() async throws {
        let house = try await House()
        let token = try await house.token(of: .superAdmin)
        try await serving(house) { client, port in
            let reset = try await client.execute(
                .init(
                    "/api/v1/users/\(house.ids[.guest])/password-reset", method: .post, authority: "localhost",
                    headers: [.authorization: "Bearer \(token)"]))
            #expect(reset.status == .created)
            let body = String(buffer: try #require(reset.body))
            #expect(body.contains("http://127.0.0.1:\(port)/reset-password#token="), "\(body)")
        }
    }

    @Test("It answers on the reported port, executes commands, and stops when cancelled")
    func lifecycle() async throws {
        let house = try await House()
        let token = try await house.token(of: .tenant)
        try await serving(house) { client, _ in
            let health = try await client.execute(.init("/healthz", method: .get, authority: "localhost", headers: [:]))
            #expect(health.status == .ok)
            let unlock = try await client.execute(
                .init(
                    "/api/v1/devices/\(house.ids.door)/unlock", method: .post, authority: "localhost",
                    headers: [.authorization: "Bearer \(token)"]))
            #expect(unlock.status == .ok)
        }
        #expect(house.adapter.sentCommands.count == 1)
        let log = house.store.log(.portfolio(house.ids.portfolio))
        #expect(log.first?.body.clientAddress == "127.0.0.1")
    }

    @Test("Headers beyond the size limit are rejected")
    func headers() async throws {
        let house = try await House()
        try await serving(house) { client, _ in
            let huge = try await client.execute(
                .init(
                    "/healthz", method: .get, authority: "localhost",
                    headers: [.userAgent: String(repeating: "x", count: HTTPSettings.maxHeaderBytes + 1)]))
            // The library responds before the gateway sees the request, so there is no envelope; see docs/api-limits.md.
            #expect(huge.status == .badRequest)
            #expect(huge.headers[.connection] == "close")
            #expect((huge.body?.readableBytes ?? 0) == 0)
        }
    }

    @Test("Invalid settings are rejected before the server starts")
    func settings() async throws {
        let house = try await House()
        var settings = HTTPSettings()
        settings.trustedProxies = ["proxy.example.org"]
        #expect(throws: TrustedProxies.Malformed.self) {
            _ = try GatewayServer(
                control: house.control, settings: settings, tokenKey: try TokenKey(random: RandomSource()), simulator: nil,
                logger: house.logs.logger)
        }
        settings.trustedProxies = []
        settings.tls = .init(certificatePath: "/nowhere/certificate.pem", privateKeyPath: "/nowhere/key.pem")
        let server = try GatewayServer(
            control: house.control, settings: settings, tokenKey: try TokenKey(random: RandomSource()), simulator: nil,
            logger: house.logs.logger)
        await #expect(throws: (any Error).self) { try await server.run() }
    }

    @Test("A stored key is read back unchanged, and each purpose has its own derived key")
    func tokenKey() throws {
        let key = try TokenKey(random: RandomSource())
        let kept = try TokenKey(rawRepresentation: key.rawRepresentation)
        #expect(kept.keyID == key.keyID)
        #expect(key.keyID.utf8.count == 16)
        #expect(try TokenKey(random: RandomSource()).keyID != key.keyID)
        #expect(kept.derivedKey(for: "a") == key.derivedKey(for: "a"))
        #expect(key.derivedKey(for: "a") != key.derivedKey(for: "b"))
        #expect(throws: (any Error).self) { try TokenKey(rawRepresentation: Secret([1, 2, 3])) }
    }
}
