import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// Responses that are produced while they are sent, over sockets. Time is virtual.
@Suite(.timeLimit(.minutes(30))) struct StreamedResponseTests {
    private typealias Chunks = AsyncThrowingStream<[UInt8], any Error>

    private struct Broken: Error {}

    private struct Running: Sendable {
        let house: House
        let server: GatewayServer
        let port: Int

        func ask(_ method: String = "GET", _ headers: String = "") throws -> RawConnection {
            let connection = try RawConnection(port: port)
            connection.send("\(method) /stream HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n")
            return connection
        }

        /// Waits for the first request log line, and returns all of them.
        func lines() async -> [String] {
            while true {
                let lines = house.logs.text.split(separator: "\n").map(String.init).filter { $0.contains(" request completed ") }
                if !lines.isEmpty { return lines }
                await Task.yield()
            }
        }
    }

    /// Runs a server with one route that streams `chunks`.
    private func serving<Body: AsyncSequence & Sendable>(
        _ chunks: @escaping @Sendable () -> Body, _ body: @escaping @Sendable (Running) async throws -> Void
    ) async throws where Body.Element == [UInt8] {
        var settings = HTTPSettings()
        (settings.port, settings.trustedProxies) = (0, ["127.0.0.1"])
        // The server must not close a client's connection as idle on a machine that is busy for a minute.
        settings.idleTimeout = .seconds(36_000)
        let house = try await House(settings: settings)
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        var server = try GatewayServer(
            control: house.control, settings: settings, tokenKey: house.signingKey, simulator: nil, logger: house.logs.logger
        ) { continuation.yield($0) }
        server.routes = [.open(.get, "/stream") { _ in .streamed("text/plain", StreamedBody(chunks())) }]
        let running = Task { [server] in try await server.run() }
        do {
            let port = try #require(await ports.first { _ in true })
            try await body(Running(house: house, server: server, port: port))
        } catch {
            running.cancel()
            throw error
        }
        running.cancel()
        try? await running.value
    }

    @Test("Chunks arrive before the end, and the request is logged at the end with its number of bytes")
    func chunks() async throws {
        let (stream, continuation) = Chunks.makeStream()
        try await serving({ stream }) { running in
            let connection = try running.ask("GET", "X-Request-Id: my-stream\r\n")
            continuation.yield(Array("first".utf8))
            let begun = await connection.text(upTo: "first")
            #expect(begun.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(begun.lowercased().contains("transfer-encoding: chunked"))
            #expect(!running.house.logs.text.contains(" request completed "), "the response has not ended")
            running.house.clock.advance(by: .milliseconds(1_500))
            continuation.yield(Array("second".utf8))
            #expect(await connection.text(upTo: "second").contains("second"))
            continuation.finish()
            #expect(await connection.text(upTo: "0\r\n\r\n").hasSuffix("0\r\n\r\n"))
            let lines = await running.lines()
            #expect(lines.count == 1)
            for part in [
                "debug request completed", #""status": 200"#, #""bytes": 11"#, #""body": complete"#, #""durationMs": 1500.000"#,
                #""request": my-stream"#,
            ] {
                #expect(lines[0].contains(part), "\(part) in \(lines[0])")
            }
            // The connection stays open.
            connection.send("GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(await connection.text(upTo: "\r\n\r\n").hasPrefix("HTTP/1.1 404"))
        }
    }

    @Test("A client that stops reading stops the producer, and is disconnected at its timeout, which cancels the producer")
    func backPressure() async throws {
        let produced = Seen(0)
        try await serving({
            Endless {
                produced.change { $0 += 1 }
                return [UInt8](repeating: 0x78, count: 64 * 1024)
            }
        }) { running in
            let connection = try running.ask()
            #expect(await connection.text(upTo: "\r\n\r\n").hasPrefix("HTTP/1.1 200"))
            while !running.house.logs.text.contains(" request completed ") { await running.house.clock.pass(.seconds(1)) }
            let lines = await running.lines()
            #expect(lines.count == 1 && lines[0].contains(#""body": cut"#), "\(lines)")
            #expect(running.house.clock.now() >= VirtualClock().now().advanced(by: .seconds(60)))
            let count = produced.value
            // The buffers of the two sockets and of the connection limit the number of chunks.
            #expect(count > 0 && count < 1024)
            for _ in 0..<1000 { await Task.yield() }
            #expect(produced.value <= count + 1, "nothing more is requested from a cancelled producer")
            withExtendedLifetime(connection) {}
        }
    }

    @Test("A client that disconnects cancels a waiting producer, and the request is logged once")
    func leaving() async throws {
        let (stream, continuation) = Chunks.makeStream()
        let ends = AsyncStream<Bool>.makeStream()
        continuation.onTermination = { end in
            if case .cancelled = end { ends.continuation.yield(true) } else { ends.continuation.yield(false) }
        }
        try await serving({ stream }) { running in
            var connection: RawConnection? = try running.ask("GET", "X-Forwarded-For: 192.0.2.1\r\n")
            continuation.yield(Array("first".utf8))
            _ = await connection?.text(upTo: "first")
            let network = ClientNetwork("192.0.2.1")
            #expect(running.server.connections.forwardedCount(of: network) == 1, "the request counts while it is streamed")
            connection = nil
            let wasCancelled = await ends.stream.first { _ in true }
            #expect(wasCancelled == true)
            let lines = await running.lines()
            #expect(lines.count == 1 && lines[0].contains(#""body": cut"#) && lines[0].contains(#""bytes": 5"#), "\(lines)")
            while running.server.connections.forwardedCount(of: network) > 0 { await Task.yield() }
        }
    }

    @Test("An error midway closes the connection without the end of the body, and is logged with its cause")
    func failing() async throws {
        let (stream, continuation) = Chunks.makeStream()
        try await serving({ stream }) { running in
            let connection = try running.ask()
            continuation.yield(Array("first".utf8))
            _ = await connection.text(upTo: "first")
            continuation.finish(throwing: Broken())
            let rest = await connection.rest()
            #expect(!rest.contains("0\r\n\r\n"))
            let lines = await running.lines()
            #expect(lines.count == 1)
            #expect(lines[0].hasPrefix("error") && lines[0].contains(#""body": failed"#) && lines[0].contains("Broken"))
        }
    }

    @Test("HEAD requests nothing from the producer and sends no body")
    func head() async throws {
        let produced = Seen(0)
        try await serving({
            Endless {
                produced.change { $0 += 1 }
                return [0x78]
            }
        }) { running in
            let connection = try running.ask("HEAD", "Connection: close\r\n")
            let all = await connection.rest()
            #expect(all.hasPrefix("HTTP/1.1 200") && all.hasSuffix("\r\n\r\n"))
            #expect(all.contains("text/plain"))
            #expect(produced.value == 0)
            #expect(await running.lines().count == 1)
        }
    }

    /// An endless sequence that makes each element when it is requested.
    private struct Endless: AsyncSequence, AsyncIteratorProtocol, Sendable {
        let make: @Sendable () -> [UInt8]

        init(_ make: @escaping @Sendable () -> [UInt8]) { self.make = make }

        func makeAsyncIterator() -> Endless { self }
        func next() async throws -> [UInt8]? { make() }
    }
}
