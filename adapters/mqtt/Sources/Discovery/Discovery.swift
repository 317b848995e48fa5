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
        self.readers = readers.compactMap { $0 }
    }

    /// The topic filters to subscribe to.
    package var filters: [MQTTFilter] { readers.flatMap(\.filters) }

    /// Processes a message.
    ///
    /// - Returns: the locks that it added, changed or removed, removed ones first. Empty for a message on another topic, and for
    ///   a malformed one, which leaves the known locks unchanged.
    package mutating func receive(_ message: MQTTMessage) -> [DiscoveryChange] {
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

    /// Whether locks were left out because there were too many.
    package var isFull: Bool { index.isFull }

    /// The gaps in discovery, one clause each: too many locks, lists that are too long. Empty when all locks are found.
    package var notices: [String] {
        let full = index.isFull ? ["more than \(DiscoveryIndex.maxLocks) locks are announced: the others are left out"] : []
        return full + unread.map { "the list on `\($0.key.text)` is not read: \($0.value)" }.sorted()
    }

    /// Returns the profiles whose locks no program announces, so that discovery finds none of them; sorted.
    package static func unannounced(_ profiles: [String]) -> [String] {
        Set(profiles).filter { Discovery(profiles: [$0]).filters.isEmpty }.sorted()
    }

    /// Maximum number of locks per broker.
    package static let maxLocks = DiscoveryIndex.maxLocks
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
