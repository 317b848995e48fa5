/// The events at a house's locks over several days: people with their habits, visitors, and rules for everything else. The same
/// scenario with the same seed always has the same events.
package struct Scenario: Hashable, Sendable {
    /// Seed of all random choices.
    package var seed: UInt64
    /// Day of the week of the first day.
    package var firstWeekday: Weekday
    /// Number of planned days; `nil` for an endless scenario, if anything repeats.
    package var days: Int?
    /// All locks that the scenario may name, in the order of the file.
    package var lockNames: [String]
    /// The residents in the order of the file, which determines their random draws.
    package var residents: [Resident]
    /// The visitors in the order of the file. They do not affect the draws of residents.
    package var visitors: [Visitor]
    /// The rules in the order of the file: thumb turns, jams, lost connections and commands that are not part of a habit.
    package var rules: [ScenarioRule]

    package init(
        seed: UInt64 = 0, firstWeekday: Weekday = .monday, days: Int? = nil, lockNames: [String], residents: [Resident] = [],
        visitors: [Visitor] = [], rules: [ScenarioRule] = []
    ) {
        (self.seed, self.firstWeekday, self.days, self.lockNames) = (seed, firstWeekday, days, lockNames)
        (self.residents, self.visitors, self.rules) = (residents, visitors, rules)
    }

    /// All people who send commands to the gateway, by name, sorted.
    package var people: [String] {
        let byRule = rules.compactMap { if case .command(_, let person) = $0.action { person } else { nil } }
        let byApp = residents.filter { $0.opens == .app }.map(\.name) + visitors.filter { $0.opens == .app }.map(\.name)
        return Set(byRule + byApp).sorted()
    }

    /// Returns the events in the order of time; events at the same time are in the order of the file. The sequence is endless if
    /// `days` is `nil` and anything that can happen repeats.
    ///
    /// - Parameter start: earlier events are left out.
    package func events(from start: Duration = .zero) -> ScenarioEvents { ScenarioEvents(self, from: start) }

    /// Number of days to plan; `nil` for no end.
    var plannedDays: Int? {
        if let days { return days }
        // A repetition with probability 0 never has an event: searching for one would not terminate.
        guard residents.isEmpty, !visitors.contains(where: \.canCome) else { return nil }
        var last = 0
        for rule in rules {
            if case .once(let at) = rule.schedule { last = max(last, at.wholeDays + 1) } else if rule.canHappen { return nil }
        }
        return last
    }

    /// Plans the events of one day, in the order of the file. Each resident, visitor and rule has its own seed, so that adding or
    /// removing the last one of a list does not affect the draws of the others.
    func plan(ofDay day: Int) -> [ScenarioEvent] {
        let weekday = firstWeekday.advanced(byDays: day)
        var events: [ScenarioEvent] = []
        for (index, resident) in residents.enumerated() {
            var random = random(.resident, index, day)
            events += resident.events(on: day, weekday, &random)
        }
        for (index, visitor) in visitors.enumerated() {
            var random = random(.visitor, index, day)
            events += visitor.events(on: day, weekday, &random)
        }
        for (index, rule) in rules.enumerated() {
            var random = random(.rule, index, day)
            events += rule.events(on: day, weekday, &random)
        }
        return events
    }

    private enum Stream: UInt64 {
        case resident = 1
        case visitor
        case rule
    }

    private func random(_ stream: Stream, _ index: Int, _ day: Int) -> SeededRandom {
        var mixer = SeededRandom(seed: seed)
        for number in [stream.rawValue, UInt64(index), UInt64(day)] { mixer = SeededRandom(seed: mixer.next() ^ number) }
        return mixer
    }
}
