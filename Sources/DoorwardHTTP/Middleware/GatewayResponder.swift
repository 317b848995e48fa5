internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy
internal import HTTPTypes
internal import Hummingbird
package import Logging
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

    /// Responds to a request of a bulk. It is part of the bulk's own slot.
    func respond(toItem request: Request, _ context: GatewayContext, _ metadata: RequestMetadata) async -> Response {
        var context = context
        context.metadata = metadata
        return await RequestMetadata.$current.withValue(metadata) { await answered(request, context, metadata) }
    }

    /// If the peer is a trusted proxy, counts the request for the client behind the proxy, as a connection of that client would
    /// be counted.
    private func counted(_ request: Request, _ context: GatewayContext, _ metadata: RequestMetadata) async -> Response {
        guard metadata.peer.isTrustedProxy else { return await answered(request, context, metadata) }
        guard let slot = ForwardedRequestSlot(ClientNetwork(metadata.origin.clientAddress), in: services.connections) else {
            return ErrorResponse(.rateLimited(retryAfterSeconds: 1)).answer(metadata).response()
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

/// The metadata of a request, read before the request is checked. A class, so that passing it on retains one reference.
final class RequestMetadata: Sendable {
    let method: HTTPRequest.Method
    /// The path without the query, as sent. It is not decoded and can contain any bytes. MUST NOT
    /// be compared unless `hasPlainPath` is true.
    let path: String
    /// The query as sent. It can contain any bytes; `QueryReader` decodes it.
    let query: String?
    let headers: RequestHeaders
    /// The `Host`; `nil` if the request has none.
    let authority: String?
    /// The id that the client sent; a generated id if the client sent no valid one.
    let requestID: String
    /// The origin for records. Its client address is the address of the peer or, if the peer is a trusted proxy, the forwarded
    /// address; `nil` if the transport has none.
    let origin: RequestOrigin
    /// The address of the peer.
    let peer: PeerAddress
    /// The trace that the request is part of, if it has a valid `traceparent`.
    let trace: TraceContext?
    /// Whether the request is part of a bulk, which has reserved the memory for its response.
    let isItem: Bool
    /// The gateway's own span of the trace.
    private let span: String?

    /// The metadata of the request that the current task handles, added to every log line of the request; `nil` outside a
    /// request.
    @TaskLocal static var current: RequestMetadata?

    init(_ head: HTTPRequest, peer: PeerAddress, proxies: TrustedProxies, random: RandomSource) {
        (method, authority, isItem) = (head.method, head.authority, false)
        (path, query) = Self.parts(ofTarget: head.path ?? "/")
        headers = RequestHeaders(head.headerFields)
        requestID = Self.validRequestID(headers[.requestID]) ?? random.hexadecimal(byteCount: 16)
        let source: RecordSource =
            switch headers[.doorwardClient] {
            case "cli": .cli
            case "console": .console
            default: .api
            }
        let clientAddress = proxies.client(peer: peer, forwardedFor: headers[.forwardedFor])
        origin = RequestOrigin(source: source, clientAddress: clientAddress, requestID: requestID)
        self.peer = peer
        trace = TraceContext(head.headerFields)
        span = trace.map { _ in TraceContext.newSpanID(random) }
    }

    /// The metadata of a request of a bulk: origin and trace are those of the call. The id is that of the call with the request's number
    /// after it, so that records and log lines of the request name the call, too.
    ///
    /// - Parameter number: the position in the bulk, from 0.
    init(_ head: HTTPRequest, number: Int, of call: RequestMetadata) {
        (method, authority, peer, trace, span) = (head.method, call.authority, call.peer, call.trace, call.span)
        isItem = true
        (path, query) = Self.parts(ofTarget: head.path ?? "/")
        headers = RequestHeaders(head.headerFields)
        let suffix = "/\(number)"
        requestID = call.requestID.prefix(WireLimits.requestIDCharacters.upperBound - suffix.utf8.count) + suffix
        origin = RequestOrigin(source: call.origin.source, clientAddress: call.origin.clientAddress, requestID: requestID)
    }

    private static func parts(ofTarget target: String) -> (path: String, query: String?) {
        let parts = target.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        let query = parts.count > 1 ? String(Substring(parts[1].prefix { $0 != UInt8(ascii: "#") })) : nil
        return (String(Substring(parts[0])), query)
    }

    /// Whether the path is visible ASCII, as every path of the API is (RFC 3986, section 3.3).
    var hasPlainPath: Bool { path.isVisibleASCII }

    /// Whether the client asks for errors in the format of RFC 9457.
    var wantsProblem: Bool { headers[.accept]?.lowercased().contains("application/problem+json") ?? false }

    /// The log metadata: `request`; for a request that is part of a trace also `trace`, `span` (this gateway's own) and `parent` (the
    /// caller's). Created only for a line that is logged.
    var logMetadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["request": .string(requestID)]
        if let trace, let span {
            metadata["trace"] = .string(trace.traceID)
            metadata["parent"] = .string(trace.parentID)
            metadata["span"] = .string(span)
        }
        return metadata
    }

    private static func validRequestID(_ id: String?) -> String? {
        guard let id, WireLimits.requestIDCharacters.contains(id.utf8.count), id.isVisibleASCII else { return nil }
        return id
    }
}

/// Adds the metadata of the request to the log lines of every module, as part of the program's logging system.
package enum RequestLogging {
    /// The metadata of the request that the current task handles; empty outside a request.
    package static let metadataProvider = Logger.MetadataProvider { RequestMetadata.current?.logMetadata ?? [:] }
}

extension String {
    /// Whether all characters are visible ASCII characters. A space is not visible.
    var isVisibleASCII: Bool { utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}

/// The headers of a request, read as ASCII: each header that the gateway reads is ASCII by its grammar, and operations on ASCII text
/// need no Unicode normalisation.
struct RequestHeaders: Sendable {
    private let fields: HTTPFields

    init(_ fields: HTTPFields) { self.fields = fields }

    /// The value, with several fields of the same name joined by `, `; `nil` for an absent header. A byte that is not ASCII is read
    /// as DEL, which no header may contain.
    subscript(_ name: HTTPField.Name) -> String? {
        var value: String?
        // Iterate once: the library's own lookup iterates twice, and creates a new string even for a single value.
        for field in fields where field.name == name {
            value = value.map { "\($0), \(field.value)" } ?? field.value
        }
        return value.map(Self.ascii)
    }

    /// The values of all fields of that name.
    subscript(values name: HTTPField.Name) -> [String] { fields[values: name].map(Self.ascii) }

    private static func ascii(_ value: String) -> String {
        guard !value.utf8.allSatisfy({ $0 < 0x80 }) else { return value }
        // Only ASCII bytes remain, so this is valid UTF-8.
        return String(decoding: value.utf8.map { $0 < 0x80 ? $0 : 0x7F }, as: UTF8.self)
    }
}

/// The trace that a request is part of (W3C Trace Context, level 1, header `traceparent`).
struct TraceContext: Hashable, Sendable {
    /// The id of the whole trace: 32 lower-case hexadecimal digits.
    let traceID: String
    /// The id of the caller's span: 16 lower-case hexadecimal digits.
    let parentID: String

    init?(_ headers: HTTPFields) {
        // A duplicate header is ambiguous and therefore ignored.
        guard headers[fields: .traceContext].count == 1, let text = headers[.traceContext] else { return nil }
        self.init(text)
    }

    /// - Returns: `nil` for a malformed text, which is ignored as a whole (sections 3.2.2 and 4.3).
    init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count >= 4, let version = Self.hexadecimal(parts[0], 2), version != "ff",
            // A later version may have further parts after the flags; version 00 may not.
            parts.count == 4 || version != "00",
            let trace = Self.hexadecimal(parts[1], 32), trace.contains(where: { $0 != "0" }),
            let parent = Self.hexadecimal(parts[2], 16), parent.contains(where: { $0 != "0" }),
            Self.hexadecimal(parts[3], 2) != nil
        else { return nil }
        (traceID, parentID) = (trace, parent)
    }

    private static func hexadecimal(_ part: Substring.UTF8View, _ count: Int) -> String? {
        let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) }
        return part.count == count && part.allSatisfy(isDigit) ? String(Substring(part)) : nil
    }

    /// The id of a new span of this gateway: 64 random bits, never all zero.
    static func newSpanID(_ random: RandomSource) -> String {
        let id = random.hexadecimal(byteCount: 8)
        return id.contains { $0 != "0" } ? id : String(id.dropLast()) + "1"
    }
}

