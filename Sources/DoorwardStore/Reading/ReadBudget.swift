internal import DoorwardDomain

/// How much of the database one page of a list may still examine.
struct ReadBudget {
    /// Rows that may still be examined.
    private(set) var rowsLeft: Int
    private let end: (at: MonotonicInstant, clock: any GatewayClock)?

    init(rows: Int, endsAt: MonotonicInstant, clock: any GatewayClock) { (rowsLeft, end) = (rows, (endsAt, clock)) }

    private init() { (rowsLeft, end) = (.max, nil) }

    /// For a page that cannot end early: what it skips is bounded instead.
    static let unlimited = ReadBudget()

    /// Whether the page has to end with what was found so far.
    var isSpent: Bool { rowsLeft <= 0 || end.map { $0.clock.monotonicNow() >= $0.at } ?? false }

    mutating func spend(rows: Int) { rowsLeft -= rows }
}
