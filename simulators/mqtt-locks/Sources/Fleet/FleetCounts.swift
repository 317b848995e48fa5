/// Counters of a fleet, for the summary at its end.
struct FleetCounts: Hashable, Sendable {
    /// Messages that the fleet received.
    var received = 0
    /// Messages published while connected.
    var published = 0
    /// Messages lost while disconnected.
    var lost = 0
    /// Times that a lock went offline or restarted, at random or by a control command.
    var faults = 0
    /// The number of random manual operations: uses of a thumb turn, and typed codes.
    var manualOperations = 0
}

extension FleetCounts {
    /// One line, for a person.
    func summary(locks: Int) -> String {
        "\(Self.count(locks, "lock")): heard \(Self.count(received, "message")), published \(published)"
            + (lost == 0 ? "" : ", \(lost) more while away")
            + ", went away \(Self.count(faults, "time")), moved by hand \(Self.count(manualOperations, "time"))"
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
