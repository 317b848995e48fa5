/// What happens at a house's locks over days: people with their habits, visitors, and everything else by rule. The same
/// scenario with the same seed is the same, event for event, wherever it is played.
package struct Scenario: Hashable, Sendable {
    /// Seeds everything that is left to chance.
    package var seed: UInt64
    /// The day of the week of the first day.
    package var firstWeekday: Weekday
    /// How many days are planned; `nil` for no end, where anything repeats.
    package var days: Int?
    /// Every lock that a scenario may name, in the order of its file.
    package var lockNames: [String]
    /// In the order of the file, on which their luck depends.
    package var residents: [Resident]
    /// In the order of the file; residents' luck does not depend on them.
    package var visitors: [Visitor]
    /// In the order of the file: thumb turns, jams, lost connections and commands that are nobody's habit.
    package var rules: [ScenarioRule]

    package init(
        seed: UInt64 = 0, firstWeekday: Weekday = .monday, days: Int? = nil, lockNames: [String], residents: [Resident] = [],
        visitors: [Visitor] = [], rules: [ScenarioRule] = []
    ) {
        (self.seed, self.firstWeekday, self.days, self.lockNames) = (seed, firstWeekday, days, lockNames)
        (self.residents, self.visitors, self.rules) = (residents, visitors, rules)
    }

    /// Everybody who asks the gateway for something, by name, sorted.
    package var people: [String] {
        let byRule = rules.compactMap { if case .command(_, let person) = $0.action { person } else { nil } }
        let byApp = residents.filter { $0.opens == .app }.map(\.name) + visitors.filter { $0.opens == .app }.map(\.name)
        return Set(byRule + byApp).sorted()
    }

    /// What happens, in order of time; where times are equal, in the order of the file. Endless where `days` is `nil` and
    /// anything that can happen repeats.
    ///
    /// - Parameter start: events before it are left out.
    package func events(from start: Duration = .zero) -> ScenarioEvents { ScenarioEvents(self, from: start) }

    /// How many days have to be planned; `nil` for no end.
    var plannedDays: Int? {
        if let days { return days }
        // What repeats and has no chance brings nothing about on any day: looking for it would never end.
        guard residents.isEmpty, !visitors.contains(where: \.canCome) else { return nil }
        var last = 0
        for rule in rules {
            if case .once(let at) = rule.when { last = max(last, at.wholeDays + 1) } else if rule.canHappen { return nil }
        }
        return last
    }

    /// Everything that is planned on one day, in the order of the file. Each line draws from a seed of its own, so that a
    /// line that is added or removed leaves the others' luck alone as long as it stands last.
    func plan(ofDay day: Int) -> [ScenarioEvent] {
        let weekday = firstWeekday.advanced(byDays: day)
        var events: [ScenarioEvent] = []
        for (index, resident) in residents.enumerated() {
            var draws = draws(.resident, index, day)
            events += resident.events(on: day, weekday, &draws)
        }
        for (index, visitor) in visitors.enumerated() {
            var draws = draws(.visitor, index, day)
            events += visitor.events(on: day, weekday, &draws)
        }
        for (index, rule) in rules.enumerated() {
            var draws = draws(.rule, index, day)
            events += rule.events(on: day, weekday, &draws)
        }
        return events
    }

    private enum Line: UInt64 {
        case resident = 1
        case visitor
        case rule
    }

    private func draws(_ line: Line, _ index: Int, _ day: Int) -> Draws {
        var mixer = Draws(seed: seed)
        for number in [line.rawValue, UInt64(index), UInt64(day)] { mixer = Draws(seed: mixer.next() ^ number) }
        return mixer
    }
}
