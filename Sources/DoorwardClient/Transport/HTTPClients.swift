internal import AsyncHTTPClient
internal import NIOCore
internal import NIOSSL
internal import Synchronization

/// The HTTP clients of the process: one that trusts the system's certificate authorities, one for each other set of trusted
/// authorities, and one that verifies no certificate.
///
/// They are never shut down, and live as long as the process. They follow no redirections, as these could send a token to another
/// server, and they repeat no requests: `HTTPTransport` decides which requests may be repeated.
enum HTTPClients {
    private static let clients = Mutex<[TrustedAuthorities?: HTTPClient]>([:])

    static func client(trusting authorities: TrustedAuthorities?) -> HTTPClient {
        clients.withLock { clients in
            if let client = clients[authorities] { return client }
            let client = make(authorities)
            clients[authorities] = client
            return client
        }
    }

    /// A client that verifies no certificate. MUST NOT be used to send a secret.
    static let unverified: HTTPClient = {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .none
        return make(tls)
    }()

    private static func make(_ authorities: TrustedAuthorities?) -> HTTPClient {
        guard let authorities else { return make(nil as TLSConfiguration?) }
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates(authorities.certificates)
        return make(tls)
    }

    /// - Parameter tls: `nil` for that of the system.
    private static func make(_ tls: TLSConfiguration?) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.timeout.connect = .seconds(10)
        configuration.tlsConfiguration = tls
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }
}
