internal import DoorwardDomain

/// The rows and the time that one page of a list may still use.
struct ReadBudget {
    /// Rows that may still be examined.
    private(set) var rowsLeft: Int
    private let end: (at: MonotonicInstant, clock: any GatewayClock)?

    init(rows: Int, endsAt: MonotonicInstant, clock: any GatewayClock) { (rowsLeft, end) = (rows, (endsAt, clock)) }

    private init() { (rowsLeft, end) = (.max, nil) }

    /// A budget without limits, for a page that cannot end early. The number of entries that such a page skips is limited
    /// instead.
    static let unlimited = ReadBudget()

    /// Whether the page must end with the results found so far.
    var isSpent: Bool { rowsLeft <= 0 || end.map { $0.clock.monotonicNow() >= $0.at } ?? false }

    mutating func spend(rows: Int) { rowsLeft -= rows }
}
