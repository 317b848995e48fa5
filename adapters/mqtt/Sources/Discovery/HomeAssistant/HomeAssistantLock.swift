internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import DoorwardMQTT

/// A lock's configuration as Home Assistant reads it: full keys, `~` replaced, types checked.
struct HomeAssistantLock {
    /// The variables of the `homeassistant` profile, under the same names. `retain` is left out: no command is ever retained,
    /// whatever an announcement requests.
    private(set) var variables: [String: JSONValue] = [:]
    private(set) var uniqueID: String?
    private(set) var name: String?
    private(set) var isOptimistic = false

    /// - Parameter fields: the component's configuration, with full keys and `~` replaced.
    /// - Returns: `nil` for a configuration that Home Assistant rejects: no command topic, a value of a wrong type, both kinds of
    ///   availability.
    init?(_ fields: [String: JSONValue]) {
        for key in Self.textKeys {
            guard let value = fields[key] else { continue }
            guard let text = value.homeAssistantText else { return nil }
            variables[key] = .string(text)
        }
        guard variables["command_topic"] != nil else { return nil }
        guard readOptimistic(fields["optimistic"]), readQoS(fields["qos"]), readAvailability(fields["availability"]) else {
            return nil
        }
        if let mode = text("availability_mode"), !["all", "any", "latest"].contains(mode) { return nil }
        uniqueID = fields["unique_id"]?.homeAssistantText
        name = fields["name"]?.homeAssistantText
    }

    /// The value of a key, if it is a text.
    func text(_ key: String) -> String? { variables[key]?.string }

    /// The items of `availability`; empty if there are none.
    var availability: [[String: JSONValue]] { variables["availability"]?.array?.compactMap(\.object) ?? [] }

    private mutating func readOptimistic(_ value: JSONValue?) -> Bool {
        guard let value else { return true }
        switch value.homeAssistantText?.lowercased() {
        case "true", "yes", "on", "enable", "1": isOptimistic = true
        case "false", "no", "off", "disable", "0": break
        default: return false
        }
        variables["optimistic"] = .bool(isOptimistic)
        return true
    }

    private mutating func readQoS(_ value: JSONValue?) -> Bool {
        guard let value else { return true }
        guard let text = value.homeAssistantText, let qos = Int64(text), (0...2).contains(qos) else { return false }
        variables["qos"] = .integer(qos)
        return true
    }

    private mutating func readAvailability(_ value: JSONValue?) -> Bool {
        guard let value else { return true }
        guard variables["availability_topic"] == nil, value.asList.count <= Self.maxAvailabilities else { return false }
        var items: [JSONValue] = []
        for item in value.asList {
            guard let fields = item.object, fields["topic"]?.string != nil else { return false }
            var kept: [String: JSONValue] = [:]
            for key in Self.availabilityKeys {
                guard let value = fields[key] else { continue }
                guard let text = value.homeAssistantText else { return false }
                kept[key] = .string(text)
            }
            items.append(.object(kept))
        }
        variables["availability"] = .array(items)
        return true
    }

    /// Maximum items of `availability`. A lock depends on a device, a bridge and perhaps a driver.
    private static let maxAvailabilities = 32
    private static let availabilityKeys = ["topic", "payload_available", "payload_not_available", "value_template"]
    private static let textKeys = [
        "command_topic", "state_topic", "payload_lock", "payload_unlock", "payload_open", "payload_reset", "state_locked",
        "state_unlocked", "state_locking", "state_unlocking", "state_open", "state_opening", "state_jammed", "value_template",
        "command_template", "code_format", "encoding", "availability_topic", "payload_available", "payload_not_available",
        "availability_template", "availability_mode",
    ]
}

extension HomeAssistantLock {
    /// Why the `homeassistant` profile cannot be used for this lock; `nil` if it can.
    var problem: String? { topicProblem ?? templateProblem ?? profileProblem }

    private var topicProblem: String? {
        let own = ["command_topic", "state_topic", "availability_topic"].compactMap { key in text(key).map { (key, $0) } }
        let items = availability.compactMap { item in item["topic"]?.string.map { ("availability topic", $0) } }
        for (key, topic) in own + items where MQTTTopic(topic) == nil {
            return
                "its \(key.spaced) `\(topic.prefix(100))` cannot be the topic of one lock: it is empty, contains a wildcard, or is reserved for the broker"
        }
        return nil
    }

    private var templateProblem: String? {
        let own = ["value_template", "availability_template"].compactMap { key in text(key).map { (key, $0) } }
        let items = availability.compactMap { item in item["value_template"]?.string.map { ("availability template", $0) } }
        for (key, template) in own + items where HomeAssistantTemplate.path(template) == nil {
            return
                "needs a profile: its \(key.spaced) is a computation, and only `{{ value }}` and `{{ value_json.key }}` are read"
        }
        guard let template = text("command_template"), HomeAssistantTemplate.command(template, value: "") == nil else {
            return nil
        }
        return "needs a profile: its command template contains a computation; only `{{ value }}` and `{{ code }}` are supported"
    }

    /// The first problem that the profile itself reports for the address.
    private var profileProblem: String? {
        guard let profile = ProfileLibrary.shipped["homeassistant"] else { return nil }
        do {
            _ = try Dialect(profile, variables: variables)
            return nil
        } catch {
            let keys = error.errors.map { "`\($0.field.split(separator: ".").last ?? "")`" }.joined(separator: ", ")
            return "needs a profile: its values of \(keys) are not supported"
        }
    }
}

extension String {
    fileprivate var spaced: String { String(map { $0 == "_" ? " " : $0 }) }
}
