/// An effect that the fleet requests from its runner.
enum Effect: Hashable, Sendable {
    /// Publishes on the connection with this number.
    case publish(client: Int, OutgoingMessage)
    /// Ends the connection without a DISCONNECT, so that the broker publishes the last will.
    case cut(client: Int)
    /// Connects again.
    case connect(client: Int)
}
