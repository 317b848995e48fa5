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
    private static let maxAnswerBytes = 32 << 20

    /// Sends a call. If the connection breaks before the response is complete, and the call may be
    /// repeated, the call is sent once more.
    ///
    /// - Throws: `ClientError.noConnection` or `.noAnswer`; `CancellationError`.
    func send(_ call: APIRequest, token: String?) async throws -> TransportResponse {
        do {
            return try await sendOnce(call, token: token)
        } catch  where call.isRepeatable && ConnectionFailure(error).isBroken {
            do { return try await sendOnce(call, token: token) } catch { throw failure(error, wasSent: true) }
        } catch {
            throw failure(error, wasSent: false)
        }
    }

    private func sendOnce(_ call: APIRequest, token: String?) async throws -> TransportResponse {
        let response = try await head(of: call, token: token)
        let body = try await response.body.collect(upTo: Self.maxAnswerBytes)
        return TransportResponse(
            status: Int(response.status.code), body: Array(body.readableBytesView),
            retryAfter: response.headers.first(name: "Retry-After").flatMap { Int($0) }, server: server)
    }

    private func head(of call: APIRequest, token: String?) async throws -> HTTPClientResponse {
        try await HTTPClients.client(trusting: authorities)
            .execute(request(call, token), timeout: TimeAmount(timeLimit ?? call.timeLimit))
    }

    /// Sends a call once, and returns as soon as the status and the headers have arrived; the time limit applies until then.
    func open(_ call: APIRequest, token: String?) async throws -> RawResponse {
        do {
            let response = try await head(of: call, token: token)
            return RawResponse(response, channel: self)
        } catch {
            throw failure(error, wasSent: false)
        }
    }

    private func request(_ call: APIRequest, _ token: String?) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: server.description + call.target)
        request.method = call.method
        request.headers.add(name: "Accept", value: "application/json")
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        if let source { request.headers.add(name: "X-Doorward-Client", value: source) }
        if let key = call.idempotencyKey { request.headers.add(name: "Idempotency-Key", value: key) }
        if let body = call.body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(body)
        }
        for (name, value) in call.headers { request.headers.replaceOrAdd(name: name, value: value) }
        return request
    }

    /// - Parameter wasSent: whether an earlier attempt may have reached the gateway.
    func failure(_ error: any Error, wasSent: Bool) -> any Error {
        if error is CancellationError || (error as? HTTPClientError) == .cancelled { return CancellationError() }
        let failure = ConnectionFailure(error)
        let server = server.description
        if failure.isUntrusted { return ClientError.tlsFailed(server: server, why: failure.words) }
        return failure.isBeforeSending && !wasSent
            ? ClientError.noConnection(server: server, why: failure.words)
            : ClientError.noAnswer(server: server, why: failure.words)
    }
}
