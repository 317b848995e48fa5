public import DoorwardDomain

/// A lock that an adapter has found by itself, and that nobody has attached. One that its own system takes away is none any more.
public struct DiscoveredLock: Hashable, Sendable {
    /// Tells it from the adapter's others; the same for the same lock as long as it is told of, also after a restart.
    public let id: String
    /// What its own system calls it; `nil` where that says nothing.
    public let name: String?
    /// Who made it, as far as its own system says.
    public let manufacturer: String?
    /// The maker's name for it, as far as its own system says.
    public let model: String?
    /// What to attach it with, whole; where `problem` is not `nil`, what is known of it.
    public let address: [String: JSONValue]
    /// Whose the way is by which it was found: nobody else is told of it.
    public let owner: TransportOwner
    /// What it can do; `nil` where only attaching it tells.
    public let capabilities: LockCapabilities?
    /// Why `check` would refuse the address as it stands, as a sentence for a person; `nil` when it can be attached at once.
    public let problem: String?
    /// When this process heard of it first.
    public let firstSeenAt: Timestamp
    /// When this process heard of it last.
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
