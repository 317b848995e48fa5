internal import DoorwardDomain
internal import DoorwardMQTT

/// Reads the descriptions of devices of the Homie convention, version 5. Version 4 spreads a description over many topics, and is
/// not supported.
struct HomieReader: DiscoveryReader {
    var filters: [MQTTFilter] { ["+/5/+/$description", "+/5/+/$state"].compactMap { MQTTFilter($0) } }

    func read(_ message: MQTTMessage) -> (source: String, entries: [DiscoveryEntry])? {
        let levels = message.topic.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard levels.count == 4, levels[1] == "5", MQTTTopic(levels[0]) != nil, Self.isID(levels[2]) else { return nil }
        let source = "\(levels[0])/5/\(levels[2])"
        switch levels[3] {
        case "$state":
            // An empty state means that the device was removed; any other is not relevant.
            return message.payload.isEmpty ? (source, []) : nil
        case "$description":
            guard !message.payload.isEmpty else { return (source, []) }
            guard let description = JSONText.read(message.payload).flatMap(HomieDescription.init) else { return nil }
            return (source, entries(description, base: "\(levels[0])/5", device: levels[2]))
        default: return nil
        }
    }

    private func entries(_ description: HomieDescription, base: String, device: String) -> [DiscoveryEntry] {
        description.locks.filter { Self.isID($0.key) }.sorted { $0.key < $1.key }.map { node in
            let path = base == Self.standardBase ? device : "\(base)/\(device)"
            var variables: [String: JSONValue] = ["device": .string(device)]
            variables = variables.with("base", base, unless: Self.standardBase).with("node", node.key, unless: "lock")
            if let root = description.root { variables["root"] = .string(root) }
            let found = AnnouncedLock(
                id: "homie:\(path)/\(node.key)", name: name(description, node.key, node.value), profile: "homie",
                variables: variables, problem: problem(description))
            return DiscoveryEntry(
                lock: found, commandTopic: TopicText("\(base)/\(device)/\(node.key)/command/set"), weight: .inventory)
        }
    }

    private func name(_ description: HomieDescription, _ id: String, _ own: String?) -> String? {
        // A node with the profile's default id has the name of the device alone.
        guard id != "lock" || description.name == nil, let own else { return description.name }
        return description.name.map { "\($0) \(own)" } ?? own
    }

    private func problem(_ description: HomieDescription) -> String? {
        guard let root = description.root, !Self.isID(root) else { return nil }
        return "its root device, `\(root.prefix(40))`, has no id of the convention"
    }

    /// Whether a text is an id: lower-case letters, digits and hyphens.
    private static func isID(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 256
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
                default: false
                }
            }
    }

    private static let standardBase = "homie/5"
}
