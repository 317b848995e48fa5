internal import DoorwardDomain
internal import DoorwardMQTT

/// An ecosystem that announces its locks to Home Assistant, and whose own profile supports more
/// than the `homeassistant` profile: unlatching, jams, responses to commands. A lock is assigned to
/// an ecosystem only if its topics are unambiguous; else it gets the `homeassistant` profile.
///
/// Raw values are the ids of the profiles.
enum KnownEcosystem: String, CaseIterable {
    case nukiNative = "nuki-native"
    case nukiHub = "nuki-hub"
    case zwaveJSUI = "zwave-js-ui"
    case esphome
    case ringMQTT = "ring-mqtt"
    case zigbee2MQTT = "zigbee2mqtt"

    /// - Returns: the address for the profile; `nil` if the lock is not certainly one of this ecosystem.
    func variables(_ lock: HomeAssistantLock, object: String) -> [String: JSONValue]? {
        guard let command = lock.text("command_topic"), let state = lock.text("state_topic"), MQTTTopic(command) != nil,
            MQTTTopic(state) != nil
        else { return nil }
        return switch self {
        case .nukiNative: nukiNative(lock, object: object)
        case .nukiHub: nukiHub(lock)
        case .zwaveJSUI: zwaveJSUI(lock)
        case .esphome: esphome(lock, object: object)
        case .ringMQTT: ringMQTT(lock)
        case .zigbee2MQTT: zigbee2MQTT(lock)
        }
    }

    /// Returns the address of a lock with the command topic `nuki/<ID>/lockAction`, the object id `nuki_<ID>_lock`, and Nuki's
    /// own numeric codes.
    private func nukiNative(_ lock: HomeAssistantLock, object: String) -> [String: JSONValue]? {
        guard let basePath = lock.base("/lockAction", "/state", ["payload_lock": "2", "payload_unlock": "1"]),
            let slash = basePath.lastIndex(of: "/")
        else { return nil }
        let id = String(basePath[basePath.index(after: slash)...])
        guard object == "nuki_\(id)_lock" else { return nil }
        return ["id": .string(id)].with("base", String(basePath[..<slash]), unless: "nuki")
    }

    /// Returns the address of a lock with the topics `<base>/lock/action` and `<base>/lock/hastate`, and with a lock's payloads.
    /// An opener of the same bridge has other payloads.
    private func nukiHub(_ lock: HomeAssistantLock) -> [String: JSONValue]? {
        lock.base("/lock/action", "/lock/hastate", ["payload_lock": "lock", "payload_unlock": "unlock"])
            .map { [:].with("base", $0, unless: "nukihub") }
    }

    /// Returns the address of a lock with the command topic `<prefix>/<node>/98/0/targetMode/set`, or with `door_lock/endpoint_0`
    /// in place of `98/0`. The prefix is that of the gateway's status topic, which is announced with each lock.
    private func zwaveJSUI(_ lock: HomeAssistantLock) -> [String: JSONValue]? {
        let gateways = lock.availability.compactMap { $0["topic"]?.string?.before("/status") }
        let marker = "/_CLIENTS/ZWAVE_GATEWAY-"
        guard let gateway = gateways.first(where: { $0.contains(marker) }), let start = gateway.ranges(of: marker).first else {
            return nil
        }
        let prefix = String(gateway[..<start.lowerBound])
        for (naming, value) in [("valueId", "/98/0/"), ("named", "/door_lock/endpoint_0/")] {
            guard let basePath = lock.base(value + "targetMode/set", value + "currentMode"),
                let node = basePath.after(prefix + "/")
            else { continue }
            return ["node": .string(node), "gateway": .string(String(gateway[start.upperBound...]))]
                .with("prefix", prefix, unless: "zwave").with("naming", naming, unless: "valueId")
        }
        return nil
    }

