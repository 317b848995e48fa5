internal import DoorwardDomain

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
    static let maxDepth = 32

    /// Parses a JSON text, see `JSONParser`. Keys and strings are made stream-safe.
    ///
    /// - Returns: `nil` if `bytes` are no JSON in UTF-8, nest deeper than `maxDepth`, or contain a duplicate key.
    init?(_ bytes: [UInt8]) {
        guard let value = try? JSONParser<JSONText>.parse(bytes, maxDepth: Self.maxDepth, rejectsMarks: false) else { return nil }
        self = value
    }

    init?(_ text: String) { self.init(Array(text.utf8)) }

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

extension JSONText: JSONTree {
    static func number(_ text: String, isInteger: Bool) -> JSONText? {
        isInteger ? .integer(text) : Double(text).map { .number($0) }
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

extension String {
    /// The text escaped as the content of a JSON string (RFC 8259, section 7).
    package var escapedAsJSON: String {
        var escaped = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": escaped += "\\\""
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\r": escaped += "\\r"
            case "\t": escaped += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
