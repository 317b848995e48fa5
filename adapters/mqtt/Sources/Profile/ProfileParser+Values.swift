internal import DoorwardDomain
internal import DoorwardYAML

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
