internal import DoorwardMQTT

/// Subscribers by topic filter, as a trie of topic levels. A lookup takes one step for each level
/// of the topic, for any number of filters.
struct TopicTree<Value: Hashable> {
    private final class Node {
        var children: [TopicText: Node] = [:]
        /// Subscribers whose filter ends with this level.
        var exactValues: Set<Value> = []
        /// Subscribers whose filter is this level and all levels below it (`#`).
        var subtreeValues: Set<Value> = []

        var isEmpty: Bool { children.isEmpty && exactValues.isEmpty && subtreeValues.isEmpty }
    }

    private let root = Node()

    /// Whether there are no subscribers.
    var isEmpty: Bool { root.isEmpty }

    /// - Returns: whether the filter had no subscriber before.
    mutating func insert(_ value: Value, at filter: MQTTFilter) -> Bool {
        var node = root
        let levels = Self.levels(filter.description)
        for level in levels where level != TopicText.multiLevelWildcard {
            if node.children[level] == nil { node.children[level] = Node() }
            guard let next = node.children[level] else { return false }
            node = next
        }
        defer {
            if levels.last == TopicText.multiLevelWildcard {
                node.subtreeValues.insert(value)
            } else {
                node.exactValues.insert(value)
            }
        }
        return levels.last == TopicText.multiLevelWildcard ? node.subtreeValues.isEmpty : node.exactValues.isEmpty
    }

    /// - Returns: whether the filter has no subscriber left.
    mutating func remove(_ value: Value, at filter: MQTTFilter) -> Bool {
        remove(value, at: Self.levels(filter.description)[...], from: root)
    }

    private func remove(_ value: Value, at levels: ArraySlice<TopicText>, from node: Node) -> Bool {
        guard let level = levels.first else {
            node.exactValues.remove(value)
            return node.exactValues.isEmpty
        }
        if level == TopicText.multiLevelWildcard {
            node.subtreeValues.remove(value)
            return node.subtreeValues.isEmpty
        }
        guard let next = node.children[level] else { return true }
        let isLast = remove(value, at: levels.dropFirst(), from: next)
        if next.isEmpty { node.children[level] = nil }
        return isLast
    }

    /// The values stored at exactly this filter.
    func values(at filter: MQTTFilter) -> Set<Value> {
        var node = root
        let levels = Self.levels(filter.description)
        for level in levels where level != TopicText.multiLevelWildcard {
            guard let next = node.children[level] else { return [] }
            node = next
        }
        return levels.last == TopicText.multiLevelWildcard ? node.subtreeValues : node.exactValues
    }

    /// Returns all subscribers whose filters match `topic`.
    func values(matching topic: String) -> Set<Value> {
        var found: Set<Value> = []
        collect(Self.levels(topic)[...], from: root, isFirst: true, isReserved: topic.hasPrefix("$"), into: &found)
        return found
    }

    /// - Parameter isReserved: whether the topic begins with `$`: a leading wildcard does not match it (MQTT 5.0, 4.7.2).
    private func collect(
        _ levels: ArraySlice<TopicText>, from node: Node, isFirst: Bool, isReserved: Bool, into found: inout Set<Value>
    ) {
        let matchesWildcards = !(isFirst && isReserved)
        if matchesWildcards { found.formUnion(node.subtreeValues) }
        guard let level = levels.first else { return found.formUnion(node.exactValues) }
        if level != TopicText.singleLevelWildcard, level != TopicText.multiLevelWildcard, let next = node.children[level] {
            collect(levels.dropFirst(), from: next, isFirst: false, isReserved: isReserved, into: &found)
        }
        if matchesWildcards, let next = node.children[TopicText.singleLevelWildcard] {
            collect(levels.dropFirst(), from: next, isFirst: false, isReserved: isReserved, into: &found)
        }
    }

    private static func levels(_ text: String) -> [TopicText] { TopicText(text).levels }
}
