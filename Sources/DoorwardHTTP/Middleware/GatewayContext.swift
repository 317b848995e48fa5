internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// What goes with a request on its way through the server.
struct GatewayContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The address at the other end of the connection, without its port.
    let peer: String?
    /// Identifies the connection in the `ConnectionTable`.
    let connectionID: ObjectIdentifier
    let client: ClientPresence
    /// What is known of the request; set by `GatewayResponder`.
    var facts: RequestFacts?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        connectionID = ObjectIdentifier(source.channel)
        client = ClientPresence(source.channel)
        peer = source.channel.remoteAddress?.ipAddress
    }
}
