import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Foundation
import Testing

@testable import DoorwardHTTP

/// An event of a stream, as it was sent.
struct StreamEventText: Sendable {
    var id = ""
    var name = ""
    var data = JSONValue.null
}

/// Reads the events of a response from its connection.
struct EventReader {
    let connection: RawConnection
    private(set) var head = ""
    /// The bytes that have been received, without those of complete chunks.
    private var received: [UInt8] = []
    /// The content of chunks, without complete events.
    private var content: [UInt8] = []
    private var events: [StreamEventText] = []
    /// Whether the connection sends nothing more.
    private var isAtEnd = false

    init(_ connection: RawConnection) { self.connection = connection }

    /// The next event; `nil` at the end of the body.
    mutating func next() async throws -> StreamEventText? {
        while events.isEmpty {
            if isAtEnd { return nil }
            // Each chunk ends with this line break, which is one character: "\n" is not found in the last chunk.
            let more = await connection.text(upTo: "\r\n")
            if more.isEmpty { isAtEnd = true }
            received += Array(more.utf8)
            try takeEvents()
        }
        return events.removeFirst()
    }

    /// The next event of this name.
    mutating func next(_ name: String) async throws -> JSONValue {
        while let event = try await next() { if event.name == name { return event.data } }
        throw RawConnection.Failed(reason: "the stream ended before \(name)")
    }

    /// The next event, which there must be.
    mutating func anyEvent() async throws -> StreamEventText {
        guard let event = try await next() else { throw RawConnection.Failed(reason: "the stream has ended") }
        return event
    }

    /// Expects a value in the next event of a name.
    mutating func expect(_ name: String, _ key: String, _ value: JSONValue) async throws {
        let data = try await next(name)
        #expect(data[key] == value, "\(name): \(data)")
    }

    private mutating func takeEvents() throws {
        if head.isEmpty {
            guard let end = received.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
            head = String(decoding: received[..<end.lowerBound], as: UTF8.self)
            received.removeSubrange(..<end.upperBound)
            guard head.hasPrefix("HTTP/1.1 200 ") else { throw RawConnection.Failed(reason: head) }
        }
        // A chunk is its length, a line break, its content and a line break. The last one has the length 0.
        while let lineEnd = received.firstRange(of: [0x0D, 0x0A]),
            let length = Int(String(decoding: received[..<lineEnd.lowerBound], as: UTF8.self), radix: 16)
        {
            let end = lineEnd.upperBound + length
            guard received.count >= end + 2 else { break }
            if length == 0 { isAtEnd = true }
            content += received[lineEnd.upperBound..<end]
            received.removeSubrange(..<(end + 2))
        }
        while let end = content.firstRange(of: [0x0A, 0x0A]) {
            events.append(try Self.event(content[..<end.lowerBound]))
            content.removeSubrange(..<end.upperBound)
        }
    }

    private static func event(_ block: ArraySlice<UInt8>) throws -> StreamEventText {
        var event = StreamEventText()
        for line in String(decoding: block, as: UTF8.self).split(separator: "\n") {
            if line.hasPrefix("id: ") { event.id = String(line.dropFirst(4)) }
            if line.hasPrefix("event: ") { event.name = String(line.dropFirst(7)) }
            if line.hasPrefix("data: ") { event.data = try JSONValue.parse(Array(line.utf8.dropFirst(6))) }
        }
        return event
    }
}

extension EventReader {
    /// Opens a stream.
    ///
    /// - Parameters:
    ///   - id: the id of the last event of an earlier stream.
    ///   - receiveBuffer: the size of the client's buffer in bytes; by default that of the operating system.
    static func open(
        _ query: String, _ port: Int, _ token: String, after id: String? = nil, receiveBuffer: Int32? = nil
    ) throws -> EventReader {
        let connection = try RawConnection(port: port, receiveBuffer: receiveBuffer)
        let resume = id.map { "Last-Event-ID: \($0)\r\n" } ?? ""
        connection.send(
            "GET /api/v1/stream?\(query) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n\(resume)\r\n")
        return EventReader(connection)
    }
}

extension House {
    /// Runs a server on a free port while `body` runs.
    func servingStreams(
        tls: HTTPSettings.TLSFiles? = nil, _ body: @escaping @Sendable (_ port: Int) async throws -> Void
    ) async throws {
        var settings = HTTPSettings()
        (settings.port, settings.tls) = (0, tls)
        settings.idleTimeout = .seconds(36_000)
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        let server = try GatewayServer(
            control: control, settings: settings, tokenKey: signingKey, simulator: nil, logger: logs.logger
        ) { continuation.yield($0) }
        let running = Task { try await server.run() }
        do {
            let port = try #require(await ports.first { _ in true })
            try await body(port)
        } catch {
            running.cancel()
            throw error
        }
        running.cancel()
        try? await running.value
    }
}
