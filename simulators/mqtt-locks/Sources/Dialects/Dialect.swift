/// The software of a lock in one ecosystem: the messages that it processes and publishes.
protocol Dialect: Sendable {
    static var profile: Profile { get }
    /// Whether codes can be typed at the lock, or keys presented to it.
    static var hasKeypad: Bool { get }
    /// Whether the ecosystem of the lock retains the state.
    static var retainsState: Bool { get }
    /// How long after connecting a lock ignores commands.
    static var guardTime: Duration { get }
    /// Returns the bridge that connects all locks of this dialect; `nil` if each lock has its own connection.
    ///
    /// - Parameter locks: the variables of each lock, in the order of the locks.
    static func bridge(of locks: [JSON], publishesDiscovery: Bool) -> Bridge?
    /// The variables of the profile for this lock, which a gateway needs to attach it.
    var variables: JSON { get }
    /// The lock's subscriptions; empty for a lock of a bridge, because the bridge subscribes for it.
    var filters: [String] { get }
    /// The lock's last will; `nil` for a lock of a bridge, because the bridge has its own.
    var will: Message? { get }
    /// The beginning of the lock's topics.
    var base: String { get }
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
    static var guardTime: Duration { .zero }
    static func bridge(of locks: [JSON], publishesDiscovery: Bool) -> Bridge? { nil }
    var filters: [String] { [] }
    var will: Message? { nil }
    mutating func reset() {}

    /// Publishes a retained message of QoS 1 on a topic below `base`.
    func publishRetained(_ topic: String, _ text: String, _ context: inout LockContext) {
        context.publish("\(base)/\(topic)", text, qos: 1, isRetained: true)
    }
}

/// A program that connects many locks over one connection.
struct Bridge: Sendable {
    let filters: [String]
    var will: Message?
    /// Returns the messages that the bridge publishes about itself after it has connected, before the messages of its locks. The
    /// parameter is the current time, in milliseconds since 1970.
    var birthMessages: @Sendable (_ wallMilliseconds: Int64) -> [Message] = { _ in [] }
    /// Returns the number, from 0, of the lock that a message is addressed to; `nil` for no lock.
    let recipient: @Sendable (Message) -> Int?
    /// A topic whose messages are addressed to all locks.
    var topicOfAll: String?

    /// Returns the function that finds the lock whose name is in a level of the message's topic.
    static func lock(atLevel level: Int, of names: [String]) -> @Sendable (Message) -> Int? {
        let numbers = Dictionary(uniqueKeysWithValues: names.enumerated().map { (Substring($1), $0) })
        return { message in
            let levels = message.topic.split(separator: "/", maxSplits: level + 1, omittingEmptySubsequences: false)
            return levels.count == level + 2 ? numbers[levels[level]] : nil
        }
    }
}
