package import DoorwardDomain
package import DoorwardMQTT

/// Finds the locks that ecosystems announce on one broker.
///
/// Any client with publish permission can announce anything, so nothing is attached automatically: a person checks the address
/// and attaches the lock. All sizes are bounded, and malformed messages have no effect.
package struct Discovery: Sendable {
    private let readers: [any DiscoveryReader]
    private var index = DiscoveryIndex()
    /// Why messages that should announce locks could not be read, by topic.
    private var unread: [TopicText: String] = [:]
    /// Maximum number of records in `unread`.
    private static let maxUnread = 16
    private static let allEcosystems: Set = ["homeassistant", "zigbee2mqtt", "homie"]

    /// - Parameter profiles: the ecosystems to look for, by profile id; all if empty. `homeassistant` covers every lock announced
    ///   to Home Assistant, each with its best matching profile; `nuki-native` and similar profiles cover only their own locks.
    ///   Profiles without discovery, such as `tasmota`, find nothing.
    package init(profiles: Set<String>) {
        let profiles = profiles.isEmpty ? Self.allEcosystems : profiles
        let readers: [(any DiscoveryReader)?] = [
            HomeAssistantReader(profiles: profiles),
            profiles.contains("zigbee2mqtt") ? Zigbee2MQTTReader() : nil,
            profiles.contains("homie") ? HomieReader() : nil,
        ]
        self.readers = readers.compactMap(\.self)
    }

    /// The topic filters to subscribe to.
    package var filters: [MQTTFilter] { readers.flatMap(\.filters) }

    /// Processes a message.
    ///
    /// - Returns: the locks that it added, changed or removed (see `isRemoved`), removed ones first. Empty for a message on another
    ///   topic, and for a malformed one, which leaves the known locks unchanged.
    package mutating func receive(_ message: MQTTMessage) -> [AnnouncedLock] {
        let topic = TopicText(message.topic)
        for reader in readers {
            if let why = reader.problem(with: message) {
                if unread.count < Self.maxUnread { unread[topic] = why }
                return []
            }
            guard let result = reader.read(message) else { continue }
            unread[topic] = nil
            return index.replace(result.source, with: result.entries)
        }
        return []
    }

    /// The locks that are currently announced, by id. At most `Discovery.maxLocks`.
    package var locks: [AnnouncedLock] { index.announced.values.sorted { $0.id < $1.id } }

    /// The found lock with this id; `nil` if there is none.
    func lock(_ id: TopicText) -> AnnouncedLock? { index.announced[id] }

    /// The gaps in discovery, one clause each: too many locks, lists that are too long. Empty when all locks are found.
    package var notices: [String] {
        let full = index.isFull ? ["more than \(Self.maxLocks) locks are announced: the others are left out"] : []
        return full + unread.map { "the list on `\($0.key.text)` is not read: \($0.value)" }.sorted()
    }

    /// Returns the profiles whose locks no program announces, so that discovery finds none of them; sorted.
    package static func unannounced(_ profiles: [String]) -> [String] {
        Set(profiles).filter { Discovery(profiles: [$0]).filters.isEmpty }.sorted()
    }

    /// Maximum number of locks per broker; further ones are left out.
    package static let maxLocks = 10_000
}

/// Reads one kind of announcements.
protocol DiscoveryReader: Sendable {
    var filters: [MQTTFilter] { get }
    /// - Returns: all current entries of the message's source, empty if the source was removed; `nil` if the message is not for
    ///   this reader, or is malformed.
    func read(_ message: MQTTMessage) -> (source: String, entries: [DiscoveryEntry])?
    /// Why this reader cannot read a message; `nil` if it can, or if the message is not for this reader.
    func problem(with message: MQTTMessage) -> String?
}

extension DiscoveryReader {
    func problem(with message: MQTTMessage) -> String? { nil }
}

/// All discovery entries of one broker, and the locks that result from them: no lock is listed twice, and contradicting entries
/// are reported as a problem.
struct DiscoveryIndex: Sendable {
    /// Maximum bytes of one entry.
    static let maxEntryBytes = 8_192

    private var bySource: [TopicText: Set<TopicText>] = [:]
    private var byID: [TopicText: DiscoveryEntry] = [:]
    /// The ids of the entries by a key that should be unique.
    private var duplicates: [DuplicateKey: Set<TopicText>] = [:]
    /// The last reported version of each lock.
    private(set) var announced: [TopicText: AnnouncedLock] = [:]
    /// The command topic of each lock in `announced`. It is compared by bytes, because names may look alike.
    private var announcedTopics: [TopicText: TopicText] = [:]
    /// Whether a lock was left out because there were too many.
    private(set) var isFull = false

    /// Replaces all entries of `source`.
    mutating func replace(_ source: String, with entries: [DiscoveryEntry]) -> [AnnouncedLock] {
        let source = TopicText(source)
        var affected: Set<TopicText> = []
        for id in bySource[source] ?? [] { remove(id, &affected) }
        var current: Set<TopicText> = []
        for entry in entries where byID[entry.id] == nil && entry.size <= Self.maxEntryBytes {
            guard byID.count < Discovery.maxLocks else {
                isFull = true
                break
            }
            insert(entry, &affected)
            current.insert(entry.id)
        }
        bySource[source] = current.isEmpty ? nil : current
        // Removed locks come first, because the same lock may come back under another id in the same message.
        return affected.compactMap { updateAnnounced($0) }.sorted { $0.isRemoved == $1.isRemoved ? $0.id < $1.id : $0.isRemoved }
    }

