internal import DoorwardMQTT

/// One discovery message's entry for one lock.
struct DiscoveryEntry: Hashable, Sendable {
    var lock: AnnouncedLock
    /// The command topic of the lock. Entries with the same command topic describe the same lock.
    var commandTopic: TopicText
    /// Home Assistant's `unique_id`, which must be unique.
    var uniqueID: String?
    var weight: Weight

    /// The precedence of entries with the same command topic: a bridge's own list is more complete than its announcements for
    /// other programs.
    enum Weight: Int, Comparable, Sendable {
        case announcement, inventory

        static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
    }

    /// The id of the lock, compared by bytes.
    var id: TopicText { TopicText(lock.id) }

    /// Approximate size in bytes.
    var size: Int {
        lock.variables.reduce(lock.id.utf8.count + commandTopic.text.utf8.count + (uniqueID?.utf8.count ?? 0)) {
            $0 + $1.key.utf8.count + $1.value.size
        }
    }
}
