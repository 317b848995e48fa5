internal import DoorwardDomain

/// One rule of a scenario: an action, the locks that it applies to, its times and its probability.
package struct ScenarioRule: Hashable, Sendable {
    /// The time before `spread` is applied.
    package let when: When
    /// The locks that the rule applies to, each with its own draws.
    package let locks: [String]
    /// The action, which is applied to each of `locks` separately.
    package let action: ScenarioEvent.Action
    /// Maximum deviation, drawn at random for each time and lock; below 12 hours.
    package var spread: Duration
    /// Probability each time, 0 to 1.
    package var chance: Double
    /// Time after which the event's `ending` follows; `nil` if no ending follows.
    package var lasts: Duration?

    package init(
        _ when: When, locks: [String], action: ScenarioEvent.Action, spread: Duration = .zero, chance: Double = 1,
        lasts: Duration? = nil
    ) {
        (self.when, self.locks, self.action) = (when, locks, action)
        (self.spread, self.chance, self.lasts) = (spread, chance, lasts)
    }

    /// The times of a rule.
    package enum When: Hashable, Sendable {
        /// Once, at this time since the first midnight.
        case once(Duration)
        /// On these days, at this time of day.
        case daily(Set<Weekday>, at: Duration)
        /// Repeatedly at this interval; the first time is after one interval.
        case every(Duration)
    }

    /// Whether there is a day on which the rule may have an event.
    var canHappen: Bool {
        if case .daily(let days, _) = when, days.isEmpty { return false }
        return chance > 0 && !locks.isEmpty
    }

    /// Returns the events of this rule on one day, in no particular order.
    func events(on day: Int, _ weekday: Weekday, _ draws: inout SeededRandom) -> [ScenarioEvent] {
        var events: [ScenarioEvent] = []
        for time in times(on: day, weekday) {
            for lock in locks {
                let happens = draws.chance(chance)
                let at = max(.zero, time + draws.offset(within: spread))
                guard happens else { continue }
                events.append(ScenarioEvent(at: at, lock: lock, action: action))
                if let lasts, case .event(let event, _) = action, let ending = event.ending {
                    events.append(ScenarioEvent(at: at + lasts, lock: lock, action: .event(ending)))
                }
            }
        }
        return events
    }

    private func times(on day: Int, _ weekday: Weekday) -> [Duration] {
        let midnight = Duration.days(day)
        switch when {
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
    /// A random number of milliseconds from `-spread` to `spread`. Takes one draw.
    mutating func offset(within spread: Duration) -> Duration {
        .milliseconds(integer(upTo: 2 * spread.wholeMilliseconds)) - .milliseconds(spread.wholeMilliseconds)
    }

    /// A random number of milliseconds in the range. Takes one draw.
    mutating func duration(in range: ClosedRange<Duration>) -> Duration {
        range.lowerBound + .milliseconds(integer(upTo: (range.upperBound - range.lowerBound).wholeMilliseconds))
    }
}
