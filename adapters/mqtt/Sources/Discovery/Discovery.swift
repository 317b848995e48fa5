package import DoorwardMQTT

/// Reads what ecosystems say of themselves on one broker, and remembers which locks are there.
///
/// Whoever may publish on the broker can say anything here. So it only finds: attaching is a person's doing, with an address that
/// this person has seen. Everything is bounded, and what cannot be read changes nothing.
package struct Discovery: Sendable {
    private let readers: [any DiscoveryReader]
    private var claims = Claims()
    /// Why messages that should announce locks were not read, by topic.
    private var unread: [TopicText: String] = [:]
    /// Entries of `unread`, at the most.
    private static let mostUnread = 16
    private static let every: Set = ["homeassistant", "zigbee2mqtt", "homie"]

    /// - Parameter profiles: which kinds to look for, by profile id; none for every kind. `homeassistant` stands for all that announces
    ///   itself to Home Assistant, each lock with the profile that serves it best; `nuki-native` and others alone for those only. Ids
    ///   of which nothing can be found (`tasmota` announces no lock) find nothing.
    package init(profiles: Set<String>) {
        let profiles = profiles.isEmpty ? Self.every : profiles
        let readers: [(any DiscoveryReader)?] = [
            HomeAssistantReader(profiles: profiles),
            profiles.contains("zigbee2mqtt") ? Zigbee2MQTTReader() : nil,
            profiles.contains("homie") ? HomieReader() : nil,
        ]
        self.readers = readers.compactMap { $0 }
    }

    /// What to subscribe to.
    package var filters: [MQTTFilter] { readers.flatMap(\.filters) }

    /// Takes one message in.
    ///
    /// - Returns: which locks it told of, changed or took away; those that are gone first. Empty for a message of something else, and
    ///   for one that cannot be read: what was known before it stays.
    package mutating func hear(_ message: MQTTMessage) -> [DiscoveryChange] {
        let topic = TopicText(message.topic)
        for reader in readers {
            if let why = reader.problem(with: message) {
                if unread.count < Self.mostUnread { unread[topic] = why }
                return []
            }
            guard let said = reader.read(message) else { continue }
            unread[topic] = nil
            return claims.replace(said.source, with: said.claims)
        }
        return []
    }

    /// What is there now, by id; those that are gone are not among them. At most `Discovery.mostLocks`.
    package var locks: [FoundLock] { claims.seen.values.sorted { $0.id < $1.id } }

    /// Whether there were more locks than are remembered.
    package var isFull: Bool { claims.isFull }

    /// The gaps in discovery, one clause each: too many locks, lists that are too long. Empty when all locks are found.
    package var notices: [String] {
        let full = claims.isFull ? ["more than \(Claims.most) locks are announced: the others are left out"] : []
        return full + unread.map { "the list on `\($0.key.text)` is not read: \($0.value)" }.sorted()
    }

    /// The profiles whose locks are announced nowhere, so that discovery finds none of them; sorted.
    package static func unannounced(_ profiles: [String]) -> [String] {
        Set(profiles).filter { Discovery(profiles: [$0]).filters.isEmpty }.sorted()
    }

    /// How many locks of one broker are remembered.
    package static let mostLocks = Claims.most
}

/// Reads one way of announcing locks.
protocol DiscoveryReader: Sendable {
    var filters: [MQTTFilter] { get }
    /// - Returns: all that the message's source says of locks now, none for one that was taken away; `nil` for a message that
    ///   says nothing, because it is none of this reader's or cannot be read.
    func read(_ message: MQTTMessage) -> (source: String, claims: [Claim])?
    /// Why this reader does not parse a message; `nil` where it does, or where the message is not for this reader.
    func problem(with message: MQTTMessage) -> String?
}

extension DiscoveryReader {
    func problem(with message: MQTTMessage) -> String? { nil }
}
