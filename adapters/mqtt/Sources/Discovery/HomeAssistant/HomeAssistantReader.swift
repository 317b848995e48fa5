internal import DoorwardDomain
internal import DoorwardMQTT

/// Reads Home Assistant's announcements: single locks, and devices with their components.
struct HomeAssistantReader: DiscoveryReader {
    /// Whether to read all locks, and not only those of `ecosystems`.
    private let readsAllLocks: Bool
    private let ecosystems: Set<KnownEcosystem>
    /// Whether to ignore the announcements of Zigbee2MQTT's locks, because they are read from its own list, which is more
    /// complete.
    private let skipsZigbee2MQTT: Bool

    /// - Returns: `nil` if none of the profiles is announced this way.
    init?(profiles: Set<String>) {
        readsAllLocks = profiles.contains("homeassistant")
        // For the Zigbee2MQTT profile alone, discovery reads the bridge's own list.
        ecosystems = Set(KnownEcosystem.allCases.filter { $0 != .zigbee2MQTT && profiles.contains($0.rawValue) })
        skipsZigbee2MQTT = profiles.contains("zigbee2mqtt")
        guard readsAllLocks || !ecosystems.isEmpty else { return nil }
    }

    var filters: [MQTTFilter] {
        ["lock/+", "lock/+/+", "device/+", "device/+/+"].compactMap { MQTTFilter("\(HomeAssistantTopic.prefix)/\($0)/config") }
    }

    func read(_ message: MQTTMessage) -> (source: String, entries: [DiscoveryEntry])? {
        guard let topic = HomeAssistantTopic(message.topic) else { return nil }
        guard !message.payload.isEmpty else { return (message.topic, []) }
        guard let value = JSONText.read(message.payload)?.value,
            let announcement = Announcement(value, at: topic)
        else { return nil }
        if skipsZigbee2MQTT, announcement.origin == "Zigbee2MQTT" { return (message.topic, []) }
        let locks = announcement.locks.map { ($0, HomeAssistantLock($0.fields)) }
        // An invalid announcement of a single lock has no effect. A device is read without its invalid lock.
        if topic.component == .lock, locks.contains(where: { $0.1 == nil }) { return nil }
        return (message.topic, locks.compactMap { component, lock in lock.flatMap { entry(component, $0, announcement) } })
    }

    private func entry(_ component: Announcement.Component, _ lock: HomeAssistantLock, _ announcement: Announcement)
        -> DiscoveryEntry?
    {
        guard let command = lock.text("command_topic") else { return nil }
        let own = KnownEcosystem.allCases.lazy.filter { readsAllLocks || ecosystems.contains($0) }.compactMap { ecosystem in
            ecosystem.variables(lock, object: component.object).map { (profile: ecosystem.rawValue, variables: $0) }
        }.first
        guard own != nil || readsAllLocks else { return nil }
        let found = AnnouncedLock(
            id: "homeassistant:\(component.id)", name: name(lock, of: announcement.device),
            product: announcement.device?.product ?? LockProduct(), profile: own?.profile ?? "homeassistant",
            variables: own?.variables ?? lock.variables, problem: own == nil ? lock.problem : nil)
        return DiscoveryEntry(lock: found, commandTopic: TopicText(command), uniqueID: lock.uniqueID, weight: .announcement)
    }

    /// Combines the names of device and lock, as Home Assistant displays them: `Front door`, `Front door Lower bolt`.
    private func name(_ lock: HomeAssistantLock, of device: HomeAssistantDevice?) -> String? {
        guard let own = lock.name, !own.isEmpty else { return device?.name }
        guard let whole = device?.name, !whole.isEmpty, !own.hasPrefix(whole) else { return own }
        return "\(whole) \(own)"
    }
}

/// One parsed discovery message of Home Assistant: the announced locks and their device.
struct Announcement {
    /// The device of the locks; `nil` if a single lock has no device.
    var device: HomeAssistantDevice?
    /// The name of the announcing program, if given.
    var origin: String?
    /// The locks; empty if the message removes the announcement.
    var locks: [Component]

    /// A lock, not yet validated.
    struct Component {
        /// Unique on the broker.
        var id: String
        /// The object id of the topic, or the component's key.
        var object: String
        /// The configuration with full keys, `~` replaced, and the device's shared values added.
        var fields: [String: JSONValue]
    }

    /// - Returns: `nil` for a message that Home Assistant rejects.
    init?(_ payload: JSONValue, at topic: HomeAssistantTopic) {
        guard let root = payload.object?.withFullKeys else { return nil }
        locks = []
        // Home Assistant's migration between the two discovery forms: the locks of this topic will be announced on another topic.
        if root["migrate_discovery"] == .bool(true) { return }
        if let value = root["origin"] {
            guard let name = value.object?["name"]?.homeAssistantText, !name.isEmpty else { return nil }
            origin = name
        }
        if let value = root["device"] {
            guard let device = HomeAssistantDevice(value) else { return nil }
            self.device = device
        }
        switch topic.component {
        case .lock:
            locks = [Component(id: topic.id, object: topic.object, fields: root.withTopicBase)]
        case .device:
            guard device != nil, origin != nil, let components = root["components"]?.object,
                let locks = Self.locks(components, root: root, at: topic)
            else { return nil }
            self.locks = locks
        }
    }

