import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// A response of the gateway.
struct Answer: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: JSON

    var data: JSON { body["data"] }
    var code: String? { body["code"].text }
}

/// A caller of the gateway's HTTP API: an address and an optional token.
struct Caller: Sendable {
    let address: String
    var token: String?

    /// Returns the same user as a caller of another run of the gateway.
    func at(_ gateway: RunningGateway) -> Caller { Caller(address: gateway.address, token: token) }

    func get(_ path: String) async throws -> Answer { try await send(.GET, path) }

    func post(_ path: String, _ body: String, _ headers: [String: String] = [:]) async throws -> Answer {
        try await send(.POST, path, Array(body.utf8), ["Content-Type": "application/json"].merging(headers) { _, new in new })
    }

    func put(_ path: String, _ body: String) async throws -> Answer {
        try await send(.PUT, path, Array(body.utf8), ["Content-Type": "application/json"])
    }

    func delete(_ path: String) async throws -> Answer { try await send(.DELETE, path) }

    /// A client that fails at once if the gateway has stopped, and that can send many requests at the same time.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.retryConnectionEstablishment = false
        // Less than the gateway's idle timeout of 60 s, so that no connection is reused while the gateway closes it.
        configuration.connectionPool.idleTimeout = .seconds(45)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 512
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    /// Sends a request unchanged. `path` is appended to `/api/v1` unless it begins with two slashes.
    func send(_ method: HTTPMethod, _ path: String, _ body: [UInt8]? = nil, _ headers: [String: String] = [:]) async throws
        -> Answer
    {
        var request = HTTPClientRequest(url: address + (path.hasPrefix("//") ? String(path.dropFirst()) : "/api/v1" + path))
        request.method = method
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
        if let body { request.body = .bytes(body) }
        // The timeout is longer than the test's own time limit, so that the time limit ends the test first.
        let response = try await Self.client.execute(request, timeout: .hours(1))
        let bytes = try await response.body.collect(upTo: 8 << 20)
        let json = bytes.readableBytes == 0 ? JSON.null : try JSONDecoder().decode(JSON.self, from: Data(bytes.readableBytesView))
        return Answer(status: Int(response.status.code), headers: response.headers, body: json)
    }
}
