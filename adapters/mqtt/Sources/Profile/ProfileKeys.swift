/// All keys of a profile file, by the section that they belong to. The keys are frozen: `docs/profiles.md` has a table of them,
/// and a test compares the two.
enum ProfileKeys {
    static let profile = [
        "profile", "version", "description", "source", "vars", "base", "hook", "state", "availability", "door", "battery",
        "faults", "events", "commands", "ack", "refresh", "qos", "quirks",
    ]
    static let variable = ["meaning", "default", "optional", "type", "words", "aliases", "mayBeEmpty"]
    private static let reader = ["topic", "source", "path", "type", "caseInsensitive"]
    private static let conditions = ["unless", "onlyWith"]
    static let state = reader + conditions + ["map", "time", "volatile", "assumed"]
    static let door = reader + conditions + ["map"]
    static let faults = door
    static let availability = ["mode", "items"]
    static let availabilityItem = reader + conditions + ["online", "offline", "unknown"]
    static let battery = ["level", "low"]
    static let batteryLevel = ["topic", "source", "path"] + conditions
    static let batteryLow = door
    static let event =
        ["topic", "source", "path"] + conditions + [
            "fields", "noneValues", "rules", "userSlot", "credentialId", "authId", "ok", "changed", "refresh",
        ]
    static let rule = ["when", "event", "operation", "method", "ok", "reason", "userSlot", "faults", "ignore"]
    static let commands = ["lock", "unlock", "open", "alsoOn", "idle"]
    static let command = ["topic", "source", "payload", "payloadWithCode"] + conditions
    static let ack = reader + conditions + ["accepted", "rejected", "correlation", "when", "timeoutSeconds"]
    static let refresh = ["topic", "source", "payload", "again"] + conditions
    static let qos = ["subscribe", "command"]

    /// Returns the keys that the long form of a meaning has in a map of `aspect`. For a state and
    /// for a door, the first key is required.
    static func meaning(_ aspect: StateMapping.Aspect) -> [String] {
        switch aspect {
        case .state: ["state", "faults", "unlessFaults", "event"]
        case .door: ["door", "faults", "event"]
        case .faults: ["faults", "event"]
        case .availability, .batteryLevel, .batteryLow: []
        }
    }

    /// All sections, by their names in the documentation.
    static let sections: [String: [String]] = [
        "file": profile, "vars": variable, "state": state, "door": door, "faults": faults, "availability": availability,
        "items": availabilityItem, "battery": battery, "level": batteryLevel, "low": batteryLow, "events": event, "rules": rule,
        "commands": commands, "frame": command, "ack": ack, "refresh": refresh, "qos": qos,
        "meaning of a state": meaning(.state), "meaning of a door": meaning(.door), "meaning of a fault": meaning(.faults),
    ]

    /// Removed keys, and what to write instead.
    static let removed = [
        "capabilities": "what such locks can do follows from the rest of the profile; leave the line out",
        "credentials": "Doorward manages no codes in locks; leave it out",
        "flags": "it had no effect; write only the state, as in `\"6\": unlocked`",
    ]

    /// Removed values of a key, and what to write instead.
    static let removedWords = [
        "source": ["word": "write `source: jsonOrRaw` and `path: word`, and compare `word` in `when`"]
    ]
}
