internal import DoorwardDomain

/// The subset of Jinja templates that Doorward supports: the whole payload, or one value of its
/// JSON. Templates of commands may also contain text around the value.
enum HomeAssistantTemplate {
    /// Maximum bytes of a template that is parsed; supported templates have less than a hundred.
    private static let maxBytes = 1024

    /// Returns the path at which a template reads its value.
    ///
    /// - Returns: an empty path for the payload itself; `nil` for a template that is not supported.
    static func path(_ template: String) -> JSONPath? {
        guard template.utf8.count <= maxBytes, let inner = expression(template) else { return nil }
        let parts = inner.split(separator: "|", omittingEmptySubsequences: false).map { String($0).trimmed }
        guard parts.count == 1 || (parts.count == 2 && (parts[1] == "default('')" || parts[1] == "default(\"\")")) else {
            return nil
        }
        if parts[0] == "value" { return JSONPath(keys: []) }
        guard parts[0].hasPrefix("value_json") else { return nil }
        let rest = parts[0].dropFirst("value_json".count)
        return rest.first == "[" ? bracketed(rest) : dotted(rest)
    }

    /// Converts a text with `{{ value }}` and `{{ code }}` to a template with variables.
    ///
    /// - Returns: `nil` for a template that is not supported.
    static func command(_ template: String, value: String) -> ProfileTemplate? {
        guard template.utf8.count <= maxBytes else { return nil }
        var text = ProfileTemplate(literal: "")
        var rest = Substring(template)
        while let start = rest.firstRange(of: "{{") {
            guard let end = rest.firstRange(of: "}}"), start.upperBound <= end.lowerBound else { return nil }
            text.append(.text(String(rest[..<start.lowerBound])))
            switch String(rest[start.upperBound..<end.lowerBound]).trimmed {
            case "value": text.append(.text(value))
            case "code": text.append(.variable(CommandTemplate.code))
            default: return nil
            }
            rest = rest[end.upperBound...]
        }
        guard !rest.contains("{%"), !rest.contains("{#"), !text.text.contains("{%") else { return nil }
        text.append(.text(String(rest)))
        return text
    }

    private static func expression(_ template: String) -> Substring? {
        let text = template.trimmed
        guard text.hasPrefix("{{"), text.hasSuffix("}}"), text.count >= 4 else { return nil }
        let inner = text.dropFirst(2).dropLast(2)
        return inner.contains("{{") || inner.contains("}}") ? nil : inner[...]
    }

    private static func dotted(_ rest: Substring) -> JSONPath? {
        guard rest.first == "." else { return nil }
        let keys = rest.dropFirst().split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        return keys.allSatisfy { ProfileTemplate.isName($0) } ? JSONPath(keys: keys) : nil
    }

    private static func bracketed(_ rest: Substring) -> JSONPath? {
        for quote in ["'", "\""] where rest.hasPrefix("[\(quote)") && rest.hasSuffix("\(quote)]") && rest.count > 4 {
            let key = rest.dropFirst(2).dropLast(2)
            guard !key.contains(quote), !key.contains("\\") else { return nil }
            return JSONPath(keys: [String(key)])
        }
        return nil
    }
}
