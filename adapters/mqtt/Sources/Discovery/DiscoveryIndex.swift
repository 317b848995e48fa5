internal import DoorwardMQTT

/// All discovery entries of one broker, and the locks that result from them: no lock is listed twice, and contradicting entries
/// are reported as a problem.
struct DiscoveryIndex: Sendable {
    /// Maximum number of locks; further ones are left out.
    static let most = 10_000
    /// Maximum bytes of one entry.
    static let longest = 8_192

    private var bySource: [TopicText: Set<TopicText>] = [:]
    private var byID: [TopicText: DiscoveryEntry] = [:]
    private var groups = DuplicateIndex()
    /// The last reported version of each lock.
    private(set) var seen: [TopicText: FoundLock] = [:]
    /// The command topic of each lock in `seen`. It is compared by bytes, because names may look alike.
    private var seenTopics: [TopicText: TopicText] = [:]
    /// Whether a lock was left out because there were too many.
    private(set) var isFull = false

    /// Replaces all entries of `source`.
    mutating func replace(_ source: String, with claims: [DiscoveryEntry]) -> [DiscoveryChange] {
        let source = TopicText(source)
        var touched: Set<TopicText> = []
        for id in bySource[source] ?? [] { remove(id, &touched) }
        var after: Set<TopicText> = []
        for claim in claims where byID[claim.id] == nil && claim.size <= Self.longest {
            guard byID.count < Self.most else {
                isFull = true
                break
            }
            insert(claim, &touched)
            after.insert(claim.id)
        }
        bySource[source] = after.isEmpty ? nil : after
        return touched.compactMap { show($0) }.sorted { ($0.order, $0.lock.id) < ($1.order, $1.lock.id) }
    }

    private mutating func insert(_ claim: DiscoveryEntry, _ touched: inout Set<TopicText>) {
        byID[claim.id] = claim
        touched.insert(claim.id)
        for key in claim.groupKeys { touched.formUnion(groups.insert(claim.id, key)) }
        touchHidden(by: claim, &touched)
    }

    private mutating func remove(_ id: TopicText, _ touched: inout Set<TopicText>) {
        guard let claim = byID.removeValue(forKey: id) else { return }
        touched.insert(id)
        touchHidden(by: claim, &touched)
        for key in claim.groupKeys { touched.formUnion(groups.remove(id, key)) }
    }

    /// Adds to `touched` the announcements that become hidden or visible when this entry of a
    /// bridge's own list is added or removed.
    private func touchHidden(by claim: DiscoveryEntry, _ touched: inout Set<TopicText>) {
        guard claim.weight == .inventory, groups.ids(.commandTopic(claim.commandTopic, .inventory)).count == 1 else { return }
        touched.formUnion(groups.ids(.commandTopic(claim.commandTopic, .announcement)))
    }

    /// Updates the reported version of a lock, and returns the change.
    private mutating func show(_ id: TopicText) -> DiscoveryChange? {
        let now = byID[id].flatMap(visible)
        let before = seen[id]
        let topic = byID[id]?.commandTopic
        guard now != before || topic != seenTopics[id] else { return nil }
        guard now != nil || before != nil else { return nil }
        (seen[id], seenTopics[id]) = (now, now == nil ? nil : topic)
        if let now { return before == nil ? .found(now) : .changed(now) }
        guard var before else { return nil }
        before.isGone = true
        return .gone(before)
    }

    /// Returns the lock of an entry; `nil` if another entry for the same lock has precedence.
    private func visible(_ claim: DiscoveryEntry) -> FoundLock? {
        let topic = claim.commandTopic
        if claim.weight == .announcement, !groups.ids(.commandTopic(topic, .inventory)).isEmpty { return nil }
        var lock = claim.lock
        guard lock.problem == nil else { return lock }
        if let unique = claim.uniqueID, groups.ids(.uniqueID(TopicText(unique))).count > 1 {
            lock.problem = "more than one announcement bears the unique_id `\(unique)`: remove the wrong one from the broker"
        } else if groups.ids(.commandTopic(topic, claim.weight)).count > 1 {
            lock.problem =
                "more than one announcement names the command topic `\(topic.text)`: remove the wrong one from the broker"
        }
        return lock
    }
}

extension DiscoveryEntry {
    fileprivate var groupKeys: [DuplicateIndex.Key] {
        [.commandTopic(commandTopic, weight)] + (uniqueID.map { [.uniqueID(TopicText($0))] } ?? [])
    }
}

extension DiscoveryChange {
    /// The order of reporting. Removed locks come first, because the same lock may come back under another id in the same
    /// message.
    fileprivate var order: Int {
        switch self {
        case .gone: 0
        case .changed: 1
        case .found: 2
        }
    }
}
