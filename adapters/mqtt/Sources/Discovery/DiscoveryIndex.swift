internal import DoorwardMQTT

/// All discovery entries of one broker, and the locks that result from them: no lock is listed twice, and contradicting entries
/// are reported as a problem.
struct DiscoveryIndex: Sendable {
    /// Maximum number of locks; further ones are left out.
    static let maxLocks = 10_000
    /// Maximum bytes of one entry.
    static let maxEntryBytes = 8_192

    private var bySource: [TopicText: Set<TopicText>] = [:]
    private var byID: [TopicText: DiscoveryEntry] = [:]
    private var duplicates = DuplicateIndex()
    /// The last reported version of each lock.
    private(set) var announced: [TopicText: AnnouncedLock] = [:]
    /// The command topic of each lock in `announced`. It is compared by bytes, because names may look alike.
    private var announcedTopics: [TopicText: TopicText] = [:]
    /// Whether a lock was left out because there were too many.
    private(set) var isFull = false

    /// Replaces all entries of `source`.
    mutating func replace(_ source: String, with entries: [DiscoveryEntry]) -> [DiscoveryChange] {
        let source = TopicText(source)
        var affected: Set<TopicText> = []
        for id in bySource[source] ?? [] { remove(id, &affected) }
        var current: Set<TopicText> = []
        for entry in entries where byID[entry.id] == nil && entry.size <= Self.maxEntryBytes {
            guard byID.count < Self.maxLocks else {
                isFull = true
                break
            }
            insert(entry, &affected)
            current.insert(entry.id)
        }
        bySource[source] = current.isEmpty ? nil : current
        return affected.compactMap { updateAnnounced($0) }.sorted { ($0.sortRank, $0.lock.id) < ($1.sortRank, $1.lock.id) }
    }

    private mutating func insert(_ entry: DiscoveryEntry, _ affected: inout Set<TopicText>) {
        byID[entry.id] = entry
        affected.insert(entry.id)
        for key in entry.duplicateKeys { affected.formUnion(duplicates.insert(entry.id, key)) }
        markHidden(by: entry, &affected)
    }

    private mutating func remove(_ id: TopicText, _ affected: inout Set<TopicText>) {
        guard let entry = byID.removeValue(forKey: id) else { return }
        affected.insert(id)
        markHidden(by: entry, &affected)
        for key in entry.duplicateKeys { affected.formUnion(duplicates.remove(id, key)) }
    }

    /// Adds to `affected` the announcements that become hidden or visible when this entry of a
    /// bridge's own list is added or removed.
    private func markHidden(by entry: DiscoveryEntry, _ affected: inout Set<TopicText>) {
        guard entry.weight == .inventory, duplicates.ids(.commandTopic(entry.commandTopic, .inventory)).count == 1 else { return }
        affected.formUnion(duplicates.ids(.commandTopic(entry.commandTopic, .announcement)))
    }

    /// Updates the reported version of a lock, and returns the change.
    private mutating func updateAnnounced(_ id: TopicText) -> DiscoveryChange? {
        let now = byID[id].flatMap(visible)
        let before = announced[id]
        let topic = byID[id]?.commandTopic
        guard now != before || topic != announcedTopics[id] else { return nil }
        guard now != nil || before != nil else { return nil }
        (announced[id], announcedTopics[id]) = (now, now == nil ? nil : topic)
        if let now { return before == nil ? .added(now) : .changed(now) }
        guard var before else { return nil }
        before.isRemoved = true
        return .removed(before)
    }

    /// Returns the lock of an entry; `nil` if another entry for the same lock has precedence.
    private func visible(_ entry: DiscoveryEntry) -> AnnouncedLock? {
        let topic = entry.commandTopic
        if entry.weight == .announcement, !duplicates.ids(.commandTopic(topic, .inventory)).isEmpty { return nil }
        var lock = entry.lock
        guard lock.problem == nil else { return lock }
        if let unique = entry.uniqueID, duplicates.ids(.uniqueID(TopicText(unique))).count > 1 {
            lock.problem = "more than one announcement bears the unique_id `\(unique)`: remove the wrong one from the broker"
        } else if duplicates.ids(.commandTopic(topic, entry.weight)).count > 1 {
            lock.problem =
                "more than one announcement names the command topic `\(topic.text)`: remove the wrong one from the broker"
        }
        return lock
    }
}

extension DiscoveryEntry {
    fileprivate var duplicateKeys: [DuplicateIndex.Key] {
        [.commandTopic(commandTopic, weight)] + (uniqueID.map { [.uniqueID(TopicText($0))] } ?? [])
    }
}

extension DiscoveryChange {
    /// The order of reporting. Removed locks come first, because the same lock may come back under another id in the same
    /// message.
    fileprivate var sortRank: Int {
        switch self {
        case .removed: 0
        case .changed: 1
        case .added: 2
        }
    }
}
