internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1

/// Sends calls to one gateway and brings back what it answers.
struct Channel: Sendable {
    let server: ServerAddress
    let source: String?
    /// Of every call, instead of the call's own.
    var timeLimit: Duration?

    /// Bytes of an answer; more is no answer of a gateway.
    private static let longestAnswer = 32 << 20

    /// One for the process, never shut down: it lives as long as the process does. Nothing is followed or tried again on its
    /// own account: a redirection could carry a token elsewhere, and what is safe to send again is decided here.
    private static let http: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.timeout.connect = .seconds(10)
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    /// Sends a call. One whose connection ends in the middle is sent once more, if that can do nothing twice.
    ///
    /// - Throws: `ClientError.noConnection` or `.noAnswer`; `CancellationError`.
    func send(_ call: Call, token: String?) async throws -> Reply {
        do {
            return try await sendOnce(call, token: token)
        } catch  where call.isRepeatable && ConnectionFailure(error).isBroken {
            do { return try await sendOnce(call, token: token) } catch { throw failure(error, wasSent: true) }
        } catch {
            throw failure(error, wasSent: false)
        }
    }

    private func sendOnce(_ call: Call, token: String?) async throws -> Reply {
        let response = try await Self.http.execute(request(call, token), timeout: TimeAmount(timeLimit ?? call.timeLimit))
        let body = try await response.body.collect(upTo: Self.longestAnswer)
        return Reply(
            status: Int(response.status.code), body: Array(body.readableBytesView),
            retryAfter: response.headers.first(name: "Retry-After").flatMap { Int($0) }, server: server)
    }

    private func request(_ call: Call, _ token: String?) -> HTTPClientRequest {
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
        return request
    }

    /// - Parameter wasSent: whether an earlier attempt may have arrived.
    private func failure(_ error: any Error, wasSent: Bool) -> any Error {
        if error is CancellationError || (error as? HTTPClientError) == .cancelled { return CancellationError() }
        let failure = ConnectionFailure(error)
        let server = server.description
        return failure.isBeforeSending && !wasSent
            ? ClientError.noConnection(server: server, why: failure.words)
            : ClientError.noAnswer(server: server, why: failure.words)
    }
}
