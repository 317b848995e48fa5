internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore

/// What goes with a request on its way through the server.
struct GatewayContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection as the `ConnectionTable` has it; `nil` for a request without one, as in tests of routes.
    let connection: ClientConnection?
    let client: ClientPresence
    /// What is known of the request; set by `GatewayResponder`.
    var facts: RequestFacts?
    /// The place that the request of a client behind a trusted proxy takes, until its response has been sent.
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

    /// The address at the other end of the connection.
    func peer(_ proxies: TrustedProxies) -> PeerAddress {
        connection?.peer ?? PeerAddress(channel.remoteAddress?.ipAddress, proxies: proxies)
    }

    /// The logger with the metadata of the request. Made for each line, as most requests log none.
    var requestLogger: Logger {
        var logger = logger
        // The server's own number for the request: one request, one id.
        logger[metadataKey: "hb.request.id"] = nil
        for (key, value) in facts?.metadata ?? [:] { logger[metadataKey: key] = value }
        return logger
    }
}
