internal import Glibc

/// An IPv4 or IPv6 address. All spellings of one address are equal; an IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2) is
/// the IPv4 address.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// The bytes in network order: 4 for an IPv4 address, 16 for an IPv6 address.
    package let bytes: [UInt8]

    /// Parses an address; a zone after `%` is ignored.
    ///
    /// - Returns: `nil` if the text is not an address.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count <= Self.maxTextBytes else { return nil }
        let text = String(text.contains(":") ? text.prefix { $0 != "%" } : text[...])
        var v4 = [UInt8](repeating: 0, count: 4)
        var v6 = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &v4) == 1 {
            bytes = v4
        } else if inet_pton(AF_INET6, text, &v6) == 1 {
            bytes = v6.starts(with: Self.mappedPrefix) ? Array(v6.suffix(4)) : v6
        } else {
            return nil
        }
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// The maximum length of an address with a zone, in bytes.
    private static let maxTextBytes = 64
    private static let mappedPrefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]

    /// Whether the address is a loopback address: `127.0.0.0/8` or `::1`.
    package var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    }

    /// Whether a server that listens on the address listens on all addresses of the machine: `0.0.0.0` or `::`.
    package var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }

    /// The canonical text, as `inet_ntop` formats it.
    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count)) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Returns the network of the address. Requests from one network are counted as those of one
    /// subscriber. An IPv6 network is the first `length` bits of the address, rounded down to whole
    /// bytes. An IPv4 address is its own network, because a subscriber seldom has several.
    ///
    /// - Returns: a text such as `2001:db8::/64` or `192.0.2.1`.
    package func network(ofIPv6Bits length: Int) -> String {
        guard bytes.count == 16 else { return description }
        let kept = bytes.prefix(length / 8)
        return "\(IPAddress(bytes: kept + [UInt8](repeating: 0, count: 16 - kept.count)))/\(length / 8 * 8)"
    }
}

/// One IP address, or all addresses with the same prefix: `127.0.0.1`, `10.0.0.0/8`, `fd00::/8`.
package struct IPNetwork: Sendable {
    private let address: [UInt8]
    private let prefixLength: Int

    /// - Returns: `nil` if the text is neither an address nor a range, or contains a zone.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard !text.contains("%"), let address = IPAddress(parts[0])?.bytes else { return nil }
        let bits = address.count * 8
        guard let length = parts.count == 1 ? bits : Int(parts[1]), (0...bits).contains(length) else { return nil }
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
