package import DoorwardMQTT

/// Reads what ecosystems say of themselves on one broker, and remembers which locks are there.
///
/// Whoever may publish on the broker can say anything here. So it only finds: attaching is a person's doing, with an address that
/// this person has seen. Everything is bounded, and what cannot be read changes nothing.
package struct Discovery: Sendable {
    private let readers: [any DiscoveryReader]
    private var claims = Claims()
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
        for reader in readers {
            guard let said = reader.read(message) else { continue }
            return claims.replace(said.source, with: said.claims)
        }
        return []
    }

    /// What is there now, by id; those that are gone are not among them. At most `Discovery.mostLocks`.
    package var locks: [FoundLock] { claims.seen.values.sorted { $0.id < $1.id } }

    /// Whether there were more locks than are remembered.
    package var isFull: Bool { claims.isFull }

    /// How many locks of one broker are remembered.
    package static let mostLocks = Claims.most
}

/// Reads one way of announcing locks.
protocol DiscoveryReader: Sendable {
    var filters: [MQTTFilter] { get }
    /// - Returns: all that the message's source says of locks now, none for one that was taken away; `nil` for a message that
    ///   says nothing, because it is none of this reader's or cannot be read.
    func read(_ message: MQTTMessage) -> (source: String, claims: [Claim])?
}
