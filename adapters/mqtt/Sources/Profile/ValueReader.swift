/// Reads a value from a message: topic, path and type.
struct ValueReader: Hashable, Sendable {
    /// Format of the payload.
    enum Source: String, CaseIterable, Hashable, Sendable {
        /// The payload is the value.
        case raw
        /// A JSON text with the value at one of `paths`.
        case json
        /// JSON if it begins as an object, a list or a string; else the payload is the value.
        case jsonOrRaw
    }

    /// Result of reading a value.
    enum Reading: Hashable, Sendable {
        /// The value is not present, or is `null`.
        case absent
        case malformed
        case value(String)
    }

    var topic: ProfileTemplate
    var source = Source.raw
    /// The paths of the value. They are tried in order; the first value that is present and not `null` counts. Empty for the
    /// whole payload.
    var paths: [JSONPath] = []
    /// The paths as templates.
    var pathTemplates: [ProfileTemplate] = []
    var type = ValueType.string
    var ignoresCase = false
    /// Whether booleans are written as in Python (`True`), as Home Assistant's templates do.
    var formatsBooleansAsPython = false

    /// Resolves the variables.
    ///
    /// - Returns: `nil` if a variable has no value.
    func resolved(with values: [String: String]) -> ValueReader? {
        guard let topic = topic.resolved(with: values) else { return nil }
        var reader = self
        reader.topic = topic
        reader.pathTemplates = pathTemplates.compactMap { $0.resolved(with: values) }
        guard reader.pathTemplates.count == pathTemplates.count else { return nil }
        reader.paths = reader.pathTemplates.map { JSONPath($0.text) }
        return reader
    }

    /// - Parameter payload: not empty.
    func read(_ payload: Payload) -> Reading {
        switch payload.json(as: source) {
        case .text(let text): return converted(text)
        case .malformed: return .malformed
        case .json(let document):
            guard !paths.isEmpty else { return document == .null ? .absent : converted(document) }
            if paths.contains(where: { !$0.keys.isEmpty }) {
                guard case .object = document else { return wholeDocument(document) }
            }
            for path in paths {
                if let value = document[path], value != .null { return converted(value) }
            }
            return .absent
        }
    }

    private func wholeDocument(_ document: JSONText) -> Reading {
        if case .array = document { return .malformed }
        return source == .jsonOrRaw || paths.contains { $0.keys.isEmpty } ? converted(document) : .malformed
    }

    private func converted(_ text: String) -> Reading {
        switch type {
        case .string: return .value(text)
        case .int: return ValueType.wholeNumber(text).map { .value($0) } ?? .malformed
        case .bool:
            let word = ignoresCase ? text.lowercased() : text
            return word == "true" || word == "false" ? .value(word) : .malformed
        }
    }

    private func converted(_ value: JSONText) -> Reading {
        switch (value, type) {
        case (.null, _): .absent
        case (.string(let text), .string): .value(text)
        case (.string(let text), _) where source == .jsonOrRaw: converted(text)
        case (.integer(let digits), .int), (.integer(let digits), .string): converted(digits)
        case (.number(let number), .string): .value("\(number)")
        case (.bool(let truth), .string): .value(formatsBooleansAsPython ? (truth ? "True" : "False") : "\(truth)")
        case (.bool(let truth), .bool): .value("\(truth)")
        default: .malformed
        }
    }
}

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
