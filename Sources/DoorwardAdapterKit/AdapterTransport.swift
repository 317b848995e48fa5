/// A way to locks as it is at this moment: an MQTT broker, say.
package struct AdapterTransport: Hashable, Sendable {
    /// What addresses name it by.
    package let name: String
    /// Whose it is: nobody else may learn that it exists.
    package let owner: TransportOwner
    /// `.ok` while locks can be reached by it, else `.down`.
    package let health: AdapterHealth
    /// The transport's problem, as a text without secrets for operators: why it is `.down`, or what it leaves out while
    /// it is `.ok`. `nil` where no problem is known.
    package let problem: String?

    package init(name: String, owner: TransportOwner, health: AdapterHealth, problem: String? = nil) {
        (self.name, self.owner, self.health, self.problem) = (name, owner, health, problem)
    }
}
