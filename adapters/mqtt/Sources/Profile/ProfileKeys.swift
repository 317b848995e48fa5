/// Every key of a profile file, by the section that it stands in. `docs/profiles.md` has a table of them.
enum ProfileKeys {
    static let profile = [
        "profile", "version", "description", "source", "vars", "base", "hook", "state", "availability", "door", "battery",
        "faults", "events", "commands", "ack", "refresh", "credentials", "qos", "quirks", "capabilities",
    ]
    static let variable = ["meaning", "default", "optional", "type", "words", "aliases", "mayBeEmpty"]
    static let reader = ["topic", "source", "path", "type", "caseInsensitive"]
    static let state = reader + ["map", "time", "volatile", "assumed", "unless", "onlyWith"]
    static let door = reader + ["map", "unless", "onlyWith"]
    static let faults = reader + ["map", "unless", "onlyWith"]
    static let meaning = ["state", "door", "low", "flags", "faults", "unlessFaults", "event"]
    static let availability = ["mode", "items"]
    static let availabilityItem = reader + ["online", "offline", "unknown", "unless", "onlyWith"]
    static let battery = ["level", "low"]
    static let batteryLevel = ["topic", "source", "path", "unless", "onlyWith"]
    static let batteryLow = reader + ["map", "unless", "onlyWith"]
    static let event = [
        "topic", "source", "path", "fields", "noneValues", "rules", "userSlot", "credentialId", "authId", "ok", "unless",
        "onlyWith",
    ]
    static let rule = ["when", "event", "operation", "method", "ok", "reason", "userSlot", "faults", "ignore"]
    static let commands = ["lock", "unlock", "open", "alsoOn", "idle"]
    static let command = ["topic", "payload", "payloadWithCode", "source", "unless", "onlyWith"]
    static let ack = reader + ["accepted", "rejected", "correlation", "when", "timeoutSeconds", "unless", "onlyWith"]
    static let refresh = ["topic", "payload", "source", "again", "unless", "onlyWith"]
    static let quality = ["subscribe", "command"]
}
