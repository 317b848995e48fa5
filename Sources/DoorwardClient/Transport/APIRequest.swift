internal import FoundationEssentials
internal import NIOHTTP1

/// One request to the API, ready to be sent.
struct APIRequest: Sendable {
    let method: HTTPMethod
    /// The path after `/api/v1`, percent-encoded.
    let path: String
    /// Headers that are added to the default headers, or replace those of the same name. No name occurs twice.
    var headers: [(name: String, value: String)] = []
    /// Items of the query; those without a value are left out.
    var query: [(name: String, value: String?)] = []
    var body: [UInt8]?
    /// The idempotency key: the gateway executes requests with the same key once.
    var idempotencyKey: String?
    var timeLimit: Duration = .seconds(30)

    /// Whether the request may be sent again: it changes nothing, or has an idempotency key.
    var isRepeatable: Bool { method == .GET || idempotencyKey != nil }

    /// Path and query of the URL.
    var target: String {
        let items = query.compactMap { name, value in value.map { Self.encoded(name, $0) } }
        return "/api/v1" + path + (items.isEmpty ? "" : (path.contains("?") ? "&" : "?") + items.joined(separator: "&"))
    }

    /// - Parameter path: path segments, not yet encoded.
    init(_ method: HTTPMethod, _ path: String...) { self.init(method, path) }

    static func get(_ path: String..., query: [(name: String, value: String?)] = []) -> APIRequest {
        var request = APIRequest(.GET, path)
        request.query = query
        return request
    }

    /// Makes a request that changes something, with a new idempotency key.
    static func post(_ path: String..., body: some Encodable) throws -> APIRequest {
        var request = try APIRequest(.POST, path, body: body)
        request.idempotencyKey = newKey()
        return request
    }

    static func newKey() -> String { UUID().uuidString.lowercased() }

    /// Makes a request that changes the named fields. Sending it again has no further effect.
    static func put(_ path: String..., body: some Encodable) throws -> APIRequest {
        try APIRequest(.PUT, path, body: body)
    }

    /// - Parameter encodedPath: begins with a slash and is sent unchanged; it may include a query.
    init(_ method: HTTPMethod, encodedPath: String) { (self.method, path) = (method, encodedPath) }

    /// - Parameter path: path segments, not yet encoded.
    init(_ method: HTTPMethod, _ path: [String]) {
        self.method = method
        self.path = path.map { "/" + Self.encoded($0) }.joined()
    }

    /// Makes a request without an idempotency key.
    ///
    /// - Parameter path: path segments, not yet encoded.
    init(_ method: HTTPMethod, _ path: [String], body: some Encodable) throws {
        self.init(method, path)
        self.body = Array(try JSONEncoder().encode(body))
    }

    /// Percent-encodes all characters except the unreserved ones (RFC 3986, section 2.3). Also
    /// encodes the segments `.` and `..`, so that they are not resolved as relative paths.
    static func encoded(_ text: String) -> String {
        if text == "." || text == ".." { return text.replacing(".", with: "%2E") }
        return text.utf8.reduce(into: "") { encoded, byte in
            let character = Character(Unicode.Scalar(byte))
            if byte < 0x80, character.isLetter || character.isNumber || "-._~".contains(character) {
                encoded.append(character)
            } else {
                encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
    }

    /// One field of a query.
    static func encoded(_ name: String, _ value: String) -> String { "\(encoded(name))=\(encoded(value))" }
}
