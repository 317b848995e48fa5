internal import DoorwardDomain
internal import Yams

extension ProfileParser {
    func event(_ field: ProfileSection.Field, _ file: ProfileSection) -> EventMapping? {
        guard let section = file.section(field, keys: ProfileKeys.event) else { return nil }
        section.require("topic", "source", "rules")
        let source = section.word("source", EventMapping.Source.self)
        guard let source else { return nil }
        var reader = ValueReader(topic: topic(section) ?? ProfileTemplate(literal: "?"))
        reader.pathTexts = paths(section)
        switch source {
        case .json, .jsonOrRaw:
            reader.source = source == .json ? .json : .jsonOrRaw
            section.require("path")
        case .csv, .topicSuffix: reader.source = .raw
        }
        var part = EventMapping(source: source, reader: reader, condition: condition(section))
        part.fields = fields(section, isCSV: source == .csv)
        if source == .csv, part.fields.isEmpty { section.note("`\(section.path)` needs `fields`, the names of the columns") }
        part.noneValues = noneValues(section)
        part.rules = section.items("rules").compactMap { rule($0, section) }
        part.userSlots = section.texts("userSlot").compactMap(\.text)
        (part.credentialID, part.authorisationID) = (section.text("credentialId"), section.text("authId"))
        if source == .csv { checkFields(of: part, section) }
        part.isDone = section.truth("ok")
        part.isOnlyOnChange = section.truth("changed") ?? false
        part.asksAfter = section.truth("refresh") ?? false
        if part.isOnlyOnChange, source != .json, source != .jsonOrRaw {
            section.note("`\(section.path).changed` is for `json` and `jsonOrRaw` alone", at: "changed")
        }
        return part
    }

    private func fields(_ section: ProfileSection, isCSV: Bool) -> [EventMapping.Field] {
        guard section.field("fields") != nil else { return [] }
        if isCSV {
            return section.texts("fields").compactMap { item in
                item.text.map { EventMapping.Field(name: $0, paths: [JSONPath($0)]) }
            }
        }
        guard let map = section.section("fields", keys: nil) else { return [] }
        return map.rest.map { field in
            EventMapping.Field(name: field.key, paths: map.texts(field.key).compactMap(\.text).map { JSONPath($0) })
        }
    }

    private func noneValues(_ section: ProfileSection) -> [String: Set<String>] {
        guard let map = section.section("noneValues", keys: nil) else { return [:] }
        let pairs = map.rest.map { field in (field.key, Set(map.texts(field.key).compactMap(\.text))) }
        return Dictionary(pairs, uniquingKeysWith: { $0.union($1) })
    }

    /// Checks that the rules for a CSV text use only its declared columns.
    private func checkFields(of part: EventMapping, _ section: ProfileSection) {
        let names = part.fields.map(\.name)
        let used =
            part.rules.flatMap { $0.conditions.map(\.field) } + part.noneValues.keys.sorted() + part.userSlots
            + [part.credentialID, part.authorisationID].compactMap { $0 }
        for name in used where !names.contains(name) {
            let hint = nearestName(to: name, among: names).map { "; did you mean `\($0)`?" } ?? ""
            section.note("`\(section.path)`: there is no column `\(name)`\(hint)", at: "rules")
        }
    }

    private func rule(_ field: ProfileSection.Field, _ parent: ProfileSection) -> EventRule? {
        guard let section = parent.section(field, keys: ProfileKeys.rule) else { return nil }
        var rule = EventRule(conditions: conditions(section))
        rule.kind = section.word("event", LockEvent.Kind.self)
        rule.operation = section.word("operation", LockEvent.Operation.self)
        rule.method = section.word("method", LockEvent.Method.self)
        rule.isDone = section.truth("ok")
        rule.rejection = section.word("reason", RejectionReason.self)
        rule.isSilent = section.truth("ignore") ?? false
        rule.faults = faults(section, "faults")
        if let slot = section.text("userSlot") {
            rule.takesSlotFromName = slot == "*"
            let hasRest = rule.conditions.contains { $0.patterns.contains { $0.kind == .prefix || $0.kind == .suffix } }
            if slot != "*" || !hasRest {
                section.note(
                    "`\(section.path).userSlot` may only be `*`, for the number that `*` stands for in `when`", at: "userSlot")
            }
        }
        if rule == EventRule(conditions: rule.conditions) {
            section.note("`\(section.path)` says nothing; give it `event`, `operation`, `method`, `ok`, `reason` or `ignore`")
        }
        return rule
    }

    func conditions(_ section: ProfileSection) -> [EventRule.Condition] {
        guard let when = section.section("when", keys: nil) else { return [] }
        return when.rest.map { field in
            EventRule.Condition(
                field: field.key,
                patterns: when.texts(field.key).compactMap { item in
                    item.text.flatMap { pattern($0, item, .string, takesNot: true) }
                })
        }
    }
}
