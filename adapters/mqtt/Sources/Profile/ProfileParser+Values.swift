internal import DoorwardDomain
internal import Yams

extension ProfileParser {
    func state(_ field: ProfileSection.Field, _ file: ProfileSection) -> StateMapping? {
        guard let section = file.section(field, keys: ProfileKeys.state) else { return nil }
        let reader = reader(section)
        section.require("map")
        var part = StateMapping(
            aspect: .state, reader: reader, map: map(section, reader.type, .state), condition: condition(section))
        part.times = section.texts("time").compactMap(\.text).map { JSONPath($0) }
        part.volatile = section.texts("volatile").compactMap(\.text)
        if let assumed = section.field("assumed"), let text = section.text("assumed") {
            part.assumed = checked(ProfileTemplate(text), assumed, isTopic: false)
            if part.assumed?.names.isEmpty == true, text != "true", text != "false" {
                section.note("`\(assumed.path)` must be true, false or a variable", at: "assumed")
            }
        }
        return part
    }

    func door(_ field: ProfileSection.Field, _ file: ProfileSection) -> StateMapping? {
        guard let section = file.section(field, keys: ProfileKeys.door) else { return nil }
        let reader = reader(section)
        section.require("map")
        return StateMapping(aspect: .door, reader: reader, map: map(section, reader.type, .door), condition: condition(section))
    }

    func faults(_ field: ProfileSection.Field, _ file: ProfileSection) -> StateMapping? {
        guard let section = file.section(field, keys: ProfileKeys.faults) else { return nil }
        let reader = reader(section)
        section.require("map")
        return StateMapping(
            aspect: .faults, reader: reader, map: map(section, reader.type, .faults), condition: condition(section))
    }

    func battery(_ file: ProfileSection) -> [StateMapping] {
        guard let section = file.section("battery", keys: ProfileKeys.battery) else { return [] }
        let levels = section.items("level", orOne: true).compactMap { field -> StateMapping? in
            guard let level = section.section(field, keys: ProfileKeys.batteryLevel) else { return nil }
            let reader = reader(level)
            return StateMapping(aspect: .batteryLevel, reader: reader, condition: condition(level))
        }
        let warnings = section.items("low", orOne: true).compactMap { field -> StateMapping? in
            guard let low = section.section(field, keys: ProfileKeys.batteryLow) else { return nil }
            let isBare = low.field("map") == nil
            let reader = reader(low, type: isBare ? .bool : .string)
            let words = ["true": true, "false": false].map { word, isLow in
                StateMapping.Entry(
                    pattern: ValuePattern(.exact, ProfileTemplate(literal: word)), meaning: ValueMeaning(isLow: isLow))
            }
            let map = isBare ? words : map(low, reader.type, .batteryLow)
            return StateMapping(aspect: .batteryLow, reader: reader, map: map, condition: condition(low))
        }
        return levels + warnings
    }

    func availability(_ file: ProfileSection, _ mode: inout ProfileBody.Mode) -> [StateMapping] {
        guard let field = file.field("availability") else { return [] }
        guard field.node.sequence == nil else {
            return file.items("availability").compactMap { availabilityItem($0, file) }
        }
        guard let section = file.section("availability", keys: ProfileKeys.availability) else { return [] }
        mode = section.word("mode", ProfileBody.Mode.self) ?? .all
        section.require("items")
        return section.items("items").compactMap { availabilityItem($0, section) }
    }

    private func availabilityItem(_ field: ProfileSection.Field, _ parent: ProfileSection) -> StateMapping? {
        guard let section = parent.section(field, keys: ProfileKeys.availabilityItem) else { return nil }
        let reader = reader(section)
        section.require("online", "offline")
        let words: [(String, Availability)] = [("online", .online), ("offline", .offline), ("unknown", .unknown)]
        let map = words.flatMap { key, availability in
            section.texts(key).compactMap { item in
                item.text.flatMap { pattern($0, item, reader.type) }.map {
                    StateMapping.Entry(pattern: $0, meaning: ValueMeaning(availability: availability))
                }
            }
        }
        return StateMapping(aspect: .availability, reader: reader, map: map, condition: condition(section))
    }

    // MARK: Maps

    private func map(_ section: ProfileSection, _ type: ValueType, _ aspect: StateMapping.Aspect) -> [StateMapping.Entry] {
        guard let map = section.section("map", keys: nil) else { return [] }
        if map.rest.isEmpty { map.note("`\(map.path)` is empty; it says what each word means") }
        return map.rest.compactMap { field in
            guard let pattern = pattern(field.key, field, type), let meaning = meaning(field, map, aspect) else { return nil }
            return StateMapping.Entry(pattern: pattern, meaning: meaning)
        }
    }

    private func meaning(_ field: ProfileSection.Field, _ map: ProfileSection, _ aspect: StateMapping.Aspect) -> ValueMeaning? {
        var meaning = ValueMeaning()
        let keys = ProfileKeys.meaning(aspect)
        guard field.node.mapping != nil, !keys.isEmpty else { return word(field, map, aspect, &meaning) ? meaning : nil }
        guard let section = map.section(field, keys: keys) else { return nil }
        if let key = aspect.key {
            section.require(key)
            guard let inner = section.field(key), word(inner, section, aspect, &meaning) else { return nil }
        }
        meaning.faults = faults(section, "faults")
        meaning.unlessFaults = faults(section, "unlessFaults")
        meaning.event = section.word("event", LockEvent.Kind.self)
        return meaning
    }

    func faults(_ section: ProfileSection, _ key: String) -> Set<LockFault> {
        Set(section.items(key, orOne: true).compactMap { section.word($0, $0.text, LockFault.self, among: LockFault.ofLocks) })
    }

    private func word(
        _ field: ProfileSection.Field, _ section: ProfileSection, _ aspect: StateMapping.Aspect, _ meaning: inout ValueMeaning
    ) -> Bool {
        switch aspect {
        case .state:
            if field.text == "asBefore" {
                meaning.isReevaluation = true
                return true
            }
            meaning.position = section.word(field, field.text, BoltState.self)
            return meaning.position != nil
        case .door:
            meaning.door = section.word(field, field.text, DoorPosition.self)
            return meaning.door != nil
        case .batteryLow:
            meaning.isLow = section.word(field, field.text, Truth.self).map { $0 == .true }
            return meaning.isLow != nil
        case .faults:
            if field.text == "none" { return true }
            guard let fault = section.word(field, field.text, LockFault.self, among: LockFault.ofLocks) else { return false }
            meaning.faults = [fault]
            return true
        case .availability, .batteryLevel: return false
        }
    }

    private enum Truth: String, CaseIterable { case `true`, `false` }
}

extension StateMapping.Aspect {
    /// The key of a meaning in its long form.
    fileprivate var key: String? {
        switch self {
        case .state: "state"
        case .door: "door"
        case .faults, .availability, .batteryLevel, .batteryLow: nil
        }
    }
}
