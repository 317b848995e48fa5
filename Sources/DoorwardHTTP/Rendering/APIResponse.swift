internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Synchronization

/// A response of a route or of an error.
struct APIResponse: Sendable {
    var status: Int
    /// JSON, or empty for 204.
    var body: [UInt8]
    /// A body that is produced while it is sent, used in place of `body`; `nil` if `body` is used.
    var stream: StreamedBody?
    var headers: HTTPFields = [:]
    /// The memory reserved for a large body until it is sent; `nil` for a small one.
    var reservation: ResponseMemory.Reservation?

    /// - Parameter type: the media type of the body; `nil` for JSON.
    init(status: Int = 200, body: [UInt8] = [], type: String? = nil) {
        (self.status, self.body) = (status, body)
        headers[.contentType] = type
    }

    /// A redirection to another path.
    static func redirection(_ status: Int, to path: String) -> APIResponse { APIResponse(status: status).with(.location, path) }

    /// The same response with a further header, unless the value is `nil`.
    func with(_ name: HTTPField.Name, _ value: String?) -> APIResponse {
        var answer = self
        answer.headers[name] = value
        return answer
    }

    /// A response with a body that is produced while it is sent.
    ///
    /// - Parameter body: the next chunk is requested when the connection has accepted the previous one. The body is cancelled when
    ///   the client disconnects; if it throws, the connection is closed before the body's end.
    static func streamed(_ contentType: String, _ body: StreamedBody) -> APIResponse {
        var answer = APIResponse(type: contentType)
        answer.stream = body
        return answer
    }

    /// A success response: the envelope with the fields that `data` writes.
    static func success(_ status: Int = 200, location: String? = nil, _ data: (inout JSONWriter) -> Void) -> APIResponse {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("status", "success")
            writer.field("data") { $0.object(data) }
        }
        return APIResponse(status: status, body: writer.bytes).with(.location, location)
    }

    /// The response to the creation of an entity, with its location.
    ///
    /// - Parameters:
    ///   - path: the entity's path under `/api/v1/`.
    ///   - name: the field of `data` that contains the entity.
    static func created(_ path: String, _ name: String, _ write: (inout JSONWriter) -> Void) -> APIResponse {
        success(201, location: "/api/v1/\(path)") { $0.field(name, write) }
    }

    /// A page of a list, with `data.pagination`.
    ///
    /// - Throws: `.invalid` if the items together have more than `WireLimits.pageBytes`; rendering stops at that size.
    static func page<Item>(
        _ name: String, _ page: Page<Item>, _ write: (inout JSONWriter, Item) -> Void
    ) throws(GatewayError) -> APIResponse {
        var count = 0
        let answer = success { writer in
            writer.field(name) { count = $0.array(page.items, maxBytes: WireLimits.pageBytes, write) }
            writer.field("pagination", Pagination(page))
        }
        guard count == page.items.count else { throw .invalid("limit", FieldProblemCode.pageTooLarge.rawValue) }
        return answer
    }

    /// A response with 204 and no body.
    static let nothing = APIResponse(status: 204)

    // MARK: - Sending

    /// - Parameter streamed: the body of a streamed response.
    func response(_ streamed: ResponseBody? = nil) -> Response {
        var headers = headers
        if !body.isEmpty, headers[.contentType] == nil { headers[.contentType] = "application/json" }
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
        headers[.xContentTypeOptions] = "nosniff"
        return Response(status: HTTPResponse.Status(code: status), headers: headers, body: streamed ?? responseBody)
    }

    /// Sends a large body in chunks, each after the socket has accepted the previous one.
    private var responseBody: ResponseBody {
        guard !body.isEmpty else { return ResponseBody() }
        guard let reservation else { return ResponseBody(byteBuffer: ByteBuffer(bytes: body)) }
        return ResponseBody(contentLength: body.count) { [body] writer in
            for start in stride(from: 0, to: body.count, by: ResponseMemory.chunkBytes) {
                let end = min(body.count, start + ResponseMemory.chunkBytes)
                try await writer.write(ByteBuffer(bytes: body[start..<end]))
            }
            try await writer.finish(nil)
            withExtendedLifetime(reservation) {}
        }
    }
}

