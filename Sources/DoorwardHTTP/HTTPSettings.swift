/// How the gateway listens and what it takes from the network. The defaults are those of the configuration file.
package struct HTTPSettings: Sendable {
    /// The name or address to bind to.
    package var host = "127.0.0.1"
    /// The port; 0 picks a free one.
    package var port = 8080
    /// Where people reach the gateway: what the links that it hands out begin with. `nil`: the address that it listens on.
    package var publicURL: String?
    /// Addresses of proxies whose `X-Forwarded-For` is believed, each one address or a range such as `10.0.0.0/8`.
    package var trustedProxies: [String] = []
    /// `nil`: plain HTTP.
    package var tls: TLSFiles?
    /// How long an access token is good for; its session must also still be there at each request.
    package var accessTokenLifetime = Duration.seconds(15 * 60)
    /// The `iss` of access tokens: the gateway's name.
    package var tokenIssuer = "doorward.local"
    /// What a command has until its deadline when the request names no `timeoutMs`.
    package var commandTimeout = Duration.seconds(10)
    /// Open connections. Half of them are kept for clients that have signed in.
    package var maxConnections = 4096
    /// Open connections of one IPv4 address or IPv6 /64 network. A trusted proxy's own do not count: the requests in progress of
    /// each of its clients do.
    package var maxConnectionsPerAddress = 512
    /// A connection without a request in progress is closed after so long.
    package var idleTimeout = Duration.seconds(60)
    /// Timeout of a whole request, from its first byte to its last.
    package var requestTimeout = Duration.seconds(30)

    /// Bytes of one header's name and value.
    static let longestHeader = 8 * 1024
    /// Bytes of all headers together.
    static let longestHeaderList = 32 * 1024
    static let mostHeaders = 100

    package init() {}

    /// Where a client on this machine reaches the gateway.
    ///
    /// - Parameter port: the one that is open, where `port` is 0.
    package func ownAddress(port: Int) -> String {
        "\(tls == nil ? "http" : "https")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    /// The files that TLS needs, in PEM.
    package struct TLSFiles: Sendable {
        /// The certificate, followed by its intermediates.
        package var certificatePath: String
        /// The certificate's key, unencrypted.
        package var privateKeyPath: String

        package init(certificatePath: String, privateKeyPath: String) {
            (self.certificatePath, self.privateKeyPath) = (certificatePath, privateKeyPath)
        }
    }
}
