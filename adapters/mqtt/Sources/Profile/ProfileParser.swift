internal import DoorwardDomain
internal import DoorwardYAML

/// Reads the topics and payloads of a profile file.
struct ProfileParser {
    let variables: [String: ProfileVariable]
    /// The names of all variables that a template may use.
    private let names: Set<String>

    init(_ variables: [ProfileVariable], hasBase: Bool) {
        self.variables = Dictionary(variables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        names = Set(variables.map(\.name) + (hasBase ? ["base"] : []))
    }

    func read(_ file: YAMLSection, into profile: inout Profile) {
        var parts = ProfileBody()
        parts.values += file["state"].sections(keys: ProfileKeys.state).map(state)
        parts.values += file["door"].sections(keys: ProfileKeys.door).map { mapping($0, .door) }
        parts.values += battery(file)
        parts.values += file["faults"].sections(keys: ProfileKeys.faults).map { mapping($0, .faults) }
        parts.values += availability(file, &parts.availabilityMode)
        parts.events = file["events"].sections(keys: ProfileKeys.event).compactMap(event)
        readCommands(file, &parts)
        readAcks(file, &parts, &profile.timeoutSeconds)
        readQoS(file, &parts)
        profile.parts = parts
    }

    func base(_ field: YAMLField) -> ProfileTemplate? {
        if field.isPresent, variables["base"] != nil { field.note("`base` is a variable too; leave one of them out") }
        let base = field.value("the beginning of the topics, such as `nuki/{id}`") { ProfileTemplate($0) }
        return base.flatMap { validated($0, field, isTopic: true, deferred: ["base"]) }
    }

    // MARK: Texts

    /// Reads the topic that a section requires. The topic contains no wildcards and no undeclared variables.
    func topic(_ section: YAMLSection) -> ProfileTemplate {
        section.require("topic")
        let topic = section["topic"].text().flatMap { validated(ProfileTemplate($0), section["topic"], isTopic: true) }
        // Continue without a topic, to find more mistakes.
        return topic ?? ProfileTemplate(literal: "?")
    }

    func validated(
        _ template: ProfileTemplate, _ field: YAMLField, isTopic: Bool, deferred: Set<String> = []
    ) -> ProfileTemplate? {
        var isValid = true
        func note(_ message: String) {
            field.note("`\(field.path)`: \(message)")
            isValid = false
        }
        for name in template.names
        where !names.contains(name) && (isTopic || !deferred.contains(name)) || (isTopic && deferred.contains(name)) {
            let hint = nearestName(to: name, among: names).map { "; did you mean `{\($0)}`?" } ?? "; declare it under `vars`"
            note("there is no variable `{\(name)}`\(hint)")
        }
        guard isTopic else { return isValid ? template : nil }
        let text = template.text
        if text.contains("+") || text.contains("#") { note("a topic has no wildcards; every message must be one lock's own") }
        if text.contains("{") || text.contains("}") { note("a brace in a topic must enclose a variable's name: `{name}`") }
        if text.contains("\0") { note("a topic must not contain NUL") }
        if text.hasPrefix("$") { note("topics that begin with `$` are the broker's own") }
        if template.pieces.isEmpty { note("a topic is not empty") }
        return isValid ? template : nil
    }

    // MARK: Readers

    func reader(_ section: YAMLSection, type: ValueType = .string) -> ValueReader {
        var reader = ValueReader(topic: topic(section))
        reader.pathTemplates = paths(section)
        reader.source = section["source"].word(ValueReader.Source.self) ?? (reader.pathTemplates.isEmpty ? .raw : .json)
        reader.type = section["type"].word(ValueType.self) ?? type
        reader.ignoresCase = section["caseInsensitive"].truth() ?? false
        if reader.source == .raw, !reader.pathTemplates.isEmpty {
            section["path"].note("`path` needs a JSON payload; write `source: json`, or leave `path` out")
        }
        return reader
    }

    func paths(_ section: YAMLSection) -> [ProfileTemplate] {
        section["path"].texts { validated(ProfileTemplate($1), $0, isTopic: false) }
    }

    /// Reads the variables that decide whether a part applies.
    func condition(_ section: YAMLSection) -> PartCondition {
        PartCondition(unless: variable(section["unless"]), onlyWith: variable(section["onlyWith"]))
    }

    private func variable(_ field: YAMLField) -> String? {
        let name = field.text()
        if let name, variables[name] == nil {
            field.note("`\(field.path)`: there is no variable `\(name)`\(didYouMean(name, among: variables.keys))")
        }
        return name
    }

    /// Reads a pattern.
    ///
    /// - Parameter takesNot: whether `!abc` is allowed. It is not allowed in a map: the first match counts there, so it would
    ///   hide the patterns after it.
    func pattern(_ text: String, _ field: YAMLField, _ type: ValueType, takesNot: Bool = false) -> ValuePattern? {
        let pattern = ValuePattern(text)
        guard validated(pattern.text, field, isTopic: false) != nil else { return nil }
        if pattern.kind == .not, !takesNot {
            field.note("`\(text)`: `!` is allowed only in `when`; write the other words out, and `*` last")
            return nil
        }
        if type == .int, pattern.kind == .exact, pattern.text.names.isEmpty, ValueType.wholeNumber(text) == nil {
            field.note("`\(text)` is not an integer, and `\(field.path)` has `type: int`")
        }
        if type == .bool, pattern.kind == .exact, pattern.text.names.isEmpty, text != "true", text != "false" {
            field.note("`\(text)` is neither true nor false, and `\(field.path)` has `type: bool`")
        }
        return pattern
    }
}
