import Crypto
import DoorwardDomain
import DoorwardTesting
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import SwiftASN1
import Testing
import X509

@testable import DoorwardHTTP

/// A certificate that is replaced while the gateway runs. Time is virtual.
@Suite(.timeLimit(.minutes(30))) struct CertificateRenewalTests {
    /// A certificate, its key, and the files that the gateway reads.
    private struct Pair {
        let certificate: String
        let key: String
        let serialNumber: [UInt8]

        init(_ number: UInt64) throws {
            let key = P256.Signing.PrivateKey()
            let name = try DistinguishedName { CommonName("gateway") }
            let certificate = try Certificate(
                version: .v3, serialNumber: Certificate.SerialNumber(number), publicKey: .init(key.publicKey),
                notValidBefore: Date(timeIntervalSince1970: 0), notValidAfter: Date(timeIntervalSince1970: 4_000_000_000),
                issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256, extensions: Certificate.Extensions(),
                issuerPrivateKey: .init(key))
            (self.certificate, self.key) = (try certificate.serializeAsPEM().pemString, key.pemRepresentation)
            serialNumber = Array(certificate.serialNumber.bytes)
        }
    }

    /// The serial number of the certificate that a new connection gets.
    private func served(_ port: Int) async throws -> [UInt8] {
        let seen = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: [UInt8].self)
        let context = try NIOSSLContext(configuration: .makeClientConfiguration())
        let channel = try await ClientBootstrap(group: seen.futureResult.eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = try NIOSSLClientHandler(context: context, serverHostname: nil) { certificates, verdict in
                        seen.succeed(certificates.first?.serialNumber ?? [])
                        verdict.succeed(.certificateVerified)
                    }
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        let number = try await seen.futureResult.get()
        try? await channel.close()
        return number
    }

    @Test("New connections get a renewed certificate within a minute; files that do not match, or are broken, change nothing")
    func renewal() async throws {
        let house = try await House()
        let folder = FileManager.default.temporaryDirectory.appending(path: "doorward-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = HTTPSettings.TLSFiles(
            certificatePath: folder.appending(path: "chain.pem").path, privateKeyPath: folder.appending(path: "key.pem").path)
        @Sendable func write(_ certificate: String, _ key: String) throws {
            try Data(certificate.utf8).write(to: URL(filePath: files.certificatePath))
            try Data(key.utf8).write(to: URL(filePath: files.privateKeyPath))
        }
        let (old, new) = (try Pair(11), try Pair(22))
        try write(old.certificate, old.key)
        try await house.servingStreams(tls: files) { port in
            /// Lets a minute pass, at whose end the files are read, and waits until the log has `line`.
            func minute(until line: String, _ count: Int = 1) async throws {
                while house.logs.text.components(separatedBy: line).count - 1 < count {
                    try Task.checkCancellation()
                    await house.clock.pass(CertificateRenewal.interval)
                }
            }
            #expect(try await served(port) == old.serialNumber)
            try write(new.certificate, old.key)
            try await minute(until: "the certificate in use is kept")
            #expect(try await served(port) == old.serialNumber)
            try write("nonsense", new.key)
            try await minute(until: "the certificate in use is kept", 2)
            #expect(try await served(port) == old.serialNumber)
            try write(new.certificate, new.key)
            try await minute(until: "new connections get a new certificate")
            #expect(try await served(port) == new.serialNumber)
            #expect(!house.logs.text.contains("PRIVATE KEY"))
        }
    }
}
