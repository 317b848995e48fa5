internal import DoorwardMQTT

/// What one place on a broker says of one lock.
struct Claim: Hashable, Sendable {
    var lock: FoundLock
    /// Where its commands go, by which two claims about one lock are known.
    var commandTopic: TopicText
    /// Home Assistant's `unique_id`: nobody else may bear it.
    var uniqueID: String?
    var weight: Weight

    /// Which of two claims about one command topic is believed: a bridge's own list knows more than what it announces for others.
    enum Weight: Int, Comparable, Sendable {
        case announcement, ownWord

        static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
    }

    /// The lock's, by bytes.
    var id: TopicText { TopicText(lock.id) }

    /// Bytes of everything that is kept of it, about.
    var size: Int {
        lock.variables.reduce(lock.id.utf8.count + commandTopic.text.utf8.count + (uniqueID?.utf8.count ?? 0)) {
            $0 + $1.key.utf8.count + $1.value.size
        }
    }
}
