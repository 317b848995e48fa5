public import DoorwardDomain

/// A lock that an adapter has discovered and that is not attached. A lock that is removed from its own system is no longer
/// discovered.
public struct DiscoveredLock: Hashable, Sendable {
    /// The id of the lock among the discovered locks of the adapter. It stays the same while the lock is discovered, also after a
    /// restart.
    public let id: String
    /// The lock's name in its own system, for example in its bridge; `nil` if it has no name there.
    public let name: String?
    /// The lock's manufacturer, if the lock's own system provides it.
    public let manufacturer: String?
    /// The lock's model name, if the lock's own system provides it.
    public let model: String?
    /// The complete address for attaching the lock. If `problem` is not `nil`, the known part of the address.
    public let address: [String: JSONValue]
    /// The owner of the transport over which the lock was discovered. The lock is not shown to other tenants.
    public let owner: TransportOwner
    /// The lock's capabilities; `nil` if they are not known before the lock is attached.
    public let capabilities: LockCapabilities?
    /// The reason why `check` would reject this address, as a sentence for an operator; `nil` if
    /// the lock can be attached with this address.
    public let problem: String?
    /// When this process first received a message about the lock.
    public let firstSeenAt: Timestamp
    /// When this process last received a message about the lock.
    public let lastSeenAt: Timestamp

    public init(
        id: String, name: String?, manufacturer: String?, model: String?, address: [String: JSONValue], owner: TransportOwner,
        capabilities: LockCapabilities?, problem: String?, firstSeenAt: Timestamp, lastSeenAt: Timestamp
    ) {
        (self.id, self.name, self.manufacturer, self.model) = (id, name, manufacturer, model)
        (self.address, self.owner, self.capabilities, self.problem) = (address, owner, capabilities, problem)
        (self.firstSeenAt, self.lastSeenAt) = (firstSeenAt, lastSeenAt)
    }
}
