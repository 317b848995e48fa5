internal import DoorwardDomain

/// What clients are counted by: an IPv4 address, or the first 64 bits of an IPv6 address, which one household or server gets whole.
struct ClientNetwork: Hashable, Sendable {
    /// `nil` for a client whose address is not known.
    private let text: String?

    /// - Parameter address: as text, without a port; anything else counts as not known.
    init(_ address: String?) { text = address.flatMap { IPAddress($0) }?.network(ofIPv6Bits: 64) }
}
