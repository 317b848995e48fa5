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
