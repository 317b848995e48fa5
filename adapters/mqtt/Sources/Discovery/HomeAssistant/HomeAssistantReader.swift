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
        ecosystems = Set(KnownEcosystem.allCases.filter { $0 != .zigbee2MQTT && profiles.contains($0.profile) })
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
        else {
            return nil
        }
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
        var found: AnnouncedLock?
        for ecosystem in KnownEcosystem.allCases where readsAllLocks || ecosystems.contains(ecosystem) {
            guard let variables = ecosystem.variables(lock, object: component.object) else { continue }
            found = AnnouncedLock(id: "", profile: ecosystem.profile, variables: variables)
            break
        }
        if found == nil, readsAllLocks {
            found = AnnouncedLock(id: "", profile: "homeassistant", variables: lock.variables, problem: lock.problem)
        }
        guard let found else { return nil }
        let named = AnnouncedLock(
            id: "homeassistant:\(component.id)", name: name(lock, of: announcement.device),
            product: announcement.device?.product ?? LockProduct(), profile: found.profile, variables: found.variables,
            problem: found.problem)
        return DiscoveryEntry(lock: named, commandTopic: TopicText(command), uniqueID: lock.uniqueID, weight: .announcement)
    }

    /// Combines the names of device and lock, as Home Assistant displays them: `Front door`, `Front door Lower bolt`.
    private func name(_ lock: HomeAssistantLock, of device: HomeAssistantDevice?) -> String? {
        guard let own = lock.name, !own.isEmpty else { return device?.name }
        guard let whole = device?.name, !whole.isEmpty, !own.hasPrefix(whole) else { return own }
        return "\(whole) \(own)"
    }
}
