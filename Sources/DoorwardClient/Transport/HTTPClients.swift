internal import AsyncHTTPClient
internal import FoundationEssentials
internal import Glibc
internal import NIOCore
internal import NIOHTTP1
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
            let client = make { if let authorities { $0.trustRoots = .certificates(authorities.certificates) } }
            clients[authorities] = client
            return client
        }
    }

    /// A client that verifies no certificate. MUST NOT be used to send a secret.
    static let unverified = make { $0.certificateVerification = .none }

    /// - Parameter configure: changes the system's TLS settings.
    private static func make(_ configure: (inout TLSConfiguration) -> Void) -> HTTPClient {
        var tls = TLSConfiguration.makeClientConfiguration()
        configure(&tls)
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.timeout.connect = .seconds(10)
        configuration.tlsConfiguration = tls
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }
}

/// Certificates that a client trusts in place of those of the system.
struct TrustedAuthorities: Hashable, Sendable {
    let certificates: [NIOSSLCertificate]

    /// - Parameter file: a path of a PEM file.
    /// - Throws: `ClientError.authorityFile` if the file cannot be read or contains no certificate.
    init(file: String) throws(ClientError) {
        guard access(file, R_OK) == 0 else {
            throw .authorityFile(path: file, why: "it cannot be read: \(String(cString: strerror(errno)))")
        }
        guard let text = try? Data(contentsOf: URL(filePath: file)) else {
            throw .authorityFile(path: file, why: "it cannot be read: it is not a file")
        }
        guard let certificates = try? NIOSSLCertificate.fromPEMBytes(Array(text)), !certificates.isEmpty else {
            throw .authorityFile(path: file, why: "it contains no certificate in PEM")
        }
        self.certificates = certificates
    }
}

/// Asks a gateway on this machine whether it is ready, for service managers and containers.
package enum ReadinessProbe {
    /// - Parameter server: scheme, host and port. The certificate is not verified: it is for the name that others use, the request
    ///   contains no secret, and a certificate that has expired does not make a gateway less ready.
    /// - Returns: the status of `/readyz`: 200 if the gateway is ready, 503 if not.
    /// - Throws: `ClientError.noConnection` or `.noResponse`.
    package static func status(of server: String, within timeout: Duration) async throws -> Int {
        do {
            let request = HTTPClientRequest(url: "\(server)/readyz")
            return Int(try await HTTPClients.unverified.execute(request, timeout: TimeAmount(timeout)).status.code)
        } catch {
            throw ConnectionFailure(error).clientError(server: server, wasSent: false)
        }
    }
}
