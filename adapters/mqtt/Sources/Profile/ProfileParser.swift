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
        // Continue without a topic, to find more errors.
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

extension ProfileParser {
    func state(_ section: YAMLSection) -> StateMapping {
        var part = mapping(section, .state)
        part.times = section["time"].texts().map { JSONPath($0) }
        part.volatile = section["volatile"].texts()
        let assumed = section["assumed"]
        if let text = assumed.text() {
            part.assumed = validated(ProfileTemplate(text), assumed, isTopic: false)
            if part.assumed?.names.isEmpty == true, text != "true", text != "false" {
                assumed.note("`\(assumed.path)` must be true, false or a variable")
            }
        }
        return part
    }

    /// Reads a section whose `map` defines the meaning of each text that the lock reports.
    func mapping(_ section: YAMLSection, _ aspect: StateMapping.Aspect) -> StateMapping {
        let reader = reader(section)
        section.require("map")
        return StateMapping(
            aspect: aspect, reader: reader, map: map(section["map"], reader.type, aspect), condition: condition(section))
    }

    func battery(_ file: YAMLSection) -> [StateMapping] {
        guard let section = file["battery"].section(keys: ProfileKeys.battery) else { return [] }
        let levels = section["level"].sections(keys: ProfileKeys.batteryLevel).map {
            StateMapping(aspect: .batteryLevel, reader: reader($0), condition: condition($0))
        }
        let warnings = section["low"].sections(keys: ProfileKeys.batteryLow).map { low in
            if low["map"].isPresent { return mapping(low, .batteryLow) }
            let words = ["true": true, "false": false].map { word, isLow in
                StateMapping.Entry(
                    pattern: ValuePattern(.exact, ProfileTemplate(literal: word)), meaning: ValueMeaning(isLow: isLow))
            }
            return StateMapping(aspect: .batteryLow, reader: reader(low, type: .bool), map: words, condition: condition(low))
        }
        return levels + warnings
    }

    func availability(_ file: YAMLSection, _ mode: inout ProfileBody.Mode) -> [StateMapping] {
        var items = file["availability"]
        if !items.isList {
            guard let section = items.section(keys: ProfileKeys.availability) else { return [] }
            mode = section["mode"].word(ProfileBody.Mode.self) ?? .all
            section.require("items")
            items = section["items"]
        }
        return items.items().compactMap { $0.section(keys: ProfileKeys.availabilityItem).map(availabilityItem) }
    }

    private func availabilityItem(_ section: YAMLSection) -> StateMapping {
        let reader = reader(section)
        section.require("online", "offline")
        let words: [(String, Availability)] = [("online", .online), ("offline", .offline), ("unknown", .unknown)]
        let map = words.flatMap { key, availability in
            section[key].texts { pattern($1, $0, reader.type) }.map {
                StateMapping.Entry(pattern: $0, meaning: ValueMeaning(availability: availability))
            }
        }
        return StateMapping(aspect: .availability, reader: reader, map: map, condition: condition(section))
    }

    // MARK: Maps

    private func map(_ map: YAMLField, _ type: ValueType, _ aspect: StateMapping.Aspect) -> [StateMapping.Entry] {
        let entries = map.entries()
        if map.isSection, entries.isEmpty { map.note("`\(map.path)` is empty; it must map each value to its meaning") }
        return entries.compactMap { field in
            guard let pattern = pattern(field.key, field, type), let meaning = meaning(field, aspect) else { return nil }
            return StateMapping.Entry(pattern: pattern, meaning: meaning)
        }
    }

    private func meaning(_ field: YAMLField, _ aspect: StateMapping.Aspect) -> ValueMeaning? {
        let keys = ProfileKeys.meaning(aspect)
        guard field.isSection, !keys.isEmpty else { return word(field, aspect) }
        guard let section = field.section(keys: keys) else { return nil }
        var meaning = ValueMeaning()
        if aspect != .faults, let key = keys.first {
            section.require(key)
            guard let inner = word(section[key], aspect) else { return nil }
            meaning = inner
        }
        meaning.faults = faults(section, "faults")
        meaning.unlessFaults = faults(section, "unlessFaults")
        meaning.event = section["event"].word(LockEvent.Kind.self)
        return meaning
    }

    func faults(_ section: YAMLSection, _ key: String) -> Set<LockFault> {
        Set(section[key].items(orOne: true).compactMap { $0.word(LockFault.self, among: LockFault.ofLocks) })
    }

    private func word(_ field: YAMLField, _ aspect: StateMapping.Aspect) -> ValueMeaning? {
        switch aspect {
        case .state where field.scalar == "asBefore": ValueMeaning(isReevaluation: true)
        case .state: field.word(BoltState.self).map { ValueMeaning(position: $0) }
        case .door: field.word(DoorPosition.self).map { ValueMeaning(door: $0) }
        case .batteryLow: field.word(BooleanText.self).map { ValueMeaning(isLow: $0 == .true) }
        case .faults where field.scalar == "none": ValueMeaning()
        case .faults: field.word(LockFault.self, among: LockFault.ofLocks).map { ValueMeaning(faults: [$0]) }
        case .availability, .batteryLevel: nil
        }
    }

    private enum BooleanText: String, CaseIterable { case `true`, `false` }
}
