internal import DoorwardDomain

/// How much of the database one page of a list may still examine.
struct ReadBudget {
    /// Rows that may still be examined.
    private(set) var rowsLeft: Int
    private let endsAt: MonotonicInstant
    private let clock: any GatewayClock

    init(rows: Int, endsAt: MonotonicInstant, clock: any GatewayClock) {
        (rowsLeft, self.endsAt, self.clock) = (rows, endsAt, clock)
    }

    /// Whether the page has to end with what was found so far.
    var isSpent: Bool { rowsLeft <= 0 || clock.monotonicNow() >= endsAt }

    mutating func spend(rows: Int) { rowsLeft -= rows }
}
