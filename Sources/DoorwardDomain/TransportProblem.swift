/// The reason why a command did not reach its lock, as text for users: for example, the broker is
/// not connected, or denies access to a topic.
public struct TransportProblem: Hashable, Sendable {
    /// The reason for users who may see the lock's address, in complete sentences. It names the transport and the topic.
    public let detail: String
    /// The reason for all other users who may operate the lock. It names neither transport nor topic.
    public let summary: String

    public init(detail: String, summary: String) { (self.detail, self.summary) = (detail, summary) }
}
