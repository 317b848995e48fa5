import DoorwardTesting
import Foundation
import Testing

/// Certificates for one test, made with openssl.
struct Certificates {
    /// The authority that signs `gateway` and `elsewhere`.
    let authority: String
    /// An authority that signs none of these certificates.
    let otherAuthority: String
    /// Self-signed, for 127.0.0.1.
    let own: (file: String, key: String)
    /// For 127.0.0.1, signed by `authority`.
    let gateway: (file: String, key: String)
    /// For another host, signed by `authority`.
    let elsewhere: (file: String, key: String)

    init(in folder: TemporaryFolder) throws {
        func pair(_ name: String) -> (file: String, key: String) { ("\(folder.path)/\(name).pem", "\(folder.path)/\(name).key") }
        func make(_ name: String, _ more: [String]) throws {
            try Self.openssl(
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-days", "2", "-subj",
                    "/CN=\(name)", "-keyout", pair(name).key, "-out", pair(name).file,
                ] + more)
        }
        for name in ["authority", "other"] { try make(name, []) }
        try make("own", ["-addext", "subjectAltName=IP:127.0.0.1"])
        for (name, host) in [("gateway", "IP:127.0.0.1"), ("elsewhere", "DNS:doors.example")] {
            let signer = pair("authority")
            try make(name, ["-CA", signer.file, "-CAkey", signer.key, "-addext", "subjectAltName=\(host)"])
        }
        (authority, otherAuthority) = (pair("authority").file, pair("other").file)
        (own, gateway, elsewhere) = (pair("own"), pair("gateway"), pair("elsewhere"))
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
