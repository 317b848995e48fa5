internal import DoorwardDomain

/// The address at the other end of a connection. It is parsed once for all requests of the connection.
struct PeerAddress: Sendable {
    /// The parsed address; `nil` where the transport has none.
    let address: IPAddress?
    /// The one text of the address, without its port; `nil` where the transport has none.
    let text: String?
    /// Whether the peer is a proxy whose `X-Forwarded-For` is believed.
    let isTrustedProxy: Bool

    /// - Parameter text: without a port; `nil` where the transport has no address.
    init(_ text: String?, proxies: TrustedProxies) {
        address = text.flatMap { IPAddress($0) }
        self.text = address?.description ?? text
        isTrustedProxy = address.map { proxies.isTrusted($0) } ?? false
    }
}
