internal import DoorwardDomain

/// The address at the other end of a connection. It is parsed once for all requests of the connection.
struct PeerAddress: Sendable {
    /// The parsed address; `nil` if the transport has none.
    let address: IPAddress?
    /// The canonical text of the address, without its port; `nil` if the transport has none.
    let text: String?
    /// Whether the peer is a proxy whose `X-Forwarded-For` is trusted.
    let isTrustedProxy: Bool

    /// - Parameter text: the address without a port; `nil` if the transport has none.
    init(_ text: String?, proxies: TrustedProxies) {
        address = text.flatMap { IPAddress($0) }
        self.text = address?.description ?? text
        isTrustedProxy = address.map { proxies.isTrusted($0) } ?? false
    }
}
