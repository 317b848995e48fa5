import Crypto
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Foundation
import HTTPTypes
import NIOCore
import NIOPosix
import NIOSSL
import SwiftASN1
import Synchronization
import Testing
import X509

@testable import DoorwardHTTP
@testable import DoorwardStreams

/// Streams of a gateway that has a certificate.
@Suite(.timeLimit(.minutes(30))) struct StreamTLSTests {
    @Test("A right is taken although a TLS client reads nothing, and its stream is cut")
    func revocation() async throws {
        let house = try await House()
        let text = String(repeating: "x", count: 8000)
        for door in [house.ids.door, house.ids.frontDoor] {
            let reply = try await house.call(.put, "/devices/\(door)", as: .owner, #"{"metadata":{"note":"\#(text)"}}"#)
            #expect(reply.status == 200)
        }
        let token = try await house.token(of: .maintenance)
        let folder = FileManager.default.temporaryDirectory.appending(path: "doorward-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await house.servingStreams(tls: try certificate(in: folder)) { port in
            let client = try await UnreadTLSStream(port: port, "subscribe=doors:device", token)
            func streams() -> [LiveStream] { house.control.streams.table.all }
            while streams().isEmpty {
                try Task.checkCancellation()
                await Task.yield()
            }
            let managers = "/properties/\(house.ids.property)/managers"
            // Each grant makes the stream write a snapshot. The client reads none, so after some grants the buffers of the connection are
            // full, and the stream is cut when it does not stop in time.
            while !streams().isEmpty {
                try Task.checkCancellation()
                let given = try await house.call(
                    .post, managers, as: .owner, #"{"userId":"\#(house.ids[.maintenance])","role":"MAINTENANCE"}"#)
                #expect(given.status == 200)
                let taken = Seen(0)
                let taking = Task {
                    let reply = try await house.call(.delete, "\(managers)/\(house.ids[.maintenance])", as: .owner)
                    taken.change { $0 = reply.status }
                }
                var isPatient = true
                while taken.value == 0 {
                    try Task.checkCancellation()
                    if isPatient, streams().contains(where: { $0.state.withLock { $0.inFlight?.left.isAwaited == true } }) {
                        house.clock.advance(by: LiveStreamTable.gateTimeout)
                        isPatient = false
                    }
                    await Task.yield()
                }
                try await taking.value
                #expect(taken.value == 204)
            }
            await client.close()
        }
    }

    /// Writes a certificate for the gateway and its key.
    private func certificate(in folder: URL) throws -> HTTPSettings.TLSFiles {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("gateway") }
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(key.publicKey),
            notValidBefore: Date(timeIntervalSince1970: 0), notValidAfter: Date(timeIntervalSince1970: 4_000_000_000),
            issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256, extensions: Certificate.Extensions(),
            issuerPrivateKey: .init(key))
        let files = [folder.appending(path: "gateway.pem"), folder.appending(path: "gateway.key")]
        for (file, text) in zip(files, [try certificate.serializeAsPEM().pemString, key.pemRepresentation]) {
            try Data(text.utf8).write(to: file)
        }
        return HTTPSettings.TLSFiles(certificatePath: files[0].path, privateKeyPath: files[1].path)
    }
}

/// A stream over TLS whose client stops reading with the first bytes of the response.
private final class UnreadTLSStream: Sendable {
    private let channel: any Channel

    init(port: Int, _ query: String, _ token: String) async throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        let context = try NIOSSLContext(configuration: configuration)
        let response = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: Void.self)
        channel = try await ClientBootstrap(group: response.futureResult.eventLoop)
            .channelOption(.socketOption(.so_rcvbuf), value: 4096)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: nil))
                    try pipeline.addHandler(StopReading(response))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        let request = "GET /api/v1/stream?\(query) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n\r\n"
        try await channel.writeAndFlush(ByteBuffer(string: request))
        try await response.futureResult.get()
    }

    /// Reads the rest, and waits until the connection is closed: the gateway has closed it.
    func close() async {
        // It may have closed it already.
        try? await channel.setOption(.autoRead, value: true).get()
        try? await channel.closeFuture.get()
    }

    private final class StopReading: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let response: EventLoopPromise<Void>
        private var hasRead = false

        init(_ response: EventLoopPromise<Void>) { self.response = response }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !hasRead else { return }
            hasRead = true
            context.channel.setOption(.autoRead, value: false).cascade(to: response)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            response.fail(error)
            context.close(promise: nil)
        }
    }
}
