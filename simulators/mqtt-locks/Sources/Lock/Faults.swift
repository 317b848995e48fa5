/// Simulated faults of a lock.
enum Fault: String, Hashable, Sendable, CaseIterable {
    /// A motor movement jams.
    case jam
    /// A lock reports the bolt between its ends during a movement, if its ecosystem can, and its end afterwards.
    case halfWay = "half-way"
    /// A command is lost on its way to the lock, without any response.
    case drop
    /// A report is published twice.
    case duplicate
    /// A movement takes longer than any timeout.
    case late
    /// Instead of executing a command, the lock goes offline with its last will, and comes back later.
    case offline
    /// After a movement the lock reports the opposite position of the bolt.
    case wrongState = "wrong-state"
    /// A garbage payload is published on the state topic, right before a report.
    case garbage
    /// A retained state becomes stale: the lock's later reports are not retained.
    case retained
    /// Instead of executing a command, the lock restarts.
    case reboot
}

/// The behaviour of a fleet's locks.
struct FaultSettings: Hashable, Sendable {
    /// Time from a command to the end of the movement.
    var latency: ClosedRange<Duration> = .milliseconds(50) ... .milliseconds(400)
    /// Probability of each fault, 0 to 1 per command, movement, report, or (`retained`) lock.
    var rates: [Fault: Double] = [:]
    /// Additional time of a late movement.
    var lateness = Duration.seconds(15)
    /// How long a lock stays offline after the fault `offline`.
    var offlineDuration = Duration.seconds(20)
    /// How long a restart takes.
    var restartDuration = Duration.seconds(3)
    /// How long the latch stays withdrawn.
    var latchHold = Duration.seconds(3)
    /// Percent of the battery that a motor movement takes.
    var drain = 0.05
    /// Interval of regular reports; `nil` if a lock reports only events.
    var reportEvery: Duration?
    /// Whether discovery messages are published.
    var publishesDiscovery = true
}

/// Payloads that no working lock sends.
enum Garbage {
    static func payload(_ random: inout SeededRandom) -> [UInt8] {
        let payloads: [[UInt8]] = [
            [0xC3, 0x28, 0xFF, 0x00], Array("{\"state\":".utf8), Array(String(repeating: "[", count: 2_000).utf8),
            Array("NaN".utf8), Array("SIDEWAYS".utf8), Array("{\"state\":\"MAYBE\",\"lock_state\":[],\"value\":1e999}".utf8),
            [UInt8](repeating: UInt8(ascii: "x"), count: 60_000),
        ]
        return payloads.randomElement(using: &random) ?? []
    }
}