extension JSONWriter {
    /// Writes a field whose value is an array of objects; `fields` writes the fields of each.
    mutating func objects<Elements: Sequence>(
        _ name: String, _ elements: Elements, _ fields: (inout Self, Elements.Element) -> Void
    ) {
        field(name) { $0.array(elements) { writer, element in writer.object { fields(&$0, element) } } }
    }
}

extension HTTPField.Name {
    static let idempotentReplayed = token("Idempotent-Replayed")
    static let idempotencyKey = token("Idempotency-Key")
    static let requestID = token("X-Request-Id")
    static let doorwardClient = token("X-Doorward-Client")
    static let forwardedFor = token("X-Forwarded-For")
    static let setupToken = token(SetupRoutes.tokenHeader)
    static let forwarded = token("Forwarded")
    static let realIP = token("X-Real-IP")
    static let traceContext = token("traceparent")
    static let prefer = token("Prefer")
    static let preferenceApplied = token("Preference-Applied")
    static let lastEventID = token("Last-Event-ID")
    static let accelBuffering = token("X-Accel-Buffering")
    static let referrerPolicy = token("Referrer-Policy")
    static let robots = token("X-Robots-Tag")

    /// Makes a header name from a constant of this file.
    private static func token(_ text: String) -> HTTPField.Name {
        // Only the constants above are passed, and the first response of any test would reveal an invalid one.
        guard let name = HTTPField.Name(text) else { preconditionFailure("not a header name: \(text)") }
        return name
    }
}

/// Limits the memory of response bodies that clients have not read yet, so that slow readers of large pages cannot exhaust it. A
/// small body is not counted: the limit on connections also limits how many small bodies there are.
final class ResponseMemory: Sendable {
    /// Bytes that are passed to a connection at once. A body of up to this size is not counted.
    static let chunkBytes = 64 * 1024
    /// Maximum bytes of all counted bodies.
    static let maxBytes = 128 * 1024 * 1024
    /// Maximum bytes of the counted bodies of one principal.
    static let maxBytesOfOne = 32 * 1024 * 1024

    private struct State {
        var total = 0
        var ofPrincipal: [Principal?: Int] = [:]
    }

    private let state = Mutex(State())

    /// Bytes that are currently reserved.
    var reserved: Int { state.withLock { $0.total } }

    /// Returns the same response, with memory reserved for its body if the body is large and has none yet.
    ///
    /// - Parameter principal: the principal of the request; all unauthenticated requests share one limit.
    /// - Throws: `.unavailable` if the limit is exceeded.
    func admit(_ answer: APIResponse, for principal: Principal?) throws(GatewayError) -> APIResponse {
        guard answer.body.count > Self.chunkBytes, answer.reservation == nil else { return answer }
        guard let reservation = reserve(answer.body.count, for: principal) else { throw .unavailable }
        var answer = answer
        answer.reservation = reservation
        return answer
    }

    /// - Returns: `nil` if the limit is exceeded.
    func reserve(_ bytes: Int, for principal: Principal?) -> Reservation? {
        let fits = state.withLock { state in
            let ofPrincipal = state.ofPrincipal[principal, default: 0] + bytes
            guard state.total + bytes <= Self.maxBytes, ofPrincipal <= Self.maxBytesOfOne else { return false }
            state.total += bytes
            state.ofPrincipal[principal] = ofPrincipal
            return true
        }
        return fits ? Reservation(memory: self, bytes: bytes, principal: principal) : nil
    }

    private func release(_ bytes: Int, of principal: Principal?) {
        state.withLock { state in
            state.total -= bytes
            let rest = state.ofPrincipal[principal, default: 0] - bytes
            state.ofPrincipal[principal] = rest > 0 ? rest : nil
        }
    }

    /// Releases its memory when it is deallocated: after the body was sent, or the connection was closed.
    final class Reservation: Sendable {
        private let memory: ResponseMemory
        private let bytes: Int
        private let principal: Principal?

        fileprivate init(memory: ResponseMemory, bytes: Int, principal: Principal?) {
            (self.memory, self.bytes, self.principal) = (memory, bytes, principal)
        }

        deinit { memory.release(bytes, of: principal) }
    }
}
