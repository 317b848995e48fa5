/// The software of a lock in one ecosystem: the messages that it processes and publishes.
protocol Dialect: Sendable {
    static var profile: Profile { get }
    /// Whether codes can be typed at the lock, or keys presented to it.
    static var hasKeypad: Bool { get }
    /// Whether the ecosystem of the lock retains the state.
    static var retainsState: Bool { get }
    /// The variables of the profile for this lock, which a gateway needs to attach it.
    var variables: JSON { get }
    /// The lock's subscriptions; empty for a lock of a bridge, because the bridge subscribes for it.
    var filters: [String] { get }
    /// The lock's last will; `nil` for a lock of a bridge, because the bridge has its own.
    var will: Message? { get }
    /// The topic of the lock's state.
    var stateTopic: String { get }
    mutating func receive(_ message: Message, _ context: inout LockContext)
    mutating func handle(_ event: LockEvent, _ context: inout LockContext)
    /// Resets the state, as a restart does.
    mutating func reset()
}

extension Dialect {
    static var hasKeypad: Bool { false }
    static var retainsState: Bool { true }
    var filters: [String] { [] }
    var will: Message? { nil }
    mutating func reset() {}
}

/// A program that connects many locks over one connection.
protocol Bridge: Sendable {
    var filters: [String] { get }
    var will: Message? { get }
    /// Returns the messages that the bridge publishes about itself after it has connected, before the messages of its locks.
    ///
    /// - Parameter wallMilliseconds: the current time, in milliseconds since 1970.
    func birthMessages(wallMilliseconds: Int64) -> [Message]
    /// Returns the locks that a message is addressed to.
    func recipients(of message: Message) -> Recipients
}

/// The recipients of a message to a bridge.
enum Recipients: Hashable, Sendable {
    case noLock
    /// The lock of this number, from 0.
    case lock(Int)
    case allLocks
}
