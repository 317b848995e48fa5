internal import DoorwardDomain
internal import Yams

/// Reads the topics and payloads of a profile file.
struct ProfileParser {
    let mistakes: ProfileMistakeList
    let names: Names

    init(_ mistakes: ProfileMistakeList, _ names: Names) { (self.mistakes, self.names) = (mistakes, names) }

    func read(_ file: ProfileSection, into profile: inout Profile) {
        var parts = ProfileBody()
        parts.values += file.items("state", orOne: true).compactMap { state($0, file) }
        parts.values += file.items("door", orOne: true).compactMap { door($0, file) }
        parts.values += battery(file)
        parts.values += file.items("faults", orOne: true).compactMap { faults($0, file) }
        parts.values += availability(file, &parts.availabilityMode)
        parts.events = file.items("events", orOne: true).compactMap { event($0, file) }
        readCommands(file, &parts)
        readAnswers(file, &parts, &profile.timeoutSeconds)
        readQuality(file, &parts)
        profile.parts = parts
    }

    func checkBase(_ field: ProfileSection.Field, _ variables: [ProfileVariable]) {
        if names.variables["base"] != nil {
            mistakes.add(field.line, field.path, "`base` is a variable too; leave one of them out")
        }
        guard let text = field.text else {
            return mistakes.add(field.line, field.path, "`base` must be the beginning of the topics, such as `nuki/{id}`")
        }
        _ = checked(ProfileTemplate(text), field, isTopic: true, open: ["base"])
    }

    // MARK: Texts

    /// Reads a topic of the lock: no wildcards, no undeclared variables.
    func topic(_ section: ProfileSection, _ key: String = "topic") -> ProfileTemplate? {
        guard let field = section.field(key), let text = section.text(key) else { return nil }
        return topic(text, field)
    }

    func topic(_ text: String, _ field: ProfileSection.Field) -> ProfileTemplate? {
        checked(ProfileTemplate(text), field, isTopic: true)
    }

    func checked(
        _ template: ProfileTemplate, _ field: ProfileSection.Field, isTopic: Bool, open: Set<String> = []
    ) -> ProfileTemplate? {
        var isSound = true
        func note(_ message: String) {
            mistakes.add(field.line, field.path, "`\(field.path)`: \(message)")
            isSound = false
        }
        for name in template.names
        where !names.all.contains(name) && (isTopic || !open.contains(name)) || (isTopic && open.contains(name)) {
            let hint = nearestName(to: name, among: names.all).map { "; did you mean `{\($0)}`?" } ?? "; declare it under `vars`"
            note("there is no variable `{\(name)}`\(hint)")
        }
        guard isTopic else { return isSound ? template : nil }
        let text = template.text
        if text.contains("+") || text.contains("#") { note("a topic has no wildcards; every message must be one lock's own") }
        if text.contains("{") || text.contains("}") { note("a brace in a topic stands around a variable's name: `{name}`") }
        if text.contains("\0") { note("a topic has no NUL") }
        if text.hasPrefix("$") { note("topics that begin with `$` are the broker's own") }
        if template.pieces.isEmpty { note("a topic is not empty") }
        return isSound ? template : nil
    }

    // MARK: Readers

    func reader(_ section: ProfileSection, type: ValueType = .string) -> ValueReader {
        section.require("topic")
        // Continue without a topic, to find more mistakes.
        var reader = ValueReader(topic: topic(section) ?? ProfileTemplate(literal: "?"))
        reader.pathTexts = paths(section)
        reader.source = section.word("source", ValueReader.Source.self) ?? (reader.pathTexts.isEmpty ? .raw : .json)
        reader.type = section.word("type", ValueType.self) ?? type
        reader.ignoresCase = section.truth("caseInsensitive") ?? false
        if reader.source == .raw, !reader.pathTexts.isEmpty {
            section.note("`path` leads through JSON; write `source: json`, or leave `path` out", at: "path")
        }
        return reader
    }

    func paths(_ section: ProfileSection) -> [ProfileTemplate] {
        section.texts("path").compactMap { item in
            item.text.flatMap { checked(ProfileTemplate($0), item, isTopic: false) }
        }
    }

    /// Reads the variables that decide whether a part applies.
    func condition(_ section: ProfileSection) -> PartCondition {
        PartCondition(unless: variable("unless", section), onlyWith: variable("onlyWith", section))
    }

    private func variable(_ key: String, _ section: ProfileSection) -> String? {
        guard let name = section.text(key) else { return nil }
        if names.variables[name] == nil {
            let hint = nearestName(to: name, among: names.variables.keys).map { "; did you mean `\($0)`?" } ?? ""
            section.note("`\(section.path).\(key)`: there is no variable `\(name)`\(hint)", at: key)
        }
        return name
    }

    /// Reads a pattern.
    ///
    /// - Parameter takesNot: whether `!abc` is allowed. In a map the first match counts, so it would hide the patterns after it.
    func pattern(_ text: String, _ field: ProfileSection.Field, _ type: ValueType, takesNot: Bool = false) -> ValuePattern? {
        let pattern = ValuePattern(text)
        guard checked(pattern.text, field, isTopic: false) != nil else { return nil }
        if pattern.kind == .not, !takesNot {
            mistakes.add(field.line, field.path, "`\(text)`: `!` stands in `when` alone; write the other words out, and `*` last")
            return nil
        }
        if type == .int, pattern.kind == .exact, pattern.text.names.isEmpty, ValueType.wholeNumber(text) == nil {
            mistakes.add(field.line, field.path, "`\(text)` is no whole number, and `\(field.path)` stands under `type: int`")
        }
        if type == .bool, pattern.kind == .exact, pattern.text.names.isEmpty, text != "true", text != "false" {
            mistakes.add(
                field.line, field.path, "`\(text)` is neither true nor false, and `\(field.path)` stands under `type: bool`")
        }
        return pattern
    }
}
