/// One IP address, or all addresses with the same prefix: `127.0.0.1`, `10.0.0.0/8`, `fd00::/8`.
package struct IPNetwork: Sendable {
    private let address: [UInt8]
    private let prefixLength: Int

    /// - Returns: `nil` if the text is neither an address nor a range, or contains a zone.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard !text.contains("%"), let address = IPAddress(parts[0])?.bytes else { return nil }
        let longest = address.count * 8
        guard let length = parts.count == 1 ? longest : Int(parts[1]), (0...longest).contains(length) else { return nil }
        (self.address, prefixLength) = (address, length)
    }

    /// Whether the address is in the network; an IPv4 address is in no IPv6 network.
    package func contains(_ other: IPAddress) -> Bool {
        guard other.bytes.count == address.count else { return false }
        return address.indices.allSatisfy { index in
            let bits = min(8, max(0, prefixLength - index * 8))
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> bits)
            return other.bytes[index] & mask == address[index] & mask
        }
    }
}
