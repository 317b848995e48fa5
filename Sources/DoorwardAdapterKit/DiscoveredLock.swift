package import DoorwardDomain

/// A lock that an adapter has found by itself, and that nobody has attached. One that its own system takes away is none any more.
package struct DiscoveredLock: Hashable, Sendable {
    /// Tells it from the adapter's others; the same for the same lock as long as it is told of, also after a restart.
    package let id: String
    /// What its own system calls it; `nil` where that says nothing.
    package let name: String?
    /// Who made it, as far as its own system says.
    package let manufacturer: String?
    /// The maker's name for it, as far as its own system says.
    package let model: String?
    /// What to attach it with, whole; where `problem` is not `nil`, what is known of it.
    package let address: [String: JSONValue]
    /// Whose the way is by which it was found: nobody else is told of it.
    package let owner: TransportOwner
    /// What it can do; `nil` where only attaching it tells.
    package let capabilities: LockCapabilities?
    /// Why `check` would refuse the address as it stands, as a sentence for a person; `nil` when it can be attached at once.
    package let problem: String?
    /// When this process heard of it first.
    package let firstSeenAt: Timestamp
    /// When this process heard of it last.
    package let lastSeenAt: Timestamp

    package init(
        id: String, name: String?, manufacturer: String?, model: String?, address: [String: JSONValue], owner: TransportOwner,
        capabilities: LockCapabilities?, problem: String?, firstSeenAt: Timestamp, lastSeenAt: Timestamp
    ) {
        (self.id, self.name, self.manufacturer, self.model) = (id, name, manufacturer, model)
        (self.address, self.owner, self.capabilities, self.problem) = (address, owner, capabilities, problem)
        (self.firstSeenAt, self.lastSeenAt) = (firstSeenAt, lastSeenAt)
    }
}
