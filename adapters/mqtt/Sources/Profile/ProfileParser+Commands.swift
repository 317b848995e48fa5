internal import DoorwardDomain
internal import DoorwardMQTT
internal import DoorwardYAML

extension ProfileParser {
    private static let retain = ["retain": "a lock obeys a retained command again whenever it connects"]

    func readCommands(_ file: YAMLSection, _ parts: inout ProfileBody) {
        let toggle = ["toggle": "its effect depends on the bolt's position"]
        if let section = file["commands"].section(keys: ProfileKeys.commands, refused: toggle) {
            let words: [(String, LockOperation)] = [("lock", .lock), ("unlock", .unlock), ("open", .unlatch)]
            for (key, operation) in words {
                let forms = section[key].sections(keys: ProfileKeys.command, refused: Self.retain).compactMap(command)
                if !forms.isEmpty { parts.commands[operation] = forms }
            }
            if parts.commands.isEmpty, file.isFileSound { section.note("`commands` needs `lock`, `unlock` or `open`") }
            parts.commandTopics = section["alsoOn"].texts { validated(ProfileTemplate($1), $0, isTopic: true) }
            parts.idlePayloads = Set(section["idle"].texts())
        }
        parts.refresh = file["refresh"].sections(keys: ProfileKeys.refresh, refused: Self.retain).compactMap { section in
            parts.retriesStateRequest = section["again"].truth() ?? parts.retriesStateRequest
            return command(section)
        }
    }

    private func command(_ section: YAMLSection) -> CommandTemplate? {
        let topic = topic(section)
        section.require("payload")
        let isJSON = section["source"].word(CommandSource.self) == .json
        let payload = template(section["payload"], isJSON, deferred: [CommandTemplate.reference])
        let withCode = template(section["payloadWithCode"], isJSON, deferred: CommandTemplate.deferred)
        guard let payload else { return nil }
        var part = CommandTemplate(topic: topic, payload: payload, isJSON: isJSON, condition: condition(section))
        part.payloadWithCode = withCode
        if let withCode, !withCode.names.contains(CommandTemplate.code) {
            let field = section["payloadWithCode"]
            field.note("`\(field.path)` needs the code: `{code}`")
        }
        return part
    }

    private enum CommandSource: String, CaseIterable { case raw, json }

    private func template(_ field: YAMLField, _ isJSON: Bool, deferred: Set<String>) -> ProfileTemplate? {
        guard let template = field.text().map({ ProfileTemplate($0) }) else { return nil }
        _ = validated(template, field, isTopic: false, deferred: deferred)
        if template.text.lowercased().contains("toggle") {
            field.note("`\(field.path)`: a toggle is never sent: its effect depends on the bolt's position")
        }
        let json = parsedJSON(template)
        guard isJSON else {
            let looksLikeJSON = json?.object != nil || json?.array != nil
            if looksLikeJSON { field.note("`\(field.path)` looks like JSON; write `source: json` beside it") }
            return template
        }
        if json == nil { field.note("`\(field.path)` is no JSON") }
        for name in template.names where json != nil && parsedJSON(template, bareWord: name) == nil {
            guard variables[name]?.form != .integer, variables[name]?.form != .boolean else { continue }
            field.note("`\(field.path)`: `{\(name)}` is not a number, so it needs quotation marks")
        }
        return template
    }

    /// Returns the payload as JSON, with a number in place of each variable.
    ///
    /// - Parameter name: a variable that is replaced by a word without quotation marks instead; the result is JSON only if the
    ///   template has the variable inside a string.
    /// - Returns: `nil` if the result is no JSON.
    private func parsedJSON(_ template: ProfileTemplate, bareWord name: String? = nil) -> JSONText? {
        let values = template.names.map { ($0, $0 == name ? "x" : "0") }
        return template.resolved(with: Dictionary(values, uniquingKeysWith: { one, _ in one })).flatMap { JSONText($0.text) }
    }

    // MARK: Answers

    func readAcks(_ file: YAMLSection, _ parts: inout ProfileBody, _ timeout: inout Int?) {
        for section in file["ack"].sections(keys: ProfileKeys.ack) {
            let reader = reader(section)
            var part = AckMapping(reader: reader, condition: condition(section))
            part.conditions = conditions(section)
            part.correlation = correlation(section["correlation"])
            part.responses = responses(section, reader.type)
            timeout =
                section["timeoutSeconds"].value("a number of seconds, 1–600") {
                    Int($0).flatMap { (1...600).contains($0) ? $0 : nil }
                } ?? timeout
            parts.acks.append(part)
        }
    }

    private func responses(_ section: YAMLSection, _ type: ValueType) -> [AckMapping.Entry] {
        let accepted = section["accepted"].texts { pattern($1, $0, type) }
        let rejected = section["rejected"]
        if accepted.isEmpty, !rejected.isPresent { section.note("`\(section.path)` needs `accepted` or `rejected`") }
        return accepted.map { AckMapping.Entry(pattern: $0, meaning: .accepted) }
            + rejected.entries().compactMap { field in
                guard let pattern = pattern(field.key, field, type), let reason = field.word(RejectionReason.self) else {
                    return nil
                }
                return AckMapping.Entry(pattern: pattern, meaning: .rejected(reason))
            }
    }

    private func correlation(_ field: YAMLField) -> AckMapping.Correlation {
        field.value("`none`, `payload` or `echoJson:PATH`, which says what `requestId:PATH` said") { text in
            switch text {
            case "none": return AckMapping.Correlation.none
            case "payload": return .payload
            default:
                let parts = text.split(separator: ":", maxSplits: 1)
                guard parts.count == 2, parts[0] == "echoJson" else { return nil }
                return .reference(JSONPath(String(parts[1])))
            }
        } ?? .none
    }

    // MARK: Quality

    func readQoS(_ file: YAMLSection, _ parts: inout ProfileBody) {
        guard let section = file["qos"].section(keys: ProfileKeys.qos) else { return }
        let levels: [String: MQTTQoS] = ["0": .atMostOnce, "1": .atLeastOnce]
        // Every subscription has QoS 1, whatever a profile says.
        _ = section["subscribe"].value("0 or 1 (the broker then sends messages of QoS 2 with QoS 1)") { levels[$0] }
        parts.commandQoS =
            section["command"].value("0 or 1; 2 can send a command twice after a broken connection") { levels[$0] }
            ?? .atMostOnce
    }
}

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

    /// Removed keys, and what to write instead.
    static let removed = [
        "capabilities": "what such locks can do follows from the rest of the profile; leave the line out",
        "credentials": "Doorward manages no codes in locks; leave it out",
        "flags": "it had no effect; write only the state, as in `\"6\": unlocked`",
    ]

    /// Removed values of a key, and what to write instead.
    static let removedWords = ["source": ["word": "write `source: jsonOrRaw` and `path: word`, and compare `word` in `when`"]]
}
