/// The software of a lock, as its ecosystem wrote it: what it hears, and how it tells what happens.
protocol Dialect: Sendable {
    static var profile: Profile { get }
    /// Whether codes can be typed at the lock, or keys shown to it.
    static var hasKeypad: Bool { get }
    /// Whether its ecosystem lets the broker keep its state.
    static var retainsState: Bool { get }
    /// What a gateway needs to know to reach this lock: the variables of the profile.
    var variables: JSON { get }
    /// What it subscribes to; for a lock of a bridge, the bridge does.
    var filters: [String] { get }
    /// For a lock of a bridge `nil`: the bridge has one.
    var will: Frame? { get }
    /// Where it tells its state.
    var stateTopic: String { get }
    mutating func hear(_ message: Message, _ stage: inout Stage)
    mutating func tell(_ happening: Happening, _ stage: inout Stage)
    /// It restarts, and knows nothing of before.
    mutating func forget()
}

extension Dialect {
    static var hasKeypad: Bool { false }
    static var retainsState: Bool { true }
    var filters: [String] { [] }
    var will: Frame? { nil }
    mutating func forget() {}
}

/// The program that speaks for many locks over one connection.
protocol Bridge: Sendable {
    var filters: [String] { get }
    var will: Frame? { get }
    /// What it says of itself when it has connected, before its locks say anything.
    ///
    /// - Parameter wallMilliseconds: since 1970.
    func greeting(wallMilliseconds: Int64) -> [Frame]
    /// Whom a message is for.
    func hearers(of message: Message) -> Hearers
}

/// Whom a message to a bridge is for.
enum Hearers: Hashable, Sendable {
    case nobody
    /// The lock of this number, from 0.
    case one(Int)
    case everybody
}
