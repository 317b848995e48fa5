internal import DoorwardDomain

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
            let name = key.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%25")
                .split(separator: "/", omittingEmptySubsequences: false).joined(separator: "%2F")
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
