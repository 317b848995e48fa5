internal import DoorwardDomain

/// The unit in which clients are counted: an IPv4 address, or the first 64 bits of an IPv6 address. One household or server
/// usually gets all addresses of such an IPv6 network.
struct ClientNetwork: Hashable, Sendable {
    /// `nil` for an unknown address.
    private let text: String?

    /// - Parameter address: an address without a port; any other text counts as unknown.
    init(_ address: String?) { text = address.flatMap { IPAddress($0) }?.network(ofIPv6Bits: 64) }
}
