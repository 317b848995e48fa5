import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import DoorwardHTTP

/// Work for a client that may disconnect before the response.
@Suite(.timeLimit(.minutes(30))) struct ClientPresenceTests {
    @Test("A list is cancelled when its client disconnects")
    func leaves() async throws {
        let (begun, ended, never) = (
            AsyncStream<Void>.makeStream(), AsyncStream<Bool>.makeStream(), AsyncStream<Void>.makeStream()
        )
        try await serving { _, context in
            try await context.client.whileConnected {
                begun.continuation.yield()
                for await _ in never.stream {}
                ended.continuation.yield(Task.isCancelled)
            }
        } body: { client in
            let call = Task { try await client.execute(.init("/", method: .get, authority: "localhost", headers: [:])) }
            for await _ in begun.stream { break }
            try await client.close()
            let wasCancelled = await ended.stream.first { _ in true }
            #expect(wasCancelled == true)
            _ = try? await call.value
        }
        never.continuation.finish()
    }

    @Test("A client that stays connected gets several responses over one connection")
    func stays() async throws {
        try await serving { _, context in
            try await context.client.whileConnected { await Task.yield() }
        } body: { client in
            for _ in 0..<3 {
                let answer = try await client.execute(.init("/", method: .get, authority: "localhost", headers: [:]))
                #expect(answer.status == .ok)
                #expect(answer.headers[.connection] != "close")
            }
            try await client.close()
        }
    }

    @Test("A watcher is called once; a late watcher is called immediately, and an ended watcher is not called")
    func watches() {
        let disconnection = Disconnection()
        let told = Seen<[Int]>([])
        let first = disconnection.watch { told.change { $0.append(1) } }
        _ = disconnection.watch { told.change { $0.append(2) } }
        first()
        disconnection.signal()
        disconnection.signal()
        #expect(told.value == [2])
        _ = disconnection.watch { told.change { $0.append(3) } }
        #expect(told.value == [2, 3])
    }

    /// Runs a server with a gateway's connection settings. It responds to every request with 200 after `work`.
    private func serving(
        _ work: @escaping @Sendable (Request, GatewayContext) async throws -> Void,
        body: @escaping @Sendable (TestClient) async throws -> Void
    ) async throws {
        let ports = AsyncStream<Int>.makeStream()
        let responder = CallbackResponder<GatewayContext> { request, context in
            try await work(request, context)
            return Response(status: .ok)
        }
        let application = Application(
            responder: responder, server: .http1(configuration: GatewayServer.channelConfiguration()),
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { ports.continuation.yield($0.localAddress?.port ?? 0) }, logger: LogCatcher().logger)
        let running = Task { try await application.run() }
        let port = try #require(await ports.stream.first { _ in true })
        let client = TestClient(host: "127.0.0.1", port: port, configuration: .init(timeout: .seconds(3600)))
        client.connect()
        defer { running.cancel() }
        try await body(client)
        running.cancel()
        try? await running.value
    }
}
