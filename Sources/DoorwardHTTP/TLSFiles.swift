internal import NIOSSL

extension HTTPSettings.TLSFiles {
    /// Why the files cannot be used.
    package enum Problem: Error, Equatable, Sendable {
        /// The certificate file cannot be read, or holds none.
        case noCertificate
        /// The key file cannot be read, or holds no key, or one with a password.
        case noPrivateKey
        /// The key is another certificate's.
        case mismatch
    }

    /// Reads the files as the server does, without a port.
    package func check() throws(Problem) {
        guard let certificates = try? certificates(), !certificates.isEmpty else { throw .noCertificate }
        guard let key = try? privateKey() else { throw .noPrivateKey }
        guard (try? NIOSSLContext(configuration: Self.configuration(certificates, key))) != nil else { throw .mismatch }
    }

    /// What the server makes connections secure with.
    ///
    /// - Throws: when a file cannot be read or used.
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
