import DoorwardTesting
import Foundation
import Testing

/// Certificates for tests, created with openssl, as paths of PEM files.
final class Certificates: Sendable {
    /// The certificates that all suites share.
    static let shared = Result { try Certificates() }

    private let folder: URL
    var authority: String { path("authority.pem") }
    /// An authority that has not signed the certificates of the brokers.
    var otherAuthority: String { path("other.pem") }

    private init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "doorward-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in ["authority", "other"] { try Self.openssl(key(name) + ["-subj", "/CN=\(name)"]) }
        try sign("broker", by: "authority", names: "DNS:localhost,IP:127.0.0.1")
        try sign("elsewhere", by: "authority", names: "DNS:broker.example")
        try sign("gateway", by: "authority", names: "DNS:gateway.example")
        try sign("stranger", by: "other", names: "DNS:gateway.example")
        try Self.openssl(["pkey", "-in", path("gateway.key"), "-aes256", "-passout", "pass:locked", "-out", path("locked.key")])
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    /// Returns the paths of a certificate and its key.
    func pair(_ name: String) -> (file: String, keyFile: String) { (path("\(name).pem"), path("\(name).key")) }

    /// Returns mosquitto's configuration lines for TLS with the certificate and key of this name.
    func lines(_ name: String, wantsCertificate: Bool = false) -> [String] {
        // A mosquitto started by root drops its privileges before it reads the keys, unless its user is root.
        (geteuid() == 0 ? ["user root"] : []) + [
            "certfile \(pair(name).file)", "keyfile \(pair(name).keyFile)", "cafile \(authority)",
            "require_certificate \(wantsCertificate)", "allow_anonymous true",
        ]
    }

    private func key(_ name: String) -> [String] {
        [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-days", "2", "-keyout",
            pair(name).keyFile, "-out", pair(name).file,
        ]
    }

    private func sign(_ name: String, by authority: String, names: String) throws {
        try Self.openssl(
            key(name) + [
                "-CA", pair(authority).file, "-CAkey", pair(authority).keyFile, "-subj", "/CN=\(name)", "-addext",
                "subjectAltName=\(names)",
            ])
    }

    private static func openssl(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardError = FileHandle.nullDevice
        try process.start()
        // Blocks: the thread that makes the certificates once. The program needs nothing from this process.
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "openssl \(arguments.joined(separator: " "))")
    }
}
