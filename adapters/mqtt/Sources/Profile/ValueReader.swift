/// A payload, or a value in it, does not have the form that the profile gives.
struct MalformedPayload: Error {}

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
    /// - Returns: `nil` if the value is not present, or is `null`.
    func read(_ payload: Payload) throws(MalformedPayload) -> String? {
        guard let document = try payload.json(as: source) else { return try converted(payload.text) }
        guard !paths.isEmpty else { return try converted(document) }
        if document.object == nil, paths.contains(where: { !$0.keys.isEmpty }) {
            guard document.array == nil, source == .jsonOrRaw || paths.contains(where: { $0.keys.isEmpty }) else {
                throw MalformedPayload()
            }
            return try converted(document)
        }
        guard let value = paths.lazy.compactMap({ document[$0] }).first(where: { $0 != .null }) else { return nil }
        return try converted(value)
    }

    private func converted(_ text: String) throws(MalformedPayload) -> String {
        let word = ignoresCase ? text.lowercased() : text
        switch type {
        case .string: return text
        case .int: if let number = ValueType.wholeNumber(text) { return number }
        case .bool: if word == "true" || word == "false" { return word }
        }
        throw MalformedPayload()
    }

    private func converted(_ value: JSONText) throws(MalformedPayload) -> String? {
        switch (value, type) {
        case (.null, _): return nil
        case (.string(let text), .string): return text
        case (.string(let text), _) where source == .jsonOrRaw: return try converted(text)
        case (.integer(let digits), .int), (.integer(let digits), .string): return try converted(digits)
        case (.number(let number), .string): return "\(number)"
        case (.bool(let truth), .string): return formatsBooleansAsPython ? (truth ? "True" : "False") : "\(truth)"
        case (.bool(let truth), .bool): return "\(truth)"
        default: throw MalformedPayload()
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
