internal import DoorwardDomain

/// One message of Home Assistant's discovery, read: which locks it announces, and of what device.
struct Announcement {
    /// `nil` where a single lock names none.
    var device: HomeAssistantDevice?
    /// The announcing program's name, where it says so.
    var origin: String?
    /// The locks; none where the message takes away what was there.
    var locks: [Component]

    /// A lock, not yet looked at.
    struct Component {
        /// Unlike every other's of the broker.
        var id: String
        /// The part of the topic, or the component's key, that names it.
        var object: String
        /// Keys at full length, `~` put in, what the device says for all its components put in.
        var fields: [String: JSONValue]
    }

    /// - Returns: `nil` for what Home Assistant would drop.
    init?(_ payload: JSONValue, at topic: HomeAssistantTopic) {
        guard let root = payload.object?.atFullLength else { return nil }
        locks = []
        // Home Assistant's way from one form to the other: what was announced here will be announced elsewhere.
        if root["migrate_discovery"] == .bool(true) { return }
        if let value = root["origin"] {
            guard let origin = HomeAssistantOrigin(value) else { return nil }
            self.origin = origin.name
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

    /// The locks among a device's components; `nil` where one of them, of whatever kind, does not say what it is.
    private static func locks(
        _ components: [String: JSONValue], root: [String: JSONValue], at topic: HomeAssistantTopic
    ) -> [Component]? {
        var locks: [Component] = []
        for (key, value) in components.sorted(by: { $0.key < $1.key }) {
            guard var fields = value.object?.atFullLength, let platform = fields.removeValue(forKey: "platform")?.string else {
                return nil
            }
            // Reduced to its platform, a component is taken away; and each that stays has an id of its own.
            guard platform == "lock", !fields.isEmpty, fields["unique_id"] != nil, key.utf8.count <= HomeAssistantTopic.longestID
            else { continue }
            for shared in sharedKeys where fields[shared] == nil {
                if shared.hasPrefix("availability"), fields["availability"] != nil || fields["availability_topic"] != nil {
                    continue
                }
                fields[shared] = root[shared]
            }
            // A slash in a key would make it look like part of the topic.
            let name = key.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%25")
                .split(separator: "/", omittingEmptySubsequences: false).joined(separator: "%2F")
            locks.append(Component(id: "\(topic.id)/\(name)", object: key, fields: fields.withTopicBase))
        }
        return locks
    }

    /// What a device says for all its components that do not say it themselves.
    private static let sharedKeys = [
        "~", "availability", "availability_mode", "availability_template", "availability_topic", "command_topic", "encoding",
        "payload_available", "payload_not_available", "qos", "state_topic",
    ]
}

extension [String: JSONValue] {
    /// The same with full keys, in `availability` too; `device` and `origin` are read with abbreviations of their own.
    fileprivate var atFullLength: Self {
        var fields = expanded(Abbreviations.component)
        if let availability = fields["availability"] {
            fields["availability"] = .array(
                availability.listed.map { item in item.object.map { .object($0.expanded(Abbreviations.component)) } ?? item })
        }
        return fields
    }
}
