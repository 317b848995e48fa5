import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOEmbedded
import Testing

@testable import DoorwardHTTP

/// Requests that go on after their response: the gateway reads at most 64 KiB or for 1 s, and closes the connection.
@Suite(.timeLimit(.minutes(30))) struct EarlyResponseTests {
    private func serving(_ body: @escaping @Sendable (House, Int) async throws -> Void) async throws {
        var settings = HTTPSettings()
        settings.port = 0
        let house = try await House(settings: settings)
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        let server = try GatewayServer(
            control: house.control, settings: settings, tokenKey: house.signingKey, simulator: nil, logger: house.logs.logger
        ) { continuation.yield($0) }
        let running = Task { try await server.run() }
        do {
            let port = try #require(await ports.first { _ in true })
            try await body(house, port)
        } catch {
            running.cancel()
            throw error
        }
        running.cancel()
        try? await running.value
    }

    private struct Early: CustomTestStringConvertible, Sendable {
        let line: String
        var headers = ""
        let status: Int
        var isSignedIn = false

        var testDescription: String { "\(line) \(status)" }
    }

    private static let json = "Content-Type: application/json\r\n"
    private static let form = "Content-Type: application/x-www-form-urlencoded\r\n"
    private static let cases = [
        Early(line: "POST /api/v1/portfolios", headers: json, status: 401),
        Early(line: "GET /api/v1/devices", status: 401),
        Early(line: "POST /api/v1/nothing", headers: json, status: 404),
        Early(line: "POST /healthz", headers: json, status: 405),
        Early(line: "POST /api/v1/auth/login", headers: json, status: 413),
        Early(line: "POST /api/v1/auth/login", headers: json + "Content-Length: 1000000000000\r\n", status: 413),
        Early(line: "POST /api/v1/portfolios", headers: json, status: 413, isSignedIn: true),
        Early(line: "POST /api/v1/auth/login", headers: "Content-Type: text/plain\r\n", status: 413),
        Early(line: "POST /g/nothing/devices/x/unlock", headers: form, status: 413),
        Early(line: "GET /", status: 413),
        Early(line: "NONSENSE", status: 400),
    ]

    @Test("A body that never ends is read no longer once its request has a response", arguments: cases)
    private func endless(_ early: Early) async throws {
        try await serving { house, port in
            let connection = try RawConnection(port: port)
            let token = early.isSignedIn ? "Authorization: Bearer \(try await house.token(of: .owner))\r\n" : ""
            let framing = early.headers.contains("Content-Length") ? "" : "Transfer-Encoding: chunked\r\n"
            connection.send("\(early.line) HTTP/1.1\r\nHost: localhost\r\n\(early.headers)\(token)\(framing)\r\n")
            // A request that is too large has no response before it is.
            let head = early.status == 413 ? "" : await connection.head()
            // Far more than the buffers of the operating system hold.
            let chunk = "8000\r\n" + String(repeating: " ", count: 0x8000) + "\r\n"
            #expect(await connection.flood(chunk, upTo: 1 << 28), "the connection is still open")
            #expect((head + (await connection.rest())).hasPrefix("HTTP/1.1 \(early.status) "))
        }
    }

    /// One connection on a virtual event loop, whose requests are answered at their heads, or not at all.
    private struct Pipeline {
        let channel = NIOAsyncTestingChannel()
        private let responses = Seen(0)
        private let handling: Task<Void, Never>

        init(responds: Bool = true) async throws {
            let logger = LogCatcher().logger
            let table = ConnectionTable(
                ConnectionLimits(HTTPSettings()), proxies: try TrustedProxies([]), clock: VirtualClock(), logger: logger)
            let base = HTTP1Channel { [responses] _, writer, channel in
                guard responds else { return try await channel.closeFuture.get() }
                let body = try await writer.writeHead(HTTPResponse(status: .unauthorized, headerFields: [.contentLength: "0"]))
                try await body.finish(nil)
                responses.change { $0 += 1 }
            }
            let limited = LimitedHTTPChannel(base: base, table: table)
            let (channel, address) = (channel, try SocketAddress(ipAddress: "192.0.2.1", port: 1))
            let value = try await channel.eventLoop.flatSubmit { limited.setup(channel: channel, logger: logger) }.get()
            try await channel.connect(to: address).get()
            handling = Task { await limited.handle(value: value, logger: logger) }
        }

        /// Errors of the parser are not those of this method.
        func receive(_ text: String) async { _ = try? await channel.writeInbound(ByteBuffer(string: text)) }

        /// Waits until so many responses are complete.
        func response(_ number: Int = 1) async {
            while responses.value < number { await channel.testingEventLoop.run() }
        }

        func pass(_ time: TimeAmount) async { await channel.testingEventLoop.advanceTime(by: time) }

        func end() async {
            try? await channel.close()
            let hasEnded = Seen(false)
            Task {
                await handling.value
                hasEnded.change { $0 = true }
            }
            while !hasEnded.value { await channel.testingEventLoop.run() }
        }
    }

    private static let head = "POST / HTTP/1.1\r\nHost: localhost\r\n"

    @Test("A short rest of a request is read after its response, and the next request has its own response")
    func kept() async throws {
        let pipeline = try await Pipeline()
        await pipeline.receive(Self.head + "Content-Length: 60000\r\n\r\n")
        await pipeline.response()
        await pipeline.receive(String(repeating: " ", count: 60_000))
        await pipeline.receive(Self.head + "Content-Length: 1\r\n\r\n1")
        await pipeline.response(2)
        #expect(pipeline.channel.isActive)
        await pipeline.end()
    }

    @Test("One second after an early response the connection is closed, unless the request has ended", arguments: [false, true])
    func second(ends: Bool) async throws {
        let pipeline = try await Pipeline()
        await pipeline.receive(Self.head + "Content-Length: 10\r\n\r\n12345")
        await pipeline.response()
        await pipeline.pass(.milliseconds(999))
        #expect(pipeline.channel.isActive)
        await pipeline.receive(ends ? "67890" : "6789")
        await pipeline.pass(.milliseconds(1))
        #expect(pipeline.channel.isActive == ends)
        await pipeline.end()
    }

    @Test("After an early response 64 KiB are read, and not one byte more")
    func bytes() async throws {
        let pipeline = try await Pipeline()
        await pipeline.receive(Self.head + "Content-Length: 1000000\r\n\r\n" + String(repeating: " ", count: 200_000))
        await pipeline.response()
        for _ in 0..<64 { await pipeline.receive(String(repeating: " ", count: 1024)) }
        #expect(pipeline.channel.isActive)
        await pipeline.receive(" ")
        #expect(!pipeline.channel.isActive)
        await pipeline.end()
    }

    @Test("A request without a response is read up to 1 MiB, whatever its framing")
    func framing() async throws {
        let pipeline = try await Pipeline(responds: false)
        // The largest body in chunks of one byte.
        await pipeline.receive(Self.head + "Transfer-Encoding: chunked\r\n\r\n")
        for _ in 0..<64 { await pipeline.receive(String(repeating: "1\r\n \r\n", count: 1024)) }
        #expect(pipeline.channel.isActive)
        // An extension of a chunk that never ends.
        await pipeline.receive("1;x=")
        for _ in 0..<1024 where pipeline.channel.isActive { await pipeline.receive(String(repeating: "y", count: 1024)) }
        #expect(!pipeline.channel.isActive)
        await pipeline.end()
    }

    @Test("A response is not early if only the next request has begun")
    func pipelined() async throws {
        let pipeline = try await Pipeline()
        await pipeline.receive(Self.head + "Content-Length: 1\r\n\r\n1POST / HTTP/1.1\r\nHost: loc")
        await pipeline.response()
        await pipeline.pass(.seconds(9))
        #expect(pipeline.channel.isActive)
        await pipeline.end()
    }
}
