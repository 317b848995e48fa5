import DoorwardClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// A server on a loopback port that answers as a test requires, or not at all.
final class StubGateway: Sendable {
    struct Request: Sendable {
        let method: HTTPMethod
        let uri: String
        let headers: HTTPHeaders
        let body: String

        var token: String? { headers.first(name: "Authorization") }
        var key: String? { headers.first(name: "Idempotency-Key") }
    }

    indirect enum TransportResponse: Sendable {
        case answer(Int, String, [String: String] = [:])
        /// Closes the connection without a response.
        case cut
        /// Sends nothing and keeps the connection open.
        case silence
        /// Sends the response when the wait is over.
        case held(TransportResponse, until: @Sendable () async -> Void)

        static func data(_ json: String) -> TransportResponse { .answer(200, #"{"status":"success","data":\#(json)}"#) }

        static func error(_ status: Int, _ code: String, _ details: String = "{}", _ headers: [String: String] = [:])
            -> TransportResponse
        {
            .answer(
                status,
                #"{"status":"error","code":"\#(code)","message":"A sentence.","details":\#(details),"requestId":"r-1"}"#, headers)
        }
    }

    private let received = Mutex<[Request]>([])
    private let channel: any NIOCore.Channel

    var requests: [Request] { received.withLock { $0 } }
    let address: String

    /// - Parameters:
    ///   - tls: `nil` for plain HTTP.
    ///   - respond: Receives each request and the number of requests before it.
    init(tls: NIOSSLContext? = nil, _ respond: @escaping @Sendable (Request, Int) -> TransportResponse) async throws {
        let link = Link()
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
                    try channel.pipeline.syncOperations.addHandler(Responder(link))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        address = "\(tls == nil ? "http" : "https")://127.0.0.1:\(channel.localAddress?.port ?? 0)"
        link.respond.withLock { $0 = { [weak self] in self?.reply(to: $0, respond) ?? .cut } }
    }

    deinit { channel.close(promise: nil) }

    private func reply(to request: Request, _ respond: (Request, Int) -> TransportResponse) -> TransportResponse {
        let before = received.withLock { requests in
            requests.append(request)
            return requests.count - 1
        }
        return respond(request, before)
    }
}

/// Connects the channel handlers with the gateway, which listens before it is fully initialised.
private final class Link: Sendable {
    let respond = Mutex<@Sendable (StubGateway.Request) -> StubGateway.TransportResponse>({ _ in .cut })
}

private final class Responder: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let link: Link
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()

    init(_ link: Link) { self.link = link }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): (self.head, body) = (head, ByteBuffer())
        case .body(var part): body.writeBuffer(&part)
        case .end:
            guard let head else { return }
            let request = StubGateway.Request(
                method: head.method, uri: head.uri, headers: head.headers, body: String(buffer: body))
            reply(link.respond.withLock({ $0 })(request), context)
        }
    }

    private func reply(_ reply: StubGateway.TransportResponse, _ context: ChannelHandlerContext) {
        switch reply {
        case .answer(let status, let text, let headers): answer(context, status, text, headers)
        case .cut: context.close(promise: nil)
        case .silence: break
        case .held(let held, let wait):
            let (loop, bound) = (context.eventLoop, NIOLoopBound((self, context), eventLoop: context.eventLoop))
            Task {
                await wait()
                loop.execute { bound.value.0.reply(held, bound.value.1) }
            }
        }
    }

    private func answer(_ context: ChannelHandlerContext, _ status: Int, _ text: String, _ headers: [String: String]) {
        var head = HTTPResponseHead(version: .http1_1, status: HTTPResponseStatus(statusCode: status))
        for (name, value) in headers { head.headers.add(name: name, value: value) }
        head.headers.replaceOrAdd(name: "Content-Length", value: String(text.utf8.count))
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}

extension DoorwardClient {
    /// Makes a client whose time limits are long enough for a busy machine.
    init(patient server: String, credentials: Credentials, source: String? = nil) throws(ClientError) {
        try self.init(server: server, credentials: credentials, source: source, timeLimit: .seconds(3600))
    }
}
