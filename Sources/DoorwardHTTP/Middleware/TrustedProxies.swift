internal import Glibc

/// The proxies whose word on the client's address is taken.
struct TrustedProxies: Sendable {
    private struct Range {
        let bytes: [UInt8]
        let prefix: Int

        func contains(_ address: [UInt8]) -> Bool {
            guard address.count == bytes.count else { return false }
            for index in 0..<bytes.count {
                let bits = min(8, max(0, prefix - index * 8))
                let mask = UInt8(truncatingIfNeeded: 0xFF00 >> bits)
                if address[index] & mask != bytes[index] & mask { return false }
            }
            return true
        }
    }

    /// What is wrong with one entry of `http.trustedProxies`.
    struct Malformed: Error { let entry: String }

    private let ranges: [Range]

    /// - Parameter entries: addresses, and ranges such as `10.0.0.0/8` or `fd00::/8`.
    init(_ entries: [String]) throws {
        ranges = try entries.map { entry in
            let parts = entry.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            guard let bytes = Self.bytes(of: parts[0]) else { throw Malformed(entry: entry) }
            guard parts.count > 1 else { return Range(bytes: bytes, prefix: bytes.count * 8) }
            guard let prefix = Int(parts[1]), (0...bytes.count * 8).contains(prefix) else { throw Malformed(entry: entry) }
            return Range(bytes: bytes, prefix: prefix)
        }
    }

    /// The last hop that is no trusted proxy; what stands before it anybody may have written.
    ///
    /// - Parameters:
    ///   - peer: the address at the other end of the connection.
    ///   - forwardedFor: the header, which is believed only from a trusted peer.
    func client(peer: String?, forwardedFor: String?) -> String? {
        guard !ranges.isEmpty, let peer, isTrusted(peer[...]), let forwardedFor else { return peer }
        var client = peer
        for hop in forwardedFor.split(separator: ",").reversed() {
            let hop = String(hop).trimmed
            guard let bytes = Self.bytes(of: hop[...]) else { return client }
            client = hop
            if !ranges.contains(where: { $0.contains(bytes) }) { return client }
        }
        return client
    }

    /// Whether an address is this machine's own: `127.0.0.0/8` or `::1`.
    static func isLoopback(_ address: String) -> Bool {
        guard let bytes = bytes(of: address[...]) else { return false }
        return bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    }

    private func isTrusted(_ address: Substring) -> Bool {
        Self.bytes(of: address).map { bytes in ranges.contains { $0.contains(bytes) } } ?? false
    }

    private static func bytes(of address: Substring) -> [UInt8]? {
        var v4 = [UInt8](repeating: 0, count: 4)
        if inet_pton(AF_INET, String(address), &v4) == 1 { return v4 }
        var v6 = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, String(address), &v6) == 1 else { return nil }
        // An IPv4 address that came in over an IPv6 socket is the same address.
        let isMapped = v6.prefix(10).allSatisfy { $0 == 0 } && v6[10] == 0xFF && v6[11] == 0xFF
        return isMapped ? Array(v6.suffix(4)) : v6
    }
}
