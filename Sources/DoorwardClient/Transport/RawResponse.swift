internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1

/// A response as received: its status and headers, and a body that has not been read yet.
package struct RawResponse: Sendable {
    private let response: HTTPClientResponse
    private let transport: HTTPTransport

    init(_ response: HTTPClientResponse, transport: HTTPTransport) { (self.response, self.transport) = (response, transport) }

    /// The HTTP status.
    package var status: Int { Int(response.status.code) }

    /// The status line, such as `HTTP/1.1 200 OK`.
    package var statusLine: String { "\(response.version) \(status) \(response.status.reasonPhrase)" }

    /// The headers, in the order received.
    package var headers: [RawRequests.Field] { response.headers.map { RawRequests.Field($0.name, $0.value) } }

    /// Whether the body is one JSON document.
    package var isJSON: Bool {
        let type = response.headers.first(name: "Content-Type")?.prefix { $0 != ";" }.lowercased() ?? ""
        return type == "application/json" || type == "application/problem+json"
    }

    /// Whether the status is 2xx.
    package var isSuccess: Bool { (200..<300).contains(status) }

    /// Passes the parts of the body to `take` as they arrive. The body can be read once.
    ///
    /// - Parameter take: returns whether to continue with the next part.
    /// - Throws: `ClientError.noResponse` if the connection ends before the body is complete.
    package func read(_ take: ([UInt8]) -> Bool) async throws {
        do {
            for try await part in response.body {
                guard take(Array(part.readableBytesView)) else { return }
            }
        } catch {
            throw transport.failure(error, wasSent: true)
        }
    }

    /// Passes the parts of the body on as they arrive. The next part is not read before `receive` returns.
    ///
    /// - Throws: `ClientError.noResponse` if the connection ends before the body is complete.
    func forward(to receive: ([UInt8]) async -> Void) async throws {
        do {
            for try await part in response.body { await receive(Array(part.readableBytesView)) }
        } catch {
            throw transport.failure(error, wasSent: true)
        }
    }

    /// Reads the whole body. For a success with an envelope, returns its `data` alone.
    ///
    /// - Throws: `ClientError.refused` for an error of the gateway.
    package func document() async throws -> [UInt8] {
        let body = try await whole()
        try requireSuccess(body)
        return isJSON ? JSONScanner.member("data", of: body) ?? body : body
    }

    /// Reads the body as received.
    package func whole() async throws -> [UInt8] {
        var body: [UInt8] = []
        try await read { part in
            body += part
            return true
        }
        return body
    }

    /// - Throws: `ClientError.refused` for an error of the gateway, `.notAGateway` for an error of another server.
    package func requireSuccess(_ body: [UInt8]) throws {
        _ = try TransportResponse(
            status: status, body: body, retryAfter: response.headers.first(name: "Retry-After").flatMap { Int($0) },
            server: transport.server
        ).successful()
    }
}
