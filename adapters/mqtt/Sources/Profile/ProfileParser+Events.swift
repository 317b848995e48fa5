internal import DoorwardDomain
internal import DoorwardYAML

extension ProfileParser {
    func event(_ section: YAMLSection) -> EventMapping? {
        var reader = ValueReader(topic: topic(section))
        section.require("source", "rules")
        guard let source = section["source"].word(EventMapping.Source.self) else { return nil }
        let isJSON = source == .json || source == .jsonOrRaw
        reader.pathTemplates = paths(section)
        if isJSON { section.require("path") }
        reader.source =
            switch source {
            case .json: .json
            case .jsonOrRaw: .jsonOrRaw
            case .csv, .topicSuffix: .raw
            }
        var part = EventMapping(source: source, reader: reader, condition: condition(section))
        part.fields = fields(section["fields"], isCSV: source == .csv)
        let noneValues = section["noneValues"].entries().map { ($0.key, Set($0.texts())) }
        part.noneValues = Dictionary(noneValues, uniquingKeysWith: { $0.union($1) })
        part.rules = section["rules"].items().compactMap { $0.section(keys: ProfileKeys.rule).map(rule) }
        part.userSlots = section["userSlot"].texts()
        (part.credentialID, part.authorisationID) = (section["credentialId"].text(), section["authId"].text())
        if source == .csv { checkFields(of: part, section) }
        part.isDone = section["ok"].truth()
        part.isOnlyOnChange = section["changed"].truth() ?? false
        part.requestsStateAfter = section["refresh"].truth() ?? false
        if part.isOnlyOnChange, !isJSON {
            section["changed"].note("`\(section.path).changed` is allowed only with `json` and `jsonOrRaw`")
        }
        return part
    }

    private func fields(_ field: YAMLField, isCSV: Bool) -> [EventMapping.Field] {
        if isCSV { return field.texts().map { EventMapping.Field(name: $0, paths: [JSONPath($0)]) } }
        return field.entries().map { EventMapping.Field(name: $0.key, paths: $0.texts().map { JSONPath($0) }) }
    }

    /// Checks that the rules for a CSV text use only its declared columns.
    private func checkFields(of part: EventMapping, _ section: YAMLSection) {
        let names = part.fields.map(\.name)
        if names.isEmpty { section.note("`\(section.path)` needs `fields`, the names of the columns") }
        let used =
            part.rules.flatMap { $0.conditions.map(\.field) } + part.noneValues.keys.sorted() + part.userSlots
            + [part.credentialID, part.authorisationID].compactMap { $0 }
        for name in used where !names.contains(name) {
            section["rules"].note("`\(section.path)`: there is no column `\(name)`\(didYouMean(name, among: names))")
        }
    }

    private func rule(_ section: YAMLSection) -> EventRule {
        var rule = EventRule(conditions: conditions(section))
        rule.kind = section["event"].word(LockEvent.Kind.self)
        rule.operation = section["operation"].word(LockEvent.Operation.self)
        rule.method = section["method"].word(LockEvent.Method.self)
        rule.isDone = section["ok"].truth()
        rule.rejection = section["reason"].word(RejectionReason.self)
        rule.isSilent = section["ignore"].truth() ?? false
        rule.faults = faults(section, "faults")
        if let slot = section["userSlot"].text() {
            rule.wildcardIsUserSlot = slot == "*"
            let hasRest = rule.conditions.contains { $0.patterns.contains { $0.kind == .prefix || $0.kind == .suffix } }
            if slot != "*" || !hasRest {
                section["userSlot"].note(
                    "`\(section.path).userSlot` may only be `*`, for the number that `*` stands for in `when`")
            }
        }
        if rule == EventRule(conditions: rule.conditions) {
            section.note("`\(section.path)` is empty; give it `event`, `operation`, `method`, `ok`, `reason` or `ignore`")
        }
        return rule
    }

    func conditions(_ section: YAMLSection) -> [EventRule.Condition] {
        section["when"].entries().map { field in
            EventRule.Condition(field: field.key, patterns: field.texts { pattern($1, $0, .string, takesNot: true) })
        }
    }
}