    /// The locks among a device's components; `nil` if any component has no platform.
    private static func locks(
        _ components: [String: JSONValue], root: [String: JSONValue], at topic: HomeAssistantTopic
    ) -> [Component]? {
        var locks: [Component] = []
        for (key, value) in components.sorted(by: { $0.key < $1.key }) {
            guard var fields = value.object?.withFullKeys, let platform = fields.removeValue(forKey: "platform")?.string else {
                return nil
            }
            // A component that contains only its platform is removed. Any other component needs an id of its own.
            guard platform == "lock", !fields.isEmpty, fields["unique_id"] != nil,
                key.utf8.count <= HomeAssistantTopic.maxIDLength
            else { continue }
            for shared in sharedKeys where fields[shared] == nil {
                if shared.hasPrefix("availability"), fields["availability"] != nil || fields["availability_topic"] != nil {
                    continue
                }
                fields[shared] = root[shared]
            }
            // Escape slashes, which separate the levels of a topic.
            let name = key.replacing("%", with: "%25").replacing("/", with: "%2F")
            locks.append(Component(id: "\(topic.id)/\(name)", object: key, fields: fields.withTopicBase))
        }
        return locks
    }

    /// Values of a device that apply to all components without their own.
    private static let sharedKeys = [
        "~", "availability", "availability_mode", "availability_template", "availability_topic", "command_topic", "encoding",
        "payload_available", "payload_not_available", "qos", "state_topic",
    ]
}

extension [String: JSONValue] {
    /// The fields with full keys instead of short ones, also in `availability`; `device` and `origin` have their own
    /// abbreviations.
    fileprivate var withFullKeys: Self {
        var fields = expanded(Abbreviations.component)
        if let availability = fields["availability"] {
            fields["availability"] = .array(
                availability.asList.map { item in item.object.map { .object($0.expanded(Abbreviations.component)) } ?? item })
        }
        return fields
    }
}

/// A discovery topic of Home Assistant: `homeassistant/<component>/[<node>/]<object>/config`.
struct HomeAssistantTopic: Hashable {
    /// `lock`, or `device` for a device with all its components.
    var component: Component
    var node: String?
    var object: String

    enum Component: String { case lock, device }

    /// The first level. It can be configured in Home Assistant; announcing programs use this one by default.
    static let prefix = "homeassistant"
    /// Maximum characters of a node id or an object id.
    static let maxIDLength = 256

    /// - Returns: `nil` for any other topic, and if an id contains characters other than letters, digits, `_` and `-`.
    init?(_ topic: String) {
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        guard levels.count == 4 || levels.count == 5, levels[0] == Self.prefix, levels.last == "config",
            let component = Component(rawValue: String(levels[1])), levels[2..<levels.count - 1].allSatisfy(Self.isLegal)
        else { return nil }
        self.component = component
        node = levels.count == 5 ? String(levels[2]) : nil
        object = String(levels[levels.count - 2])
    }

    /// Unique among the discovery topics of the broker: `abc`, `node/abc`, `device/abc`.
    var id: String {
        [component == .device ? "device" : nil, node, object].compactMap(\.self).joined(separator: "/")
    }

    private static func isLegal(_ id: Substring) -> Bool {
        (1...maxIDLength).contains(id.utf8.count) && id.utf8.allSatisfy(idBytes.contains)
    }

    private static let idBytes = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-".utf8)
}

/// The `device` block: the device that the lock is part of.
struct HomeAssistantDevice {
    var name: String?
    var product: LockProduct

    /// - Parameter value: with short or full keys.
    /// - Returns: `nil` if it is no object, or has neither identifiers nor connections.
    init?(_ value: JSONValue) {
        guard let fields = value.object?.expanded(Abbreviations.device),
            fields["identifiers"]?.asList.contains(where: { $0.homeAssistantText != nil }) == true
                || fields["connections"]?.array?.isEmpty == false
        else { return nil }
        name = fields["name"]?.homeAssistantText
        product = LockProduct(
            manufacturer: fields["manufacturer"]?.homeAssistantText, model: fields["model"]?.homeAssistantText,
            firmwareVersion: fields["sw_version"]?.homeAssistantText)
    }
}

extension JSONValue {
    /// The value as Home Assistant converts it to text: numbers and booleans as in Python (`True`), so `"payload_lock": 255` is
    /// the text `255`.
    var homeAssistantText: String? {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        case .number(let number): String(number)
        case .bool(let isTrue): isTrue ? "True" : "False"
        case .null, .array, .object: nil
        }
    }

    /// The value as Home Assistant converts it to a list: a single value is a list of one.
    var asList: [JSONValue] { array ?? [self] }
}
