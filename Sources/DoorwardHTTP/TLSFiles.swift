internal import NIOSSL

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
