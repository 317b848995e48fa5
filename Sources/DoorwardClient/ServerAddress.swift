internal import FoundationEssentials

/// The base URL of a gateway: scheme, host and port.
///
/// The scheme must be HTTPS, as requests carry secrets. HTTP is allowed for a gateway on the same machine.
package struct ServerAddress: Equatable, Sendable, CustomStringConvertible {
    /// `https://doors.example` or `http://127.0.0.1:8080`, without a slash at the end.
    package let description: String

    /// - Throws: `ClientError.badAddress` for a text that is not such a URL, and for plain HTTP to another machine.
    package init(_ text: String) throws(ClientError) {
        let url = URL(string: text)
        guard let url, let scheme = url.scheme?.lowercased(), scheme == "https" || scheme == "http",
            let host = url.host(percentEncoded: false), !host.isEmpty
        else { throw .badAddress(text, why: "write it as https://HOST or http://127.0.0.1:PORT") }
        guard url.path().isEmpty || url.path() == "/", url.query() == nil, url.fragment() == nil, url.user() == nil else {
            throw .badAddress(text, why: "it may only contain scheme, host and port, as in https://HOST:PORT")
        }
        guard scheme == "https" || Self.isLoopback(host) else {
            throw .badAddress(
                text, why: "plain http would send passwords and tokens unencrypted over the network; use https://")
        }
        let shownHost = host.contains(":") ? "[\(host)]" : host.lowercased()
        description = "\(scheme)://\(shownHost)" + (url.port.map { ":\($0)" } ?? "")
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host.lowercased() == "localhost" || host == "::1" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return parts.count == 4 && parts.allSatisfy { $0 != nil } && parts[0] == 127
    }
}
