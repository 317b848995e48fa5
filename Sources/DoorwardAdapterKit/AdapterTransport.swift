/// The present state of a transport to locks, for example of an MQTT broker.
public struct AdapterTransport: Hashable, Sendable {
    /// The name by which addresses refer to the transport.
    public let name: String
    /// The owner of the transport. No other tenant may learn that the transport exists.
    public let owner: TransportOwner
    /// `.ok` while locks can be reached over the transport, else `.down`.
    public let health: AdapterHealth
    /// A text for operators about a problem of the transport: the reason why it is `.down`, or a
    /// restriction while it is `.ok`. The text contains no secrets; `nil` if no problem is known.
    public let problem: String?

    public init(name: String, owner: TransportOwner, health: AdapterHealth, problem: String? = nil) {
        (self.name, self.owner, self.health, self.problem) = (name, owner, health, problem)
    }
}
