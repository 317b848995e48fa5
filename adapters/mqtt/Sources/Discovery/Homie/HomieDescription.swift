/// A device's `$description` of Homie 5, as far as it speaks of locks.
struct HomieDescription: Decodable {
    /// The version of the convention, `5.x`.
    var homie: String
    var name: String?
    /// The id of the device that this one hangs on at last; `nil` for one that stands by itself.
    var root: String?
    /// The id of the device that it hangs on; the root where it names none.
    var parent: String?
    /// By their ids.
    var nodes: [String: Node]

    private enum CodingKeys: String, CodingKey { case homie, name, root, parent, nodes }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        homie = try fields.decode(String.self, forKey: .homie)
        name = try? fields.decode(String.self, forKey: .name)
        root = try fields.decodeIfPresent(String.self, forKey: .root)
        parent = try fields.decodeIfPresent(String.self, forKey: .parent)
        let nodes = try? fields.decode([String: Lenient<Node>].self, forKey: .nodes)
        self.nodes = (nodes ?? [:]).compactMapValues(\.value)
    }

    /// A part of the device.
    struct Node: Decodable {
        var name: String?
        var properties: [String: Property]

        private enum CodingKeys: String, CodingKey { case name, properties }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            name = try? fields.decode(String.self, forKey: .name)
            properties = try fields.decode([String: Lenient<Property>].self, forKey: .properties).compactMapValues(\.value)
        }
    }

    /// A value of a part.
    struct Property: Decodable {
        /// The values, for an `enum`; empty for other types.
        var words: Set<String>
        var isSettable: Bool

        private enum CodingKeys: String, CodingKey { case datatype, format, settable }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            let type = try fields.decode(String.self, forKey: .datatype)
            let format = try fields.decodeIfPresent(String.self, forKey: .format)
            words = type == "enum" ? Set((format ?? "").split(separator: ",").map(String.init)) : []
            isSettable = try fields.decodeIfPresent(Bool.self, forKey: .settable) ?? false
        }
    }
}

extension HomieDescription.Node {
    /// Whether it is the lock that the `homie` profile speaks to: what the bolt does in `state`, and what it should do in `command`.
    var isLock: Bool {
        guard let state = properties["state"], let command = properties["command"] else { return false }
        return state.words.isSuperset(of: ["locked", "unlocked"]) && !state.isSettable
            && command.words.isSuperset(of: ["lock", "unlock"]) && command.isSettable
    }
}
