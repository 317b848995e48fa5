/// What a fleet has done, for the line at its end.
struct FleetCounts: Hashable, Sendable {
    /// Messages that came to the fleet.
    var heard = 0
    /// Frames for a broker that was there.
    var said = 0
    /// Frames that were lost because the connection was away.
    var unsaid = 0
    /// Times that a lock went offline or restarted, by itself or because somebody asked for it.
    var faults = 0
    /// Times that people turned a thumb turn or typed a code by themselves.
    var byHand = 0
}

extension FleetCounts {
    /// One line, for a person.
    func summary(locks: Int) -> String {
        "\(Self.count(locks, "lock")): heard \(Self.count(heard, "message")), published \(said)"
            + (unsaid == 0 ? "" : ", \(unsaid) more while away")
            + ", went away \(Self.count(faults, "time")), moved by hand \(Self.count(byHand, "time"))"
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
