import Glibc

/// An IP address, perhaps with the length of a network's prefix: `127.0.0.1`, `10.0.0.0/8`, `::1`.
struct IPNetwork: Equatable, Sendable {
    /// Four or sixteen bytes.
    let address: [UInt8]
    let prefixLength: Int

    init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = Self.bytes(of: String(parts[0])) else { return nil }
        let longest = address.count * 8
        guard parts.count == 2 else {
            self.address = address
            prefixLength = longest
            return
        }
        guard let length = Int(parts[1]), (0...longest).contains(length) else { return nil }
        self.address = address
        prefixLength = length
    }

    /// Whether `host` is an address, or the name, of this machine that no other can reach.
    static func isLoopback(_ host: String) -> Bool {
        guard let address = bytes(of: host) else { return host == "localhost" }
        return address.count == 4 ? address[0] == 127 : address == Array(repeating: 0, count: 15) + [1]
    }

    private static func bytes(of text: String) -> [UInt8]? {
        var four = [UInt8](repeating: 0, count: 4)
        if inet_pton(AF_INET, text, &four) == 1 { return four }
        var sixteen = [UInt8](repeating: 0, count: 16)
        return inet_pton(AF_INET6, text, &sixteen) == 1 ? sixteen : nil
    }
}
