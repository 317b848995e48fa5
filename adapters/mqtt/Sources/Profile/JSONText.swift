/// A parsed JSON text that distinguishes integers from other numbers: `3.0` is no integer. Foundation's parser does not.
enum JSONText: Hashable, Sendable {
    case null
    case bool(Bool)
    /// Decimal digits, of any length.
    case integer(String)
    case number(Double)
    case string(String)
    case array([JSONText])
    case object([String: JSONText])

    /// Maximum nesting depth: more than any lock sends, and far below the limit of the stack.
    static let deepest = 32

    /// - Returns: `nil` if `text` is no JSON (RFC 8259), nests deeper than `deepest`, or has a duplicate key, which parsers treat
    ///   differently.
    init?(_ text: String) {
        var reader = JSONTextReader(text)
        guard let value = reader.document() else { return nil }
        self = value
    }

    /// The value at a path; `nil` if there is none.
    subscript(path: JSONPath) -> JSONText? {
        path.keys.reduce(Optional(self)) { value, key in
            switch value {
            case .object(let fields): fields[key]
            case .array(let items): Int(key).flatMap { items.indices.contains($0) ? items[$0] : nil }
            default: nil
            }
        }
    }
}

/// The path of a value in a JSON text: a key, a JSON pointer (RFC 6901), or empty for the whole text.
struct JSONPath: Hashable, Sendable {
    let keys: [String]

    init(keys: [String]) { self.keys = keys }

    init(_ text: String) {
        guard text.hasPrefix("/") else {
            keys = text.isEmpty ? [] : [text]
            return
        }
        keys = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
            String($0).replacing("~1", with: "/").replacing("~0", with: "~")
        }
    }
}
