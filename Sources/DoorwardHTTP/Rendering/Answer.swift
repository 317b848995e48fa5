internal import DoorwardControl
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// What a call is answered with.
struct Answer: Sendable {
    var status: Int
    /// JSON, or empty for 204.
    var body: [UInt8]
    var headers: HTTPFields = [:]

    init(status: Int, body: [UInt8]) { (self.status, self.body) = (status, body) }

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

    /// A page of a list that is held whole, with `data.pagination`.
    static func list<Key, Item>(
        _ name: String, _ items: [Item], _ page: PageRequest<Key>, _ write: (inout JSONWriter, Item) -> Void
    ) -> Answer {
        self.page(name, page.slice(items), Pagination(page, total: items.count), write)
    }

    /// The items of one page, with `data.pagination`.
    static func page<Items: Sequence>(
        _ name: String, _ items: Items, _ pagination: Pagination, _ write: (inout JSONWriter, Items.Element) -> Void
    ) -> Answer {
        .success { writer in
            writer.field(name) { $0.array(items, write) }
            writer.field("pagination", pagination)
        }
    }

    /// 204.
    static let nothing = Answer(status: 204, body: [])

    var location: String? {
        get { headers[.location] }
        set { headers[.location] = newValue }
    }

    // MARK: - Kept answers

    /// The answer as it is kept for a repeat; an error in the envelope, whatever form its call asked for.
    var stored: StoredAnswer { StoredAnswer(status: status, location: location, body: body) }

    /// The answer to a repeat: what the first call was told, in the form and under the request id of the repeat.
    init(replaying stored: StoredAnswer, to facts: RequestFacts) {
        self = ErrorAnswer(replaying: stored)?.answer(facts) ?? Answer(status: stored.status, body: stored.body)
        location = stored.location
        headers[.idempotentReplayed] = "true"
    }

    // MARK: - Sending

    func response() -> Response {
        var headers = headers
        if !body.isEmpty, headers[.contentType] == nil { headers[.contentType] = "application/json" }
        headers[.cacheControl] = "no-store"
        headers[.xContentTypeOptions] = "nosniff"
        return Response(
            status: HTTPResponse.Status(code: status), headers: headers,
            body: body.isEmpty ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
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
