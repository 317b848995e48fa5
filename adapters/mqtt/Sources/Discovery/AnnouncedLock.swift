package import DoorwardDomain

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

/// A change of the discovered locks by one message.
package enum DiscoveryChange: Hashable, Sendable {
    /// The lock was not announced before, or was announced again after its removal.
    case added(AnnouncedLock)
    /// The announcement has changed. The value is the new version.
    case changed(AnnouncedLock)
    /// The lock was removed. The value is its last version, with `isRemoved`.
    case removed(AnnouncedLock)

    /// The lock that has changed.
    package var lock: AnnouncedLock {
        switch self {
        case .added(let lock), .changed(let lock), .removed(let lock): lock
        }
    }
}
