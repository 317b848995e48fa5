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

    indirect enum StubResponse: Sendable {
        case response(Int, String, [String: String] = [:])
        /// Closes the connection without a response.
        case closeConnection
        /// Sends nothing and keeps the connection open.
        case noResponse
        /// Sends the response when the wait is over.
        case delayed(StubResponse, until: @Sendable () async -> Void)

        static func data(_ json: String) -> StubResponse { .response(200, #"{"status":"success","data":\#(json)}"#) }

        static func error(_ status: Int, _ code: String, _ details: String = "{}", _ headers: [String: String] = [:])
            -> StubResponse
        {
            .response(
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
    init(tls: NIOSSLContext? = nil, _ respond: @escaping @Sendable (Request, Int) -> StubResponse) async throws {
        let handler = RequestHandler()
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
                    try channel.pipeline.syncOperations.addHandler(HTTPHandler(handler))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        address = "\(tls == nil ? "http" : "https")://127.0.0.1:\(channel.localAddress?.port ?? 0)"
        handler.respond.withLock { $0 = { [weak self] in self?.response(to: $0, respond) ?? .closeConnection } }
    }

    deinit { channel.close(promise: nil) }

    private func response(to request: Request, _ respond: (Request, Int) -> StubResponse) -> StubResponse {
        let earlierRequests = received.withLock { requests in
            requests.append(request)
            return requests.count - 1
        }
        return respond(request, earlierRequests)
    }
}

/// Connects the channel handlers with the gateway, which listens before it is fully initialised.
private final class RequestHandler: Sendable {
    let respond = Mutex<@Sendable (StubGateway.Request) -> StubGateway.StubResponse>({ _ in .closeConnection })
}

private final class HTTPHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let handler: RequestHandler
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()

    init(_ handler: RequestHandler) { self.handler = handler }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): (self.head, body) = (head, ByteBuffer())
        case .body(var part): body.writeBuffer(&part)
        case .end:
            guard let head else { return }
            let request = StubGateway.Request(
                method: head.method, uri: head.uri, headers: head.headers, body: String(buffer: body))
            respond(with: handler.respond.withLock({ $0 })(request), context)
        }
    }

    private func respond(with response: StubGateway.StubResponse, _ context: ChannelHandlerContext) {
        switch response {
        case .response(let status, let text, let headers): respond(context, status, text, headers)
        case .closeConnection: context.close(promise: nil)
        case .noResponse: break
        case .delayed(let held, let wait):
            let (loop, bound) = (context.eventLoop, NIOLoopBound((self, context), eventLoop: context.eventLoop))
            Task {
                await wait()
                loop.execute { bound.value.0.respond(with: held, bound.value.1) }
            }
        }
    }

    private func respond(_ context: ChannelHandlerContext, _ status: Int, _ text: String, _ headers: [String: String]) {
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
