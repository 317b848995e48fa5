internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore

/// The context in which the server handles one request.
struct GatewayContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection in the `ConnectionTable`; `nil` for a request without one, as in tests of routes.
    let connection: ClientConnection?
    let client: ClientPresence
    /// The metadata of the request; set by `GatewayResponder`.
    var facts: RequestMetadata?
    /// The slot that the request occupies if its client is behind a trusted proxy; held until the response has been sent.
    var place: ForwardedPlace?
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
        for (key, value) in facts?.metadata ?? [:] { logger[metadataKey: key] = value }
        return logger
    }
}
