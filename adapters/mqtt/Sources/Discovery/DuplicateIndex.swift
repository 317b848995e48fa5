internal import DoorwardMQTT

/// Index of the entries that share a key that should be unique.
struct DuplicateIndex: Sendable {
    /// The shared value.
    enum Key: Hashable, Sendable {
        case uniqueID(TopicText)
        case commandTopic(TopicText, DiscoveryEntry.Weight)
    }

    private var members: [Key: Set<TopicText>] = [:]

    /// Returns the ids of the entries with this key.
    func ids(_ key: Key) -> Set<TopicText> { members[key] ?? [] }

    /// - Returns: the id of the entry that was the only one with this key before. Empty if there
    ///   was no such entry or more than one: a further duplicate changes nothing for the others, so
    ///   each of ten thousand entries for one topic costs no more than the second one.
    mutating func insert(_ id: TopicText, _ key: Key) -> Set<TopicText> {
        let before = ids(key)
        members[key, default: []].insert(id)
        return before.count == 1 ? before : []
    }

    /// - Returns: the id of the entry that is now the only one with this key.
    mutating func remove(_ id: TopicText, _ key: Key) -> Set<TopicText> {
        members[key]?.remove(id)
        let after = ids(key)
        if after.isEmpty { members[key] = nil }
        return after.count == 1 ? after : []
    }
}
