internal import DoorwardMQTT

/// Subscribers by topic filter, as a trie of topic levels. A lookup takes one step for each level
/// of the topic, for any number of filters.
struct TopicTree<Value: Hashable> {
    private final class Node {
        var children: [TopicText: Node] = [:]
        /// Subscribers whose filter ends with this level.
        var here: Set<Value> = []
        /// Subscribers whose filter is this level and all levels below it (`#`).
        var below: Set<Value> = []

        var isEmpty: Bool { children.isEmpty && here.isEmpty && below.isEmpty }
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
        defer { if levels.last == TopicText.multiLevelWildcard { node.below.insert(value) } else { node.here.insert(value) } }
        return levels.last == TopicText.multiLevelWildcard ? node.below.isEmpty : node.here.isEmpty
    }

    /// - Returns: whether the filter has no subscriber left.
    mutating func remove(_ value: Value, at filter: MQTTFilter) -> Bool {
        remove(value, at: Self.levels(filter.description)[...], from: root)
    }

    private func remove(_ value: Value, at levels: ArraySlice<TopicText>, from node: Node) -> Bool {
        guard let level = levels.first else {
            node.here.remove(value)
            return node.here.isEmpty
        }
        if level == TopicText.multiLevelWildcard {
            node.below.remove(value)
            return node.below.isEmpty
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
        return levels.last == TopicText.multiLevelWildcard ? node.below : node.here
    }

    /// Returns all subscribers whose filters match `topic`.
    func values(for topic: String) -> Set<Value> {
        var found: Set<Value> = []
        collect(Self.levels(topic)[...], from: root, isFirst: true, isOwnOfBroker: topic.hasPrefix("$"), into: &found)
        return found
    }

    /// - Parameter isOwnOfBroker: whether the topic begins with `$`: a leading wildcard does not match it (MQTT 5.0, 4.7.2).
    private func collect(
        _ levels: ArraySlice<TopicText>, from node: Node, isFirst: Bool, isOwnOfBroker: Bool, into found: inout Set<Value>
    ) {
        let takesWildcards = !(isFirst && isOwnOfBroker)
        if takesWildcards { found.formUnion(node.below) }
        guard let level = levels.first else { return found.formUnion(node.here) }
        if level != TopicText.singleLevelWildcard, level != TopicText.multiLevelWildcard, let next = node.children[level] {
            collect(levels.dropFirst(), from: next, isFirst: false, isOwnOfBroker: isOwnOfBroker, into: &found)
        }
        if takesWildcards, let next = node.children[TopicText.singleLevelWildcard] {
            collect(levels.dropFirst(), from: next, isFirst: false, isOwnOfBroker: isOwnOfBroker, into: &found)
        }
    }

    private static func levels(_ text: String) -> [TopicText] { TopicText(text).levels }
}
