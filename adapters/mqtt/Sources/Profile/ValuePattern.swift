/// A pattern that a profile compares a value with: the exact text, its beginning (`finger_open_*`), its end (`*_failed`), any
/// text (`*`), or any text but one (`!0`).
struct ValuePattern: Hashable, Sendable {
    enum Kind: Hashable, Sendable { case exact, prefix, suffix, any, not }

    let kind: Kind
    let text: ProfileTemplate

    init(_ text: String) {
        switch text {
        case "*": (kind, self.text) = (.any, ProfileTemplate(literal: ""))
        case _ where text.hasPrefix("!"): (kind, self.text) = (.not, ProfileTemplate(String(text.dropFirst())))
        case _ where text.hasSuffix("*"): (kind, self.text) = (.prefix, ProfileTemplate(String(text.dropLast())))
        case _ where text.hasPrefix("*"): (kind, self.text) = (.suffix, ProfileTemplate(String(text.dropFirst())))
        default: (kind, self.text) = (.exact, ProfileTemplate(text))
        }
    }

    init(_ kind: Kind, _ text: ProfileTemplate) { (self.kind, self.text) = (kind, text) }

    /// Resolves the variables.
    ///
    /// - Returns: `nil` if a variable has no value.
    func resolved(with values: [String: String], _ type: ValueType) -> ValuePattern? {
        text.resolved(with: values).map { resolved in
            guard type == .int, kind == .exact || kind == .not else { return ValuePattern(kind, resolved) }
            return ValuePattern(kind, ProfileTemplate(literal: ValueType.wholeNumber(resolved.text) ?? resolved.text))
        }
    }

    /// - Returns: the text matched by `*`, empty for a pattern without one; `nil` if the value does not match.
    func match(_ value: String, ignoringCase: Bool = false) -> Substring? {
        let (value, text) = ignoringCase ? (value.lowercased(), text.text.lowercased()) : (value, text.text)
        switch kind {
        case .exact: return value == text ? "" : nil
        case .not: return value != text ? "" : nil
        case .any: return value[...]
        case .prefix: return value.hasPrefix(text) ? value.dropFirst(text.count) : nil
        case .suffix: return value.hasSuffix(text) ? value.dropLast(text.count) : nil
        }
    }
}

/// The type to which a value is converted before it is compared.
enum ValueType: String, CaseIterable, Hashable, Sendable {
    case string, int, bool

    /// Normalizes an integer: removes leading zeros. Returns `nil` unless the text is `-?[0-9]+`.
    static func wholeNumber(_ text: String) -> String? {
        let isNegative = text.hasPrefix("-")
        let digits = isNegative ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        let rest = digits.drop { $0 == "0" }
        return rest.isEmpty ? "0" : (isNegative ? "-" : "") + rest
    }
}
