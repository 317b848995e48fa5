/// The events of a scenario in order of time, planned a day at a time.
package struct ScenarioEvents: Sequence, IteratorProtocol, Sendable {
    /// No plan of a day reaches further back into the day before.
    static let longestSpread = Duration.hours(12)

    private let scenario: Scenario
    private let start: Duration
    private let plannedDays: Int?
    /// The next day to plan.
    private var day: Int
    /// What is planned, in reverse order of time.
    private var planned: [ScenarioEvent] = []

    init(_ scenario: Scenario, from start: Duration) {
        (self.scenario, self.start, plannedDays) = (scenario, start, scenario.plannedDays)
        // What began long before may still have something to come: an event that lasts 30 days, at the longest.
        day = Swift.max(0, start.wholeDays - ScenarioText.longestLasting.wholeDays - 1)
    }

    /// `nil` only for a scenario that ends; plans as many days ahead as it takes to know the order.
    package mutating func next() -> ScenarioEvent? {
        while true {
            if let event = planned.last, isSettled(event) {
                planned.removeLast()
                if event.at >= start { return event }
            } else if !planNextDay() {
                return nil
            }
        }
    }

    /// Whether no day that is still to be planned can bring anything earlier.
    private func isSettled(_ event: ScenarioEvent) -> Bool { isOver || event.at < .days(day) - Self.longestSpread }

    private var isOver: Bool { plannedDays.map { day >= $0 } ?? false }

    /// - Returns: false when there is none.
    private mutating func planNextDay() -> Bool {
        guard !isOver else { return false }
        let events = planned.reversed() + scenario.plan(ofDay: day)
        // By time, and what was there before first: `sort` keeps no order of equals.
        planned = events.enumerated().sorted { ($0.element.at, $0.offset) > ($1.element.at, $1.offset) }.map(\.element)
        day += 1
        return true
    }
}
