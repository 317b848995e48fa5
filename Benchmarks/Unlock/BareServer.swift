import Hummingbird
import NIOCore

/// The same HTTP server with one route that answers a small JSON and does nothing else: what the server's library and the
/// machine give at best.
struct BareServer {
    let port: Int
    private let server: Task<Void, any Error>

    static func start() async throws -> BareServer {
        let router = Router()
        router.get("bare") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: #"{"status":"success","data":{"answer":42}}"#)))
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

    var request: String { "GET /bare HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAccept: application/json\r\n\r\n" }
}
