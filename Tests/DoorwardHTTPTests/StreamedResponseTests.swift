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

        /// The lines of the log about answers, once there is one.
        func lines() async -> [String] {
            while true {
                let lines = house.logs.text.split(separator: "\n").map(String.init).filter { $0.contains(" answered ") }
                if !lines.isEmpty { return lines }
                await Task.yield()
            }
        }
    }

    /// Runs a server with one route, which streams `chunks`.
    private func serving<Body: AsyncSequence & Sendable>(
        _ chunks: @escaping @Sendable () -> Body, _ body: @escaping @Sendable (Running) async throws -> Void
    ) async throws where Body.Element == [UInt8] {
        var settings = HTTPSettings()
        (settings.port, settings.trustedProxies) = (0, ["127.0.0.1"])
        // A machine that is busy for a minute shall not look like a client that went silent.
        settings.idleTimeout = .seconds(36_000)
        let house = try await House(settings: settings)
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        var server = try GatewayServer(
            control: house.control, settings: settings, tokenKey: house.signingKey, simulator: nil, logger: house.logs.logger
        ) { continuation.yield($0) }
        server.routes = [.open(.get, "/stream") { _ in .streamed("text/plain", chunks()) }]
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

    @Test("Chunks arrive before the end, and the line in the log is written at the end, with the bytes")
    func chunks() async throws {
        let (stream, continuation) = Chunks.makeStream()
        try await serving({ stream }) { running in
            let connection = try running.ask("GET", "X-Request-Id: my-stream\r\n")
            continuation.yield(Array("first".utf8))
            let begun = await connection.text(upTo: "first")
            #expect(begun.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(begun.lowercased().contains("transfer-encoding: chunked"))
            #expect(!running.house.logs.text.contains(" answered "), "the response has not ended")
            running.house.clock.advance(by: .milliseconds(1_500))
            continuation.yield(Array("second".utf8))
            #expect(await connection.text(upTo: "second").contains("second"))
            continuation.finish()
            #expect(await connection.text(upTo: "0\r\n\r\n").hasSuffix("0\r\n\r\n"))
            let lines = await running.lines()
            #expect(lines.count == 1)
            for part in [
                "debug answered", #""status": 200"#, #""bytes": 11"#, #""body": complete"#, #""durationMs": 1500.000"#,
                #""request": my-stream"#,
            ] {
                #expect(lines[0].contains(part), "\(part) in \(lines[0])")
            }
            // The connection goes on.
            connection.send("GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(await connection.text(upTo: "\r\n\r\n").hasPrefix("HTTP/1.1 404"))
        }
    }

    @Test("A reader that stops holds up the producer, and is cut at the limit of its connection, which cancels the producer")
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
            while !running.house.logs.text.contains(" answered ") { await running.house.clock.pass(.seconds(1)) }
            let lines = await running.lines()
            #expect(lines.count == 1 && lines[0].contains(#""body": cut"#), "\(lines)")
            #expect(running.house.clock.now() >= VirtualClock().now().advanced(by: .seconds(60)))
            let count = produced.value
            // What the buffers of the two sockets and of the connection take.
            #expect(count > 0 && count < 1024)
            for _ in 0..<1000 { await Task.yield() }
            #expect(produced.value <= count + 1, "a cancelled producer is asked for nothing more")
            withExtendedLifetime(connection) {}
        }
    }

    @Test("A client that leaves cancels a producer that waits, and the request has one line")
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
            #expect(running.server.connections.forwardedCount(of: network) == 1, "counted while it is streamed")
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

    @Test("HEAD asks the producer for nothing and sends no body")
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

    /// Elements without an end, each made when it is asked for.
    private struct Endless: AsyncSequence, AsyncIteratorProtocol, Sendable {
        let make: @Sendable () -> [UInt8]

        init(_ make: @escaping @Sendable () -> [UInt8]) { self.make = make }

        func makeAsyncIterator() -> Endless { self }
        func next() async throws -> [UInt8]? { make() }
    }
}
