import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// One answer of the gateway.
struct Answer: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: JSON

    var data: JSON { body["data"] }
    var code: String? { body["code"].text }
}

/// A caller of the gateway's HTTP API: an address and perhaps a token.
struct Caller: Sendable {
    let address: String
    var token: String?

    /// The same person on another run of the gateway.
    func at(_ gateway: RunningGateway) -> Caller { Caller(address: gateway.address, token: token) }

    func get(_ path: String) async throws -> Answer { try await send(.GET, path) }

    func post(_ path: String, _ body: String, _ headers: [String: String] = [:]) async throws -> Answer {
        try await send(.POST, path, Array(body.utf8), ["Content-Type": "application/json"].merging(headers) { _, new in new })
    }

    func put(_ path: String, _ body: String) async throws -> Answer {
        try await send(.PUT, path, Array(body.utf8), ["Content-Type": "application/json"])
    }

    func delete(_ path: String) async throws -> Answer { try await send(.DELETE, path) }

    /// A gateway that is gone is told at once, not after attempts to reach it, and no call waits for another's connection.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.retryConnectionEstablishment = false
        // Sooner than the gateway, which ends an idle connection after 60 s: none is used that is just being ended there.
        configuration.connectionPool.idleTimeout = .seconds(45)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 512
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    /// Sends a request as it is given; `path` follows `/api/v1` unless it begins with two slashes.
    func send(_ method: HTTPMethod, _ path: String, _ body: [UInt8]? = nil, _ headers: [String: String] = [:]) async throws
        -> Answer
    {
        var request = HTTPClientRequest(url: address + (path.hasPrefix("//") ? String(path.dropFirst()) : "/api/v1" + path))
        request.method = method
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
        if let body { request.body = .bytes(body) }
        // The time limit of the test is the only one.
        let response = try await Self.client.execute(request, timeout: .hours(1))
        let bytes = try await response.body.collect(upTo: 8 << 20)
        let json = bytes.readableBytes == 0 ? JSON.null : try JSONDecoder().decode(JSON.self, from: Data(bytes.readableBytesView))
        return Answer(status: Int(response.status.code), headers: response.headers, body: json)
    }
}
