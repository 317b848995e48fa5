internal import AsyncHTTPClient
internal import DoorwardAPI
internal import FoundationEssentials
internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

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
        return TransportResponse(response, body: Array(body.readableBytesView), server: server)
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
        return ConnectionFailure(error).clientError(server: server.description, wasSent: wasSent)
    }
}

/// A response whose status says whether the token was accepted.
protocol HTTPResponse { var status: Int { get } }

extension RawResponse: HTTPResponse {}

/// An HTTP response, not yet decoded.
struct TransportResponse: HTTPResponse, Sendable {
    let status: Int
    let body: [UInt8]
    /// `Retry-After`, in seconds.
    let retryAfter: Int?
    let server: ServerAddress
    let etag: String?

    init(_ response: HTTPClientResponse, body: [UInt8], server: ServerAddress) {
        (status, self.body, self.server) = (Int(response.status.code), body, server)
        (retryAfter, etag) = (
            response.headers.first(name: "Retry-After").flatMap { Int($0) }, response.headers.first(name: "ETag")
        )
    }

    /// The statuses of proxies that cannot reach the gateway or get no response from it.
    private static let proxyStatuses: Set<Int> = [502, 503, 504]

    /// - Throws: `ClientError.refused` for an error response of the gateway, `.noResponse` for one of a proxy without a connection to
    ///   the gateway, `.notAGateway` for any other error response.
    func successful() throws(ClientError) -> TransportResponse {
        guard !(200..<300).contains(status) else { return self }
        guard var error = try? JSONDecoder().decode(APIError.self, from: Data(body)) else {
            guard Self.proxyStatuses.contains(status) else { throw .notAGateway(server: server.description) }
            throw .noResponse(server: server.description, why: "a proxy in front of the gateway answered \(status)")
        }
        (error.status, error.retryAfter) = (status, retryAfter)
        throw .refused(error)
    }

    /// Decodes `data` of a successful response, or the member of it with this key.
    func decoded<Content: Decodable & Sendable>(member key: String? = nil) throws(ClientError) -> Response<Content> {
        guard let json = JSONScanner.member("data", of: body), let text = key.map({ JSONScanner.member($0, of: json) }) ?? json,
            let content = try? JSONDecoder().decode(Content.self, from: Data(text))
        else { throw .notAGateway(server: server.description) }
        return Response(content: content, json: Array(json), etag: etag)
    }
}

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
    package var headers: [(name: String, value: String)] { response.headers.map { ($0.name, $0.value) } }

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
    package func read(_ take: ([UInt8]) async -> Bool) async throws {
        do {
            for try await part in response.body {
                guard await take(Array(part.readableBytesView)) else { return }
            }
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
        _ = try TransportResponse(response, body: body, server: transport.server).successful()
    }
}

/// Why a connection failed.
struct ConnectionFailure {
    /// The reason, for a person.
    let reason: String
    /// Whether the connection failed before anything was sent.
    var isBeforeSending = false
    /// Whether the connection broke before the response was complete.
    var isBroken = false
    /// Whether the certificate was refused, before anything was sent.
    var isUntrusted = false
}

extension ConnectionFailure {
    init(_ error: any Error) {
        switch error {
        case let error as HTTPClientError: self.init(error)
        case let error as NIOConnectionError:
            let isUnknown = error.connectionErrors.isEmpty && (error.dnsAError != nil || error.dnsAAAAError != nil)
            let reason = error.connectionErrors.first.map { ConnectionFailure($0.error).reason } ?? "it does not respond"
            self.init(reason: isUnknown ? "host not found" : reason, isBeforeSending: true)
        case let error as IOError where error.errnoCode == ECONNREFUSED:
            self.init(reason: "connection refused", isBeforeSending: true)
        case let error as IOError where [EHOSTUNREACH, ENETUNREACH].contains(error.errnoCode):
            self.init(reason: "no route to host", isBeforeSending: true)
        case let error as IOError where [ECONNRESET, EPIPE].contains(error.errnoCode): self = .broken
        case NIOSSLError.uncleanShutdown: self = .broken
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            self.init(reason: "certificate not trusted: it is for another host", isBeforeSending: true, isUntrusted: true)
        case NIOSSLError.unableToValidateCertificate, NIOSSLError.noCertificateToValidate: self = .untrusted
        case NIOSSLError.handshakeFailed(let cause), let cause as BoringSSLError:
            self = Self.isRefusedCertificate(cause) ? .untrusted : .noTLS
        case is NIOSSLError, is NIOSSLExtraError: self = .noTLS
        case is NIOTooManyBytesError: self.init(reason: "the response is too large")
        default: self.init(reason: "the connection failed")
        }
    }

    /// - Parameter wasSent: whether an earlier attempt may have reached the gateway.
    func clientError(server: String, wasSent: Bool) -> ClientError {
        if isUntrusted { return .tlsFailed(server: server, why: reason) }
        return isBeforeSending && !wasSent ? .noConnection(server: server, why: reason) : .noResponse(server: server, why: reason)
    }

    private static let broken = ConnectionFailure(reason: "the connection ended before the response was complete", isBroken: true)

    private static let noTLS = ConnectionFailure(
        reason: "the TLS handshake failed; this port may not serve HTTPS", isBeforeSending: true)

    private static let untrusted = ConnectionFailure(reason: "certificate not trusted", isBeforeSending: true, isUntrusted: true)

    /// Whether the gateway's certificate was rejected. The Swift API of BoringSSL has no code for
    /// this reason, only its name in the error's description.
    private static func isRefusedCertificate(_ error: BoringSSLError) -> Bool { "\(error)".contains("CERTIFICATE_VERIFY_FAILED") }

    private init(_ error: HTTPClientError) {
        switch error {
        case .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
            self.init(reason: "it does not respond", isBeforeSending: true)
        case .deadlineExceeded, .readTimeout, .writeTimeout: self.init(reason: "no response arrived in time")
        case .remoteConnectionClosed, .uncleanShutdown: self = .broken
        default: self.init(reason: "the response is not valid HTTP")
        }
    }
}
