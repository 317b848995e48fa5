internal import DoorwardDomain
internal import DoorwardMQTT

/// Code for dialects that a profile file cannot describe: changes the profile's parts for one address. The file names the hook.
enum DialectHook: String, CaseIterable, Hashable, Sendable {
    /// Reads Home Assistant's templates and lists in an address.
    case homeassistant

    /// The capabilities that the hook can add to those that follow from the file.
    var capabilities: Set<ProfileCapability> { [.acceptsCode, .canRefresh] }
}

/// Applies the templates and lists of a lock's Home Assistant configuration.
struct HomeAssistantHook {
    /// The given values, by the names of the variables.
    let address: [String: JSONValue]

    /// - Parameters:
    ///   - parts: the parts of the profile, resolved for the address; they are changed in place.
    ///   - problems: receives the problems of the values that the hook reads, by their keys.
    func apply(to parts: inout ProfileBody, _ problems: inout [String: VariableProblem]) {
        applyValueTemplate("value_template", .state, &parts, &problems)
        applyValueTemplate("availability_template", .availability, &parts, &problems)
        applyMergedState(&parts)
        applyCommandTemplate(&parts, &problems)
        applyAvailability(&parts, &problems)
        // A command of QoS 2 could be sent twice after a broken connection.
        parts.commandQoS = [nil, "0"].contains(text("qos")) ? .atMostOnce : .atLeastOnce
    }

    private func text(_ key: String) -> String? {
        switch address[key] {
        case .string(let text)?: text
        case .integer(let number)?: "\(number)"
        case .bool(let truth)?: "\(truth)"
        default: nil
        }
    }

    // MARK: Templates

    private func applyValueTemplate(
        _ key: String, _ aspect: StateMapping.Aspect, _ parts: inout ProfileBody, _ problems: inout [String: VariableProblem]
    ) {
        guard address[key] != nil else { return }
        guard let template = text(key), let path = HomeAssistantTemplate.path(template) else {
            problems[key] = .malformed
            return
        }
        for index in parts.values.indices where parts.values[index].aspect == aspect { parts.values[index].reader.read(at: path) }
    }

    /// A lock whose command topic is below its merged state topic belongs to Zigbee2MQTT or to a similar bridge: each message
    /// repeats the known state of the bolt, whatever caused the message. The state of such a lock can be requested.
    private func applyMergedState(_ parts: inout ProfileBody) {
        guard let command = text("command_topic"), let state = text("state_topic"), command.hasPrefix(state + "/"),
            command.hasSuffix("/set"), let key = text("value_template").flatMap(HomeAssistantTemplate.path)?.keys.first
        else { return }
        parts.republishesCachedState = true
        parts.retriesStateRequest = true
        parts.refresh = [
            CommandTemplate(
                topic: ProfileTemplate(literal: state + "/get"),
                payload: ProfileTemplate(literal: #"{"\#(key.escapedAsJSON)":""}"#))
        ]
        for index in parts.values.indices where parts.values[index].aspect == .state {
            parts.values[index].volatile = ["linkquality", "last_seen", "elapsed"]
        }
    }

    private func applyCommandTemplate(_ parts: inout ProfileBody, _ problems: inout [String: VariableProblem]) {
        guard address["command_template"] != nil else { return }
        guard let template = text("command_template") else {
            problems["command_template"] = .malformed
            return
        }
        for operation in parts.commands.keys {
            guard var part = parts.commands[operation]?.first,
                let payload = HomeAssistantTemplate.command(template, value: part.payload.text)
            else {
                problems["command_template"] = .malformed
                return
            }
            part.payload = payload
            part.isJSON = JSONText(payload.text) != nil
            part.payloadWithCode = payload.names.contains(CommandTemplate.code) ? payload : nil
            parts.commands[operation] = [part]
        }
        // Home Assistant requires a code for every lock with a code format.
        parts.needsCode = address["code_format"] != nil && parts.commands.values.joined().contains { $0.payloadWithCode != nil }
    }

    // MARK: Availability

    private func applyAvailability(_ parts: inout ProfileBody, _ problems: inout [String: VariableProblem]) {
        parts.availabilityMode = text("availability_mode").flatMap { ProfileBody.Mode(rawValue: $0) } ?? .latest
        guard let value = address["availability"] else { return }
        // Home Assistant accepts the list or the single topic, not both.
        let items = value.object == nil ? value.array ?? [] : [value]
        let mappings = items.compactMap(availability)
        guard address["availability_topic"] == nil, (1...20).contains(items.count), mappings.count == items.count else {
            problems["availability"] = .malformed
            return
        }
        parts.values += mappings
    }

    private func availability(_ item: JSONValue) -> StateMapping? {
        guard let fields = item.object else { return nil }
        func field(_ names: String...) -> String? { names.lazy.compactMap { fields[$0]?.string }.first }
        guard let topic = field("topic", "t"), MQTTTopic(topic) != nil else { return nil }
        var reader = ValueReader(topic: ProfileTemplate(literal: topic))
        if let template = field("value_template", "val_tpl") {
            guard let path = HomeAssistantTemplate.path(template) else { return nil }
            reader.read(at: path)
        }
        let online = field("payload_available", "pl_avail") ?? "online"
        let offline = field("payload_not_available", "pl_not_avail") ?? "offline"
        guard online != offline else { return nil }
        let words: [(String, Availability)] = [(online, .online), (offline, .offline)]
        return StateMapping(
            aspect: .availability, reader: reader,
            map: words.map { word, availability in
                StateMapping.Entry(
                    pattern: ValuePattern(.exact, ProfileTemplate(literal: word)),
                    meaning: ValueMeaning(availability: availability))
            })
    }
}

extension ValueReader {
    /// Reads the value from JSON, or, if the path is empty, from the payload itself.
    fileprivate mutating func read(at path: JSONPath) {
        guard !path.keys.isEmpty else { return }
        (source, paths, formatsBooleansAsPython) = (.json, [path], true)
    }
}