    private mutating func insert(_ entry: DiscoveryEntry, _ affected: inout Set<TopicText>) {
        byID[entry.id] = entry
        affected.insert(entry.id)
        for key in entry.duplicateKeys {
            markOnly(key, &affected)
            duplicates.insert(entry.id, at: key)
        }
        markHidden(by: entry, &affected)
    }

    private mutating func remove(_ id: TopicText, _ affected: inout Set<TopicText>) {
        guard let entry = byID.removeValue(forKey: id) else { return }
        affected.insert(id)
        markHidden(by: entry, &affected)
        for key in entry.duplicateKeys {
            duplicates.remove(id, at: key)
            markOnly(key, &affected)
        }
    }

    /// Adds to `affected` the entry that is the only one with a key. A further duplicate changes nothing for the others, so each of ten
    /// thousand entries for one topic costs no more than the second one.
    private func markOnly(_ key: DuplicateKey, _ affected: inout Set<TopicText>) {
        if let ids = duplicates[key], ids.count == 1 { affected.formUnion(ids) }
    }

    /// Adds to `affected` the announcements that become hidden or visible when this entry of a
    /// bridge's own list is added or removed.
    private func markHidden(by entry: DiscoveryEntry, _ affected: inout Set<TopicText>) {
        guard entry.weight == .inventory, duplicates[.commandTopic(entry.commandTopic, .inventory)]?.count == 1 else { return }
        affected.formUnion(duplicates[.commandTopic(entry.commandTopic, .announcement)] ?? [])
    }

    /// Updates the reported version of a lock.
    ///
    /// - Returns: the new version, or the last one of a removed lock; `nil` if nothing has changed.
    private mutating func updateAnnounced(_ id: TopicText) -> AnnouncedLock? {
        let now = byID[id].flatMap(visible)
        let before = announced[id]
        let topic = byID[id]?.commandTopic
        guard now != before || topic != announcedTopics[id] else { return nil }
        (announced[id], announcedTopics[id]) = (now, now == nil ? nil : topic)
        if let now { return now }
        var removed = before
        removed?.isRemoved = true
        return removed
    }

    private func isDuplicate(_ key: DuplicateKey) -> Bool { duplicates[key].map { $0.count > 1 } ?? false }

    /// Returns the lock of an entry; `nil` if another entry for the same lock has precedence.
    private func visible(_ entry: DiscoveryEntry) -> AnnouncedLock? {
        let topic = entry.commandTopic
        if entry.weight == .announcement, duplicates[.commandTopic(topic, .inventory)] != nil { return nil }
        var lock = entry.lock
        guard lock.problem == nil else { return lock }
        if let unique = entry.uniqueID, isDuplicate(.uniqueID(TopicText(unique))) {
            lock.problem = "more than one announcement bears the unique_id `\(unique)`: remove the wrong one from the broker"
        } else if isDuplicate(.commandTopic(topic, entry.weight)) {
            lock.problem =
                "more than one announcement names the command topic `\(topic.text)`: remove the wrong one from the broker"
        }
        return lock
    }
}

/// A value that entries for different locks do not share.
enum DuplicateKey: Hashable, Sendable {
    case uniqueID(TopicText)
    case commandTopic(TopicText, DiscoveryEntry.Weight)
}

extension DiscoveryEntry {
    fileprivate var duplicateKeys: [DuplicateKey] {
        [.commandTopic(commandTopic, weight)] + (uniqueID.map { [.uniqueID(TopicText($0))] } ?? [])
    }
}

/// A lock that was announced on a broker. An announcement neither attaches a lock nor changes an attached one: otherwise any
/// client with publish permission could redirect an unlock.
package struct AnnouncedLock: Hashable, Sendable {
    /// The lock's id. It is stable within the broker while the lock is announced by the same source: `homeassistant:abc`,
    /// `zigbee2mqtt:0x00158d0001a2b3c4`, `homie:front/lock`.
    package var id: String
    /// The announced name, one line of at most `AnnouncedLock.maxNameLength` characters; `nil` if it has none.
    package var name: String?
    /// The announced manufacturer, model and firmware, one line each.
    package var product: LockProduct
    /// The profile that matches the lock best. It need not be the profile that the lock was announced for.
    package var profile: String
    /// The address without `broker` and `profile`, by the profile's variables.
    package var variables: [String: JSONValue]
    /// Further command topics of the same lock, under other names that its bridge accepts for it.
    package var otherCommandTopics: [String] = []
    /// Whether `id` is a hardware id. Then an entry with the same id and another command topic
    /// describes the same lock under another name.
    package var hasHardwareID = false
    /// Why the lock cannot be attached as announced, for a person: lower case, no full stop. `nil` if it can.
    package var problem: String?
    /// Whether the lock was announced and has been removed.
    package var isRemoved = false

    /// Truncates names to one line each, as they come from untrusted clients.
    package init(
        id: String, name: String? = nil, product: LockProduct = LockProduct(), profile: String,
        variables: [String: JSONValue], problem: String? = nil
    ) {
        (self.id, self.profile, self.variables, self.problem) = (id, profile, variables, problem)
        self.name = name?.singleLine(maxLength: Self.maxNameLength)
        self.product = product.bounded
    }

    /// Maximum characters of a name.
    package static let maxNameLength = 120
}

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
    enum Weight: Sendable { case announcement, inventory }

    /// The id of the lock, compared by bytes.
    var id: TopicText { TopicText(lock.id) }

    /// Approximate size in bytes.
    var size: Int {
        lock.variables.reduce(lock.id.utf8.count + commandTopic.text.utf8.count + (uniqueID?.utf8.count ?? 0)) {
            $0 + $1.key.utf8.count + $1.value.size
        }
    }
}
