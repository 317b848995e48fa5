import DoorwardControl
import DoorwardDomain
import DoorwardStore
import Hummingbird
import NIOCore

/// The same HTTP server with two other routes. The first route only returns a small JSON: its rate
/// is the maximum that the server's library and the machine can reach. The second route awaits two
/// transactions of one row each before it responds: its rate shows the minimum cost of durability.
struct BareServer {
    let port: Int
    private let server: Task<Void, any Error>

    /// - Parameter store: the store in which the second route commits.
    static func start(store: SQLiteStore) async throws -> BareServer {
        let router = Router()
        let random = RandomSource()
        router.get("bare") { _, _ in Self.answer }
        router.get("floor") { _, _ in
            for _ in 0..<2 {
                let now = SystemClock().now()
                let id: CommandID = random.id(at: now)
                let entry = IdempotencyEntry(
                    key: IdempotencyKey(principal: "floor", key: "\(id)"), fingerprint: [], result: .command(id), createdAt: now)
                _ = try await store.commit(StoreTransaction(idempotency: [entry]))
            }
            return Self.answer
        }
        let (ports, opened) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in opened.yield(channel.localAddress?.port ?? 0) }, logger: quietLogger)
        let running = Task { try await application.run() }
        return BareServer(port: await ports.first { _ in true } ?? 0, server: running)
    }

    func stop() async {
        server.cancel()
        _ = await server.result
    }

    private static var answer: Response {
        Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: #"{"status":"success","data":{"answer":42}}"#)))
    }

    /// - Parameter route: `bare` or `floor`.
    func request(_ route: String) -> String {
        "GET /\(route) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAccept: application/json\r\n\r\n"
    }
}
