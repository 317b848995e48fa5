internal import DoorwardMQTT

/// Index of the entries that share a key that should be unique.
struct DuplicateIndex: Sendable {
    /// The shared value.
    enum Key: Hashable, Sendable {
        case uniqueID(TopicText)
        case commandTopic(TopicText, DiscoveryEntry.Weight)
    }

    private var members: [Key: Set<TopicText>] = [:]

    /// The ids of the entries with this key.
    func ids(_ key: Key) -> Set<TopicText> { members[key] ?? [] }

    /// - Returns: the ids of other entries that this changes: the one that was alone before. None if there were more already, so
    ///   that ten thousand entries for one topic cost no more than two.
    mutating func insert(_ id: TopicText, _ key: Key) -> Set<TopicText> {
        let before = ids(key)
        members[key, default: []].insert(id)
        return before.count == 1 ? before : []
    }

    /// - Returns: the id of the entry that is alone from now on.
    mutating func remove(_ id: TopicText, _ key: Key) -> Set<TopicText> {
        members[key]?.remove(id)
        let after = ids(key)
        if after.isEmpty { members[key] = nil }
        return after.count == 1 ? after : []
    }
}
