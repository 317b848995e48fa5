package import DoorwardDomain

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

/// One rule of a scenario: an action, the locks that it applies to, its times and its probability.
package struct ScenarioRule: Hashable, Sendable {
    /// The time before `timeJitter` is applied.
    package let schedule: Schedule
    /// The locks that the rule applies to, each with its own draws.
    package let locks: [String]
    /// The action, which is applied to each of `locks` separately.
    package let action: ScenarioEvent.Action
    /// Maximum deviation, drawn at random for each time and lock; below 12 hours.
    package var timeJitter: Duration
    /// Probability each time, 0 to 1.
    package var chance: Double
    /// Time after which the event's `ending` follows; `nil` if no ending follows.
    package var duration: Duration?

    package init(
        _ schedule: Schedule, locks: [String], action: ScenarioEvent.Action, timeJitter: Duration = .zero, chance: Double = 1,
        duration: Duration? = nil
    ) {
        (self.schedule, self.locks, self.action) = (schedule, locks, action)
        (self.timeJitter, self.chance, self.duration) = (timeJitter, chance, duration)
    }

    /// The times of a rule.
    package enum Schedule: Hashable, Sendable {
        /// Once, at this time since the first midnight.
        case once(Duration)
        /// On these days, at this time of day.
        case daily(Set<Weekday>, at: Duration)
        /// Repeatedly at this interval; the first time is after one interval.
        case every(Duration)
    }

    /// Whether there is a day on which the rule may have an event.
    var canHappen: Bool {
        if case .daily(let days, _) = schedule, days.isEmpty { return false }
        return chance > 0 && !locks.isEmpty
    }

    /// Returns the events of this rule on one day, in no particular order.
    func events(on day: Int, _ weekday: Weekday, _ random: inout SeededRandom) -> [ScenarioEvent] {
        var events: [ScenarioEvent] = []
        for time in times(on: day, weekday) {
            for lock in locks {
                let happens = random.chance(chance)
                let at = max(.zero, time + random.offset(within: timeJitter))
                guard happens else { continue }
                events.append(ScenarioEvent(at: at, lock: lock, action: action))
                if let duration, case .event(let event, _) = action, let ending = event.ending {
                    events.append(ScenarioEvent(at: at + duration, lock: lock, action: .event(ending)))
                }
            }
        }
        return events
    }

    private func times(on day: Int, _ weekday: Weekday) -> [Duration] {
        let midnight = Duration.days(day)
        switch schedule {
        case .once(let at): return at.wholeDays == day ? [at] : []
        case .daily(let days, let at): return days.contains(weekday) ? [midnight + at] : []
        case .every(let period):
            let length = period.wholeMilliseconds
            let first = max(1, (midnight.wholeMilliseconds + length - 1) / length)
            let end = Duration.days(day + 1).wholeMilliseconds
            return stride(from: first * length, to: end, by: Int64.Stride(length)).map { .milliseconds($0) }
        }
    }
}

extension SeededRandom {
    /// A random number of milliseconds from `-timeJitter` to `timeJitter`. Takes one draw.
    mutating func offset(within timeJitter: Duration) -> Duration {
        .milliseconds(integer(upTo: 2 * timeJitter.wholeMilliseconds)) - .milliseconds(timeJitter.wholeMilliseconds)
    }

    /// A random number of milliseconds in the range. Takes one draw.
    mutating func duration(in range: ClosedRange<Duration>) -> Duration {
        range.lowerBound + .milliseconds(integer(upTo: (range.upperBound - range.lowerBound).wholeMilliseconds))
    }
}

/// An event or an action at a lock, at a time of a scenario.
package struct ScenarioEvent: Hashable, Sendable {
    /// Time since the first midnight of the scenario.
    package let at: Duration
    /// The name of the lock in the scenario.
    package let lock: String
    /// The event or action. It has no effect if the lock's state does not allow it at that time.
    package let action: Action

    package init(at: Duration, lock: String, action: Action) { (self.at, self.lock, self.action) = (at, lock, action) }

    /// The action.
    package enum Action: Hashable, Sendable {
        /// An event of the simulator; for a keypad, the slot of the typed code.
        case event(SimulatorEvent, slot: String? = nil)
        /// A person sends a command to the gateway.
        case command(LockOperation, by: String)
        /// The door is pushed: it opens only if the bolt permits it.
        case openDoor
        /// The door falls shut, if it is open.
        case closeDoor
    }
}

extension Duration {
    static let day = Duration.seconds(86_400)

    static func days(_ count: Int) -> Duration { .seconds(86_400 * count) }
    static func hours(_ count: Int) -> Duration { .seconds(3600 * count) }
    static func minutes(_ count: Int) -> Duration { .seconds(60 * count) }

    /// Whole days, rounded towards minus infinity.
    var wholeDays: Int {
        let seconds = components.seconds
        let isShort = seconds % 86_400 < 0 || (seconds % 86_400 == 0 && components.attoseconds < 0)
        return Int(seconds / 86_400) - (isShort ? 1 : 0)
    }
}

/// The events of a scenario in the order of time, planned one day at a time.
package struct ScenarioEvents: Sequence, IteratorProtocol, Sendable {
    /// The maximum time by which an event of one day can be moved into the previous day.
    static let maxTimeJitter = Duration.hours(12)

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
    private func isNext(_ event: ScenarioEvent) -> Bool { isOver || event.at < .days(day) - Self.maxTimeJitter }

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
