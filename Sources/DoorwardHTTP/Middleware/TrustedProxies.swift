internal import DoorwardDomain

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
