internal import FoundationEssentials
internal import NIOHTTP1

/// One call of the API, ready to be sent.
struct Call: Sendable {
    let method: HTTPMethod
    /// After `/api/v1`; its parts are percent-encoded.
    let path: String
    var query: [(name: String, value: String)] = []
    var body: [UInt8]?
    /// Names the attempt, so that it can be made again without happening twice.
    var idempotencyKey: String?
    var timeLimit: Duration = .seconds(30)

    /// What asks and changes nothing may be sent again, and so may what has a key.
    var isRepeatable: Bool { method == .GET || idempotencyKey != nil }

    /// The text after the server's address.
    var target: String {
        let items = query.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }
        return "/api/v1" + path + (items.isEmpty ? "" : "?" + items.joined(separator: "&"))
    }

    /// - Parameter path: parts of the path, each of which may hold anything.
    init(_ method: HTTPMethod, _ path: String...) {
        self.method = method
        self.path = path.map { "/" + Self.encoded($0) }.joined()
    }

    static func get(_ path: String..., query: [(name: String, value: String?)] = []) -> Call {
        var call = Call(.GET, parts: path)
        call.query = query.compactMap { item in item.value.map { (item.name, $0) } }
        return call
    }

    /// A call that makes something or moves a lock, under a key of its own.
    static func post(_ path: String..., body: some Encodable) throws -> Call {
        var call = Call(.POST, parts: path)
        call.body = Array(try JSONEncoder().encode(body))
        call.idempotencyKey = UUID().uuidString.lowercased()
        return call
    }

    private init(_ method: HTTPMethod, parts: [String]) {
        self.method = method
        path = parts.map { "/" + Self.encoded($0) }.joined()
    }

    /// Everything but unreserved characters (RFC 3986, section 2.3) as `%XX`, dots alone too, so that no part means a folder.
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
}
