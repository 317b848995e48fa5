/// Counters of a fleet, for the summary at its end.
struct FleetCounts: Hashable, Sendable {
    /// Messages that the fleet received.
    var heard = 0
    /// Messages published while connected.
    var said = 0
    /// Messages lost while disconnected.
    var unsaid = 0
    /// Times that a lock went offline or restarted, at random or by a control command.
    var faults = 0
    /// Times that a thumb turn was used or a code typed at random.
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
