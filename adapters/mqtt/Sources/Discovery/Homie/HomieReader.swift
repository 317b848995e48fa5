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
        (1...256).contains(text.utf8.count) && text.utf8.allSatisfy(idBytes.contains)
    }

    private static let idBytes = Set("abcdefghijklmnopqrstuvwxyz0123456789-".utf8)
    private static let standardBase = "homie/5"
}

/// The locks in a device's `$description` of Homie 5.
struct HomieDescription {
    var name: String?
    /// The id of the root device: the value of `root` or, if absent, of `parent`; `nil` for a device without a parent.
    var root: String?
    /// The locks' names by the ids of their nodes.
    var locks: [String: String?]

    /// - Returns: `nil` if it is no description of version 5.
    init?(_ text: JSONText) {
        guard let fields = text.object, let version = fields["homie"]?.string, version.split(separator: ".").first == "5" else {
            return nil
        }
        for key in ["root", "parent"] {
            guard let value = fields[key], value != .null else { continue }
            guard let id = value.string else { return nil }
            root = root ?? id
        }
        name = fields["name"]?.string
        locks = (fields["nodes"]?.object ?? [:]).compactMapValues { node in
            guard let node = node.object, Self.isLock(node["properties"]?.object ?? [:]) else { return nil }
            return .some(node["name"]?.string)
        }
    }

    /// Whether a node is a lock that the `homie` profile supports: a bolt state in `state`, and a settable target in `command`.
    private static func isLock(_ properties: [String: JSONText]) -> Bool {
        guard let state = properties["state"]?.object, let command = properties["command"]?.object else { return false }
        return words(state).isSuperset(of: ["locked", "unlocked"]) && state["settable"]?.bool != true
            && words(command).isSuperset(of: ["lock", "unlock"]) && command["settable"]?.bool == true
    }

    /// Returns the values of an `enum`; empty for other types.
    private static func words(_ property: [String: JSONText]) -> Set<String> {
        guard property["datatype"] == .string("enum") else { return [] }
        return Set((property["format"]?.string ?? "").split(separator: ",").map(String.init))
    }
}
