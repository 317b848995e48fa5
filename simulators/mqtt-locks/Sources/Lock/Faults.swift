/// What can go wrong with a lock.
enum Fault: String, Hashable, Sendable, CaseIterable {
    /// A movement of the motor gets stuck.
    case jam
    /// An order is lost on its way to the lock; nobody says so.
    case drop
    /// A report is published twice.
    case duplicate
    /// A movement takes longer than anybody waits.
    case late
    /// At an order, the lock goes offline in its place, with its last will, and comes back later.
    case offline
    /// After a movement the lock says that the bolt is on the other side.
    case wrongState = "wrong-state"
    /// Rubbish comes on the topic of the state, right before a report.
    case garbage
    /// The broker keeps a state that is no longer true: the lock's later ones are not retained.
    case retained
    /// At an order, the lock restarts in its place.
    case reboot
}

/// How a fleet's locks behave.
struct Manner: Hashable, Sendable {
    /// From an order to the end of the movement.
    var latency: ClosedRange<Duration> = .milliseconds(50) ... .milliseconds(400)
    /// How often each fault happens by itself: from 0 to 1 of all orders, movements, reports, or (`retained`) locks.
    var rates: [Fault: Double] = [:]
    /// What a late movement takes beyond its latency.
    var lateness = Duration.seconds(15)
    /// How long a lock that went offline by itself is away.
    var absence = Duration.seconds(20)
    /// How long a restart takes.
    var restart = Duration.seconds(3)
    /// How long the latch is held back.
    var latchHold = Duration.seconds(3)
    /// Percent of the battery that a movement of the motor takes.
    var drain = 0.05
    /// `nil`: a lock speaks when something happens.
    var reportEvery: Duration?
    /// Whether locks publish what lets others find them.
    var announcesItself = true
}

/// Payloads that no lock sends in its right mind.
enum Garbage {
    static func payload(_ random: inout SeededRandom) -> [UInt8] {
        let rubbish: [[UInt8]] = [
            [0xC3, 0x28, 0xFF, 0x00], Array("{\"state\":".utf8), Array(String(repeating: "[", count: 2_000).utf8),
            Array("NaN".utf8), Array("SIDEWAYS".utf8), Array("{\"state\":\"MAYBE\",\"lock_state\":[],\"value\":1e999}".utf8),
            [UInt8](repeating: UInt8(ascii: "x"), count: 60_000),
        ]
        return rubbish.randomElement(using: &random) ?? []
    }
}
