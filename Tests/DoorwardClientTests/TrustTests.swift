import Foundation
import NIOSSL
import Testing

@testable import DoorwardClient

@Suite("Trusted certificates") struct TrustTests {
    private let folder: TemporaryFolder
    private let certificates: Certificates

    init() throws {
        folder = try TemporaryFolder()
        certificates = try Certificates(in: folder)
    }

    private func gateway(_ pair: (file: String, key: String)) async throws -> StubGateway {
        let chain = try NIOSSLCertificate.fromPEMFile(pair.file)
        let configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: pair.key, format: .pem)))
        return try await StubGateway(tls: try NIOSSLContext(configuration: configuration)) { _, _ in
            .data(#"{"user":{"id":"u"}}"#)
        }
    }

    private func failure(at gateway: StubGateway, caFile: String?) async throws -> ClientError? {
        let client = try DoorwardClient(
            server: gateway.address, credentials: .bearer("secret"), timeLimit: .seconds(3600), caFile: caFile)
        let error = await #expect(throws: ClientError.self) { try await client.users.me() }
        #expect(gateway.requests.isEmpty, "no secret is sent")
        return error
    }

    @Test("the given CA file is trusted, and so is the given file of a self-signed certificate")
    func trusted() async throws {
        for (pair, file) in [
            (certificates.gateway, certificates.authority), (certificates.own, certificates.own.file),
        ] {
            let gateway = try await gateway(pair)
            let client = try DoorwardClient(
                server: gateway.address, credentials: .bearer("t"), timeLimit: .seconds(3600), caFile: file)
            #expect(try await client.users.me().content.id == "u")
        }
    }

    @Test("other certificates are rejected: without the given CA, or without a CA file if the system does not trust them")
    func untrusted() async throws {
        let gateway = try await gateway(certificates.gateway)
        for file in [certificates.otherAuthority, nil] {
            let expected = ClientError.tlsFailed(server: gateway.address, why: "certificate not trusted")
            #expect(try await failure(at: gateway, caFile: file) == expected)
        }
    }

    @Test("clients in one process each trust only their own CA file")
    func besideEachOther() async throws {
        let gateway = try await gateway(certificates.gateway)
        func client(_ file: String) throws -> DoorwardClient {
            try DoorwardClient(server: gateway.address, credentials: .bearer("t"), timeLimit: .seconds(3600), caFile: file)
        }
        #expect(try await client(certificates.authority).users.me().content.id == "u")
        await #expect(throws: ClientError.self) { try await client(certificates.otherAuthority).users.me() }
        #expect(try await client(certificates.authority).users.me().content.id == "u")
    }

    @Test("a certificate for another host is rejected with that reason")
    func otherHost() async throws {
        let gateway = try await gateway(certificates.elsewhere)
        #expect(
            try await failure(at: gateway, caFile: certificates.authority)
                == .tlsFailed(server: gateway.address, why: "certificate not trusted: it is for another host"))
    }

    @Test("a port without TLS is reported as a failed TLS handshake")
    func noTLS() async throws {
        let plain = try await StubGateway { _, _ in .data("{}") }
        let server = plain.address.replacing("http:", with: "https:")
        let client = try DoorwardClient(server: server, credentials: .bearer("t"), timeLimit: .seconds(3600))
        let error = await #expect(throws: ClientError.self) { try await client.users.me() }
        guard case .noConnection(server, let why)? = error else { throw try #require(error) }
        #expect(why == "the TLS handshake failed; this port may not serve HTTPS")
    }

    @Test(
        "a CA file that is missing, is a folder or has no certificate is rejected before any request",
        arguments: ["missing", "folder", "text", "empty"])
    func badFiles(_ kind: String) throws {
        let path = "\(folder.path)/\(kind)"
        switch kind {
        case "folder": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        case "text": try Data("no certificate\n".utf8).write(to: URL(filePath: path))
        case "empty": try Data().write(to: URL(filePath: path))
        default: break
        }
        let error = #expect(throws: ClientError.self) {
            try DoorwardClient(server: "https://doors.example", credentials: .none, caFile: path)
        }
        guard case .authorityFile(path, let why)? = error else { throw try #require(error) }
        let words = [
            "missing": "it cannot be read: No such file or directory", "folder": "it cannot be read: it is not a file",
        ]
        #expect(why == words[kind] ?? "it contains no certificate in PEM")
    }
}
