internal import DoorwardControl
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore

/// The first handler of a request: assigns its id, finds its endpoint, and adds the id to the response.
struct GatewayResponder: HTTPResponder {
    let router: RouterResponder<GatewayContext>
    let services: Services
    /// The log for requests with a path that no endpoint can have.
    let unknownLog: RequestLog

    func respond(to request: Request, context: GatewayContext) async -> Response {
        let metadata = RequestMetadata(
            request.head, peer: context.peer(services.proxies), proxies: services.proxies, random: services.control.random)
        var context = context
        context.metadata = metadata
        var response = await RequestMetadata.$current.withValue(metadata) { await counted(request, context, metadata) }
        response.headers[.requestID] = metadata.requestID
        return response
    }

    /// If the peer is a trusted proxy, counts the request for the client behind the proxy, as a connection of that client would
    /// be counted.
    private func counted(_ request: Request, _ context: GatewayContext, _ metadata: RequestMetadata) async -> Response {
        guard metadata.peer.isTrustedProxy else { return await answered(request, context, metadata) }
        guard let slot = ForwardedRequestSlot(ClientNetwork(metadata.origin.clientAddress), in: services.connections) else {
            return ErrorResponse(.rateLimited(retryAfterSeconds: 1)) { $1.null() }.answer(metadata).response()
        }
        var context = context
        context.slot = slot
        // A streamed response keeps the context, and so the slot, until the end of its body.
        return await answered(request, context, metadata)
    }

    private func answered(_ request: Request, _ context: GatewayContext, _ metadata: RequestMetadata) async -> Response {
        // The router compares paths as text, so it gets only ASCII paths.
        guard metadata.hasPlainPath else { return UnknownPath.answer(metadata, context, unknownLog) }
        do {
            return try await router.respond(to: request.withCommonMethod, context: context)
        } catch {
            context.requestLogger.error("the router failed", metadata: ["error": "\(error)"])
            return ErrorResponse.internal.answer(metadata).response()
        }
    }
}

/// A slot in the table of connections, for one request of a client behind a trusted proxy. The slot
/// is released when this object is freed.
final class ForwardedRequestSlot: Sendable {
    private let network: ClientNetwork
    private let table: ConnectionTable

    /// `nil` if the client has as many requests in progress as one address may have connections.
    init?(_ network: ClientNetwork, in table: ConnectionTable) {
        (self.network, self.table) = (network, table)
        guard table.beginForwarded(network) else { return nil }
    }

    deinit { table.finishForwarded(network) }
}

extension Request {
    /// The request with a method that the router supports: any other method is replaced by OPTIONS, which no path supports.
    fileprivate var withCommonMethod: Request {
        guard !RouteTable.commonMethods.contains(method) else { return self }
        var head = head
        head.method = .options
        return Request(head: head, body: body)
    }
}

/// Responds to requests with a path that no endpoint has.
struct UnknownPath: RouterMiddleware {
    private let log: RequestLog

    init(_ log: RequestLog) { self.log = log }

    func handle(
        _ request: Request, context: GatewayContext, next: (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        guard let metadata = context.metadata else { return try await next(request, context) }
        return Self.answer(metadata, context, log)
    }

    static func answer(_ metadata: RequestMetadata, _ context: GatewayContext, _ log: RequestLog) -> Response {
        log.end(404, since: log.begin(), metadata, context)
        return ErrorResponse.pathUnknown.answer(metadata).response()
    }
}

/// The context in which the server handles one request.
struct GatewayContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection in the `ConnectionTable`; `nil` for a request without one, as in tests of routes.
    let connection: ClientConnection?
    let client: ClientPresence
    /// The metadata of the request; set by `GatewayResponder`.
    var metadata: RequestMetadata?
    /// The slot that the request occupies if its client is behind a trusted proxy; held until the response has been sent.
    var slot: ForwardedRequestSlot?
    private let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        connection = ClientConnection.current
        client = ClientPresence(source.channel)
    }

    /// Identifies the connection in the `ConnectionTable`.
    var connectionID: ObjectIdentifier { ObjectIdentifier(channel) }

    /// The address of the peer.
    func peer(_ proxies: TrustedProxies) -> PeerAddress {
        connection?.peer ?? PeerAddress(channel.remoteAddress?.ipAddress, proxies: proxies)
    }

    /// The logger with the metadata of the request. It is created for each log line, because most requests log nothing.
    var requestLogger: Logger {
        var logger = logger
        // Remove the number that Hummingbird gives the request: each request has one id in the log.
        logger[metadataKey: "hb.request.id"] = nil
        for (key, value) in metadata?.logMetadata ?? [:] { logger[metadataKey: key] = value }
        return logger
    }
}
