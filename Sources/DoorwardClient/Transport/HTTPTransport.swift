internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1

/// Sends requests to one gateway and returns its responses.
struct HTTPTransport: Sendable {
    let server: ServerAddress
    let source: String?
    /// If set, replaces the time limit of every call.
    var timeLimit: Duration?
    /// The certificates that are trusted instead of the system's.
    var authorities: TrustedAuthorities?

    /// Maximum bytes of a response body; a gateway sends no larger ones.
    private static let maxResponseBytes = 32 << 20

    /// Sends a call. If the connection breaks before the response is complete, and the call may be
    /// repeated, the call is sent once more.
    ///
    /// - Throws: `ClientError.noConnection` or `.noResponse`; `CancellationError`.
    func send(_ request: APIRequest, token: String?) async throws -> TransportResponse {
        do {
            return try await sendOnce(request, token: token)
        } catch  where request.isRepeatable && ConnectionFailure(error).isBroken {
            do { return try await sendOnce(request, token: token) } catch { throw failure(error, wasSent: true) }
        } catch {
            throw failure(error, wasSent: false)
        }
    }

    private func sendOnce(_ request: APIRequest, token: String?) async throws -> TransportResponse {
        let response = try await head(of: request, token: token)
        let body = try await response.body.collect(upTo: Self.maxResponseBytes)
        return TransportResponse(
            status: Int(response.status.code), body: Array(body.readableBytesView),
            retryAfter: response.headers.first(name: "Retry-After").flatMap { Int($0) }, server: server,
            etag: response.headers.first(name: "ETag"))
    }

    private func head(of request: APIRequest, token: String?) async throws -> HTTPClientResponse {
        try await HTTPClients.client(trusting: authorities)
            .execute(httpRequest(request, token), timeout: TimeAmount(timeLimit ?? request.timeLimit))
    }

    /// Sends a call once, and returns as soon as the status and the headers have arrived; the time limit applies until then.
    func open(_ request: APIRequest, token: String?) async throws -> RawResponse {
        do {
            let response = try await head(of: request, token: token)
            return RawResponse(response, transport: self)
        } catch {
            throw failure(error, wasSent: false)
        }
    }

    private func httpRequest(_ request: APIRequest, _ token: String?) -> HTTPClientRequest {
        var result = HTTPClientRequest(url: server.description + request.target)
        result.method = request.method
        result.headers.add(name: "Accept", value: "application/json")
        if let token { result.headers.add(name: "Authorization", value: "Bearer \(token)") }
        if let source { result.headers.add(name: "X-Doorward-Client", value: source) }
        if let key = request.idempotencyKey { result.headers.add(name: "Idempotency-Key", value: key) }
        if let body = request.body {
            result.headers.add(name: "Content-Type", value: "application/json")
            result.body = .bytes(body)
        }
        for (name, value) in request.headers { result.headers.replaceOrAdd(name: name, value: value) }
        return result
    }

    /// - Parameter wasSent: whether an earlier attempt may have reached the gateway.
    func failure(_ error: any Error, wasSent: Bool) -> any Error {
        if error is CancellationError || (error as? HTTPClientError) == .cancelled { return CancellationError() }
        let failure = ConnectionFailure(error)
        let server = server.description
        if failure.isUntrusted { return ClientError.tlsFailed(server: server, why: failure.reason) }
        return failure.isBeforeSending && !wasSent
            ? ClientError.noConnection(server: server, why: failure.reason)
            : ClientError.noResponse(server: server, why: failure.reason)
    }
}
