/// What a fleet wants done to the world.
enum Deed: Hashable, Sendable {
    /// On the connection of this number.
    case publish(client: Int, Frame)
    /// Ends the connection without a goodbye, so that the broker says its last will.
    case cut(client: Int)
    /// Connects again.
    case connect(client: Int)
}
