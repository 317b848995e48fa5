internal import DoorwardAPI
internal import DoorwardControl
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// What a call is answered with.
struct Answer: Sendable {
    var status: Int
    /// JSON, or empty for 204.
    var body: [UInt8]
    /// In place of `body`, a body that is produced while it is sent.
    var stream: StreamedBody?
    var headers: HTTPFields = [:]
    /// The memory that a large body takes until it is sent; `nil` for a small one.
    var reservation: ResponseMemory.Reservation?

    init(status: Int, body: [UInt8]) { (self.status, self.body) = (status, body) }

    /// A body that is produced while it is sent.
    ///
    /// - Parameter chunks: is asked for the next one when the connection has taken the last one, and cancelled when the client leaves.
    ///   Where it throws, the connection is closed before the body's end.
    static func streamed<Chunks: AsyncSequence & Sendable>(
        _ contentType: String, _ chunks: Chunks
    ) -> Answer where Chunks.Element == [UInt8] {
        var answer = Answer(status: 200, body: [])
        answer.stream = StreamedBody(chunks)
        answer.headers[.contentType] = contentType
        return answer
    }

    /// Success: the envelope around what `data` writes.
    static func success(_ status: Int = 200, location: String? = nil, _ data: (inout JSONWriter) -> Void) -> Answer {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("status", "success")
            writer.field("data") { $0.object(data) }
        }
        var answer = Answer(status: status, body: writer.bytes)
        answer.location = location
        return answer
    }

    /// Something that was just made, and where it is from now on.
    ///
    /// - Parameters:
    ///   - path: under `/api/v1/`.
    ///   - name: of the field of `data` that holds it.
    static func created(_ path: String, _ name: String, _ write: (inout JSONWriter) -> Void) -> Answer {
        success(201, location: "/api/v1/\(path)") { $0.field(name, write) }
    }

    /// A page of a list, with `data.pagination`.
    ///
    /// - Throws: `.invalid` where its items have more than `WireLimits.pageBytes`; rendering ends there.
    static func page<Item>(
        _ name: String, _ page: Page<Item>, _ write: (inout JSONWriter, Item) -> Void
    ) throws(GatewayError) -> Answer {
        var count = 0
        let answer = success { writer in
            writer.field(name) { count = $0.array(page.items, maxBytes: WireLimits.pageBytes, write) }
            writer.field("pagination", Pagination(page))
        }
        guard count == page.items.count else { throw .invalid("limit", FieldProblemWord.pageTooLarge.rawValue) }
        return answer
    }

    /// 204.
    static let nothing = Answer(status: 204, body: [])

    var location: String? {
        get { headers[.location] }
        set { headers[.location] = newValue }
    }

    // MARK: - Sending

    /// - Parameter streamed: the body of an answer that is produced while it is sent.
    func response(_ streamed: ResponseBody? = nil) -> Response {
        var headers = headers
        if !body.isEmpty, headers[.contentType] == nil { headers[.contentType] = "application/json" }
        headers[.cacheControl] = "no-store"
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

extension HTTPField.Name {
    static let idempotentReplayed = token("Idempotent-Replayed")
    static let idempotencyKey = token("Idempotency-Key")
    static let requestID = token("X-Request-Id")
    static let doorwardClient = token("X-Doorward-Client")
    static let forwardedFor = token("X-Forwarded-For")
    static let forwarded = token("Forwarded")
    static let realIP = token("X-Real-IP")
    static let traceContext = token("traceparent")
    static let prefer = token("Prefer")
    static let preferenceApplied = token("Preference-Applied")

    /// A name that is written here, and so is known to be one.
    private static func token(_ text: String) -> HTTPField.Name {
        // Only the constants above come here, and the first answer of any test would show a wrong one.
        guard let name = HTTPField.Name(text) else { preconditionFailure("not a header's name: \(text)") }
        return name
    }
}
