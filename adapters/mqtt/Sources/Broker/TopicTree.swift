internal import DoorwardMQTT

/// Subscribers by topic filter, as a trie of topic levels. A lookup takes one step for each level
/// of the topic, for any number of filters.
struct TopicTree<Value: Hashable> {
    private final class Node {
        var children: [TopicText: Node] = [:]
        /// Subscribers whose filter ends with this level, which may be a wildcard.
        var values: Set<Value> = []

        var isEmpty: Bool { children.isEmpty && values.isEmpty }
    }

    private let root = Node()

    /// Whether there are no subscribers.
    var isEmpty: Bool { root.isEmpty }

    /// - Returns: whether the filter had no subscriber before.
    mutating func insert(_ value: Value, at filter: MQTTFilter) -> Bool {
        var node = root
        for level in TopicText(filter.description).levels {
            let next = node.children[level] ?? Node()
            node.children[level] = next
            node = next
        }
        defer { node.values.insert(value) }
        return node.values.isEmpty
    }

    /// - Returns: whether the filter has no subscriber left.
    mutating func remove(_ value: Value, at filter: MQTTFilter) -> Bool {
        remove(value, at: TopicText(filter.description).levels[...], from: root)
    }

    private func remove(_ value: Value, at levels: ArraySlice<TopicText>, from node: Node) -> Bool {
        guard let level = levels.first else {
            node.values.remove(value)
            return node.values.isEmpty
        }
        guard let next = node.children[level] else { return true }
        defer { if next.isEmpty { node.children[level] = nil } }
        return remove(value, at: levels.dropFirst(), from: next)
    }

    /// The values stored at exactly this filter.
    func values(at filter: MQTTFilter) -> Set<Value> {
        TopicText(filter.description).levels.reduce(Optional(root)) { $0?.children[$1] }?.values ?? []
    }

    /// Returns all subscribers whose filters match `topic`.
    func values(matching topic: String) -> Set<Value> {
        var found: Set<Value> = []
        // A wildcard at the beginning does not match a topic that begins with `$` (MQTT 5.0, 4.7.2).
        collect(TopicText(topic).levels[...], from: root, takesWildcards: !topic.hasPrefix("$"), into: &found)
        return found
    }

    private func collect(
        _ levels: ArraySlice<TopicText>, from node: Node, takesWildcards: Bool, into found: inout Set<Value>
    ) {
        if takesWildcards, let rest = node.children[.multiLevelWildcard] { found.formUnion(rest.values) }
        guard let level = levels.first else { return found.formUnion(node.values) }
        if takesWildcards, let next = node.children[.singleLevelWildcard] {
            collect(levels.dropFirst(), from: next, takesWildcards: true, into: &found)
        }
        if level != .singleLevelWildcard, level != .multiLevelWildcard, let next = node.children[level] {
            collect(levels.dropFirst(), from: next, takesWildcards: true, into: &found)
        }
    }
}
