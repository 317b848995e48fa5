package import DoorwardDomain
internal import NIOSSL

/// The settings of the HTTP server: its address and its limits. The defaults are those of the configuration file.
package struct HTTPSettings: Sendable {
    /// The name or address to bind to.
    package var host = "127.0.0.1"
    /// The port; 0 picks a free one.
    package var port = 8080
    /// The URL at which users reach the gateway. Links that the gateway creates begin with this URL. `nil` means the address that
    /// the gateway listens on.
    package var publicURL: String?
    /// Addresses of proxies whose `X-Forwarded-For` is trusted. Each entry is one address or a range such as `10.0.0.0/8`.
    package var trustedProxies: [String] = []
    /// The TLS files; `nil` for plain HTTP.
    package var tls: TLSFiles?
    /// The lifetime of an access token. Each request also requires that the token's session is valid.
    package var accessTokenLifetime = Duration.seconds(15 * 60)
    /// The gateway's name, the `iss` of access tokens.
    package var gatewayName = "doorward.local"
    /// The timeout of a command if the request contains no `timeoutMs`.
    package var commandTimeout = Duration.seconds(10)
    /// The values of a device's `adapter`: the kinds of all adapters in the program, also of those that are not configured. `nil`
    /// for the kinds of the gateway's adapters.
    package var adapterKinds: [String]?
    /// Verifies purchases; `nil` if none are accepted.
    package var purchaseVerifier: AppStoreVerifier?
    /// The token with which programs on other machines read `/metrics`; `nil` for none.
    package var metricsToken: Secret<String>?
    /// Maximum number of open connections. Half of them are reserved for clients that have signed in.
    package var maxConnections = 4096
    /// Maximum number of open connections of one IPv4 address or IPv6 /64 network. A trusted proxy's connections do not count,
    /// but the requests in progress of each client behind the proxy do.
    package var maxConnectionsPerAddress = 512
    /// Timeout of a connection without a request in progress.
    package var idleTimeout = Duration.seconds(60)
    /// Timeout of a whole request, from its first byte to its last.
    package var requestTimeout = Duration.seconds(30)

    /// Maximum number of bytes of one header's name and value.
    static let maxHeaderBytes = 8 * 1024
    /// Maximum number of bytes of all headers together.
    static let maxHeaderListBytes = 32 * 1024
    static let maxHeaders = 100

    package init() {}

    /// The URL at which a client on this machine reaches the gateway.
    ///
    /// - Parameter port: the open port, which differs from `port` if that is 0.
    package func ownAddress(port: Int? = nil) -> String {
        "\(tls == nil ? "http" : "https")://\(host.contains(":") ? "[\(host)]" : host):\(port ?? self.port)"
    }

    /// What a person should know about the links that the gateway creates; `nil` if they work on other machines.
    package var linkWarning: String? {
        let authority = publicURL?.split(separator: "://", maxSplits: 1).last?.prefix { !"/?#".contains($0) }
        let host = authority.map { $0.hostOfAuthority ?? "" } ?? host
        let address = IPAddress(host)
        guard address?.isLoopback ?? (host == "localhost") || address?.isUnspecified == true else { return nil }
        return
            "This link works only on the gateway's own machine. Set gateway.publicUrl to the address at which people reach the "
            + "gateway, and then create a new link."
    }

    /// The files for TLS, in PEM.
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

extension HTTPSettings.TLSFiles {
    /// Why the files cannot be used.
    package enum Problem: Error, Equatable, Sendable {
        /// The certificate file cannot be read, or contains no certificate.
        case noCertificate
        /// The key file cannot be read, contains no key, or contains a key with a passphrase.
        case noPrivateKey
        /// The key does not match the certificate.
        case mismatch
    }

    /// Reads and checks the files as the server does, without opening a port.
    package func check() throws(Problem) {
        guard let certificates = try? certificates(), !certificates.isEmpty else { throw .noCertificate }
        guard let key = try? privateKey() else { throw .noPrivateKey }
        guard (try? NIOSSLContext(configuration: Self.configuration(certificates, key))) != nil else { throw .mismatch }
    }

    /// Returns the server's TLS configuration.
    ///
    /// - Throws: if a file cannot be read or used.
    func configuration() throws -> TLSConfiguration { Self.configuration(try certificates(), try privateKey()) }

    private func certificates() throws -> [NIOSSLCertificate] { try NIOSSLCertificate.fromPEMFile(certificatePath) }
    private func privateKey() throws -> NIOSSLPrivateKey { try NIOSSLPrivateKey(file: privateKeyPath, format: .pem) }

    private static func configuration(_ certificates: [NIOSSLCertificate], _ key: NIOSSLPrivateKey) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: certificates.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        return configuration
    }
}
