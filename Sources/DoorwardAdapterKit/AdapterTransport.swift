/// A way to locks as it is at this moment: an MQTT broker, say.
public struct AdapterTransport: Hashable, Sendable {
    /// What addresses name it by.
    public let name: String
    /// Whose it is: nobody else may learn that it exists.
    public let owner: TransportOwner
    /// `.ok` while locks can be reached by it, else `.down`.
    public let health: AdapterHealth
    /// The transport's problem, as a text without secrets for operators: why it is `.down`, or what it leaves out while
    /// it is `.ok`. `nil` where no problem is known.
    public let problem: String?

    public init(name: String, owner: TransportOwner, health: AdapterHealth, problem: String? = nil) {
        (self.name, self.owner, self.health, self.problem) = (name, owner, health, problem)
    }
}
