/// The events of a scenario in the order of time, planned one day at a time.
package struct ScenarioEvents: Sequence, IteratorProtocol, Sendable {
    /// The maximum time by which an event of one day can be moved into the previous day.
    static let maxSpread = Duration.hours(12)

    private let scenario: Scenario
    private let start: Duration
    private let plannedDays: Int?
    /// The next day to plan.
    private var day: Int
    /// The planned events, in reverse order of time.
    private var planned: [ScenarioEvent] = []

    init(_ scenario: Scenario, from start: Duration) {
        (self.scenario, self.start, plannedDays) = (scenario, start, scenario.plannedDays)
        // Begin with earlier days: an event lasts at most 30 days, so its ending may still come after `start`.
        day = Swift.max(0, start.wholeDays - ScenarioText.maxEventDuration.wholeDays - 1)
    }

    /// Returns `nil` only at the end of a finite scenario. Plans as many days ahead as needed to determine the order.
    package mutating func next() -> ScenarioEvent? {
        while true {
            if let event = planned.last, isNext(event) {
                planned.removeLast()
                if event.at >= start { return event }
            } else if !planNextDay() {
                return nil
            }
        }
    }

    /// Whether the event is the next one: a day that is still to be planned cannot have an earlier event.
    private func isNext(_ event: ScenarioEvent) -> Bool { isOver || event.at < .days(day) - Self.maxSpread }

    private var isOver: Bool { plannedDays.map { day >= $0 } ?? false }

    /// - Returns: false if there is no further day.
    private mutating func planNextDay() -> Bool {
        guard !isOver else { return false }
        let events = planned.reversed() + scenario.plan(ofDay: day)
        // Sort by time, then by planning order: `sort` is not guaranteed to be stable.
        planned = events.enumerated().sorted { ($0.element.at, $0.offset) > ($1.element.at, $1.offset) }.map(\.element)
        day += 1
        return true
    }
}
