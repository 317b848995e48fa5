/// A JSON text as it was written: a whole number stays one, and `3.0` is none. What Foundation reads cannot tell the two.
enum JSONText: Hashable, Sendable {
    case null
    case bool(Bool)
    /// In digits, of any length.
    case integer(String)
    case number(Double)
    case string(String)
    case array([JSONText])
    case object([String: JSONText])

    /// Deeper than any lock speaks, and far from where a stack ends.
    static let deepest = 32

    /// - Returns: `nil` for what is no JSON (RFC 8259), nests deeper than `deepest`, or names a key twice, which readers read
    ///   in two ways.
    init?(_ text: String) {
        var reader = JSONTextReader(text)
        guard let value = reader.document() else { return nil }
        self = value
    }

    /// What stands at a path; `nil` where nothing does.
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

/// Where in a JSON text a value stands: a key, a JSON pointer (RFC 6901), or the whole where it is empty.
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
