internal import FoundationEssentials
internal import Glibc
internal import NIOSSL

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