    /// Returns the address of a lock with the command topic `<node>/lock/<object>/command`, the same object id, ESPHome's
    /// payloads, and the availability topic `<node>/status`.
    private func esphome(_ lock: HomeAssistantLock, object: String) -> [String: JSONValue]? {
        guard let node = lock.base("/lock/\(object)/command", "/lock/\(object)/state"),
            lock.text("availability_topic") == "\(node)/status", lock.hasDefaultPayloads
        else { return nil }
        var variables: [String: JSONValue] = ["node": .string(node)]
        if lock.isOptimistic { variables["optimistic"] = .bool(true) }
        if lock.text("payload_open") == nil { variables["no_open"] = .bool(true) }
        return variables.with("object_id", object, unless: "lock")
    }

    /// Returns the address of a lock with the command topic `<base>/<location>/alarm/<device>/lock/command`.
    private func ringMQTT(_ lock: HomeAssistantLock) -> [String: JSONValue]? {
        guard let basePath = lock.base("/lock/command", "/lock/state") else { return nil }
        let levels = basePath.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard levels.count >= 4, levels[levels.count - 2] == "alarm", levels.suffix(3).allSatisfy({ !$0.isEmpty }) else {
            return nil
        }
        return ["location": .string(levels[levels.count - 3]), "device": .string(levels[levels.count - 1])]
            .with("base", levels.dropLast(3).joined(separator: "/"), unless: "ring")
    }

    /// Returns the address of a lock with the topics `<base>/<name>/set` and `<base>/<name>`, and with Zigbee2MQTT's payloads.
    /// The base is that of the bridge's own state topic, which is announced with each lock.
    private func zigbee2MQTT(_ lock: HomeAssistantLock) -> [String: JSONValue]? {
        let payloads = ["payload_lock": "LOCK", "payload_unlock": "UNLOCK", "state_locked": "LOCK", "state_unlocked": "UNLOCK"]
        let topics = lock.availability.compactMap { $0["topic"]?.string } + [lock.text("availability_topic")].compactMap(\.self)
        guard let base = topics.lazy.compactMap({ $0.before("/bridge/state") }).first,
            lock.base("/set", "", payloads) != nil, let name = lock.text("state_topic")?.after(base + "/"),
            let template = lock.text("value_template"),
            HomeAssistantTemplate.path(template)?.keys == ["state"]
        else { return nil }
        return ["name": .string(name)].with("base", base, unless: "zigbee2mqtt")
    }
}

extension HomeAssistantLock {
    /// Returns the common beginning of the command topic and the state topic, if they have these endings and the lock has these
    /// texts.
    fileprivate func base(_ commandEnding: String, _ stateEnding: String, _ texts: [String: String] = [:]) -> String? {
        guard let base = text("command_topic")?.before(commandEnding), text("state_topic") == base + stateEnding,
            texts.allSatisfy({ text($0.key) == $0.value })
        else { return nil }
        return base
    }

    /// Whether the lock's payloads and states are Home Assistant's defaults.
    fileprivate var hasDefaultPayloads: Bool {
        let defaults = [
            "payload_lock": "LOCK", "payload_unlock": "UNLOCK", "payload_open": "OPEN", "state_locked": "LOCKED",
            "state_unlocked": "UNLOCKED", "state_jammed": "JAMMED", "payload_available": "online",
            "payload_not_available": "offline",
        ]
        return defaults.allSatisfy { text($0.key) == nil || text($0.key) == $0.value } && text("value_template") == nil
    }
}

extension String {
    /// Returns the text before `suffix`, if not empty.
    fileprivate func before(_ suffix: String) -> String? {
        hasSuffix(suffix) && utf8.count > suffix.utf8.count ? String(dropLast(suffix.count)) : nil
    }

    /// Returns the text after `prefix`, if not empty.
    fileprivate func after(_ prefix: String) -> String? {
        hasPrefix(prefix) && utf8.count > prefix.utf8.count ? String(dropFirst(prefix.count)) : nil
    }
}

extension [String: JSONValue] {
    /// Adds a value, unless it is the profile's default.
    func with(_ key: String, _ value: String, unless standard: String) -> Self {
        value == standard ? self : merging([key: .string(value)]) { $1 }
    }
}