/// The proxies whose `X-Forwarded-For` is trusted.
struct TrustedProxies: Sendable {
    /// An invalid entry of `http.trustedProxies`.
    struct Malformed: Error { let entry: String }

    private let networks: [IPNetwork]

    /// - Parameter entries: addresses, and ranges such as `10.0.0.0/8` or `fd00::/8`.
    init(_ entries: [String]) throws {
        networks = try entries.map { entry in
            guard let network = IPNetwork(entry) else { throw Malformed(entry: entry) }
            return network
        }
    }

    /// The address of the client: the last hop that is not a trusted proxy, since the hops before
    /// it can be forged. The result is in canonical form, even if the proxy uses another form.
    ///
    /// - Parameters:
    ///   - peer: the address at the other end of the connection.
    ///   - forwardedFor: the header, which is trusted only from a trusted peer.
    func client(peer: PeerAddress, forwardedFor: String?) -> String? {
        guard var client = peer.address, let forwardedFor, peer.isTrustedProxy else { return peer.text }
        for hop in forwardedFor.split(separator: ",").reversed() {
            guard let address = Self.address(ofHop: String(hop).trimmed) else { break }
            client = address
            if !isTrusted(address) { break }
        }
        return client.description
    }

    /// Whether an address is one of the proxies.
    func isTrusted(_ address: IPAddress) -> Bool { networks.contains { $0.contains(address) } }

    /// The address of a hop, which some proxies write with its port: `192.0.2.1:4711`, `[2001:db8::1]:443`.
    private static func address(ofHop hop: String) -> IPAddress? {
        if hop.hasPrefix("[") {
            guard let end = hop.firstIndex(of: "]") else { return nil }
            return IPAddress(hop[hop.index(after: hop.startIndex)..<end])
        }
        let parts = hop.split(separator: ":", omittingEmptySubsequences: false)
        return IPAddress(parts.count == 2 ? parts[0] : hop[...])
    }
}
