internal import DoorwardMQTT

/// Which claims share what only one of them may have.
struct ClaimGroups: Sendable {
    /// What is shared.
    enum Key: Hashable, Sendable {
        case uniqueID(TopicText)
        case commandTopic(TopicText, Claim.Weight)
    }

    private var members: [Key: Set<TopicText>] = [:]

    /// The ids of the claims.
    func ids(_ key: Key) -> Set<TopicText> { members[key] ?? [] }

    /// - Returns: those for whom something is different now: the one that is no longer alone. Where there were more already, nobody:
    ///   so that ten thousand claims on one topic cost no more than two.
    mutating func insert(_ id: TopicText, _ key: Key) -> Set<TopicText> {
        let before = ids(key)
        members[key, default: []].insert(id)
        return before.count == 1 ? before : []
    }

    /// - Returns: the one that is alone from now on.
    mutating func remove(_ id: TopicText, _ key: Key) -> Set<TopicText> {
        members[key]?.remove(id)
        let after = ids(key)
        if after.isEmpty { members[key] = nil }
        return after.count == 1 ? after : []
    }
}
