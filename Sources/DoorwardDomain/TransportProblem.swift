/// Why a command did not reach its lock, as text for people: a broker that is not connected, a topic that the broker denies.
public struct TransportProblem: Hashable, Sendable {
    /// For users who may see the lock's address: names the transport and the topic. Complete sentences.
    public let detail: String
    /// For all other users who may operate the lock: names neither transport nor topic.
    public let summary: String

    public init(detail: String, summary: String) { (self.detail, self.summary) = (detail, summary) }
}
