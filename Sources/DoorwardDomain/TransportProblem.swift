/// Why a command did not get to its lock, for people: a broker that is not connected, a topic that the broker denies.
package struct TransportProblem: Hashable, Sendable {
    /// For those who may see the lock's address: names the transport and the topic. Whole sentences.
    package let detail: String
    /// The same for all other users who may operate the lock: names neither.
    package let summary: String

    package init(detail: String, summary: String) { (self.detail, self.summary) = (detail, summary) }
}
