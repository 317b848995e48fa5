internal import DoorwardDomain

/// One rule of a scenario: an action, the locks that it applies to, its times and its probability.
package struct ScenarioRule: Hashable, Sendable {
    /// The time before `spread` is applied.
    package let schedule: Schedule
    /// The locks that the rule applies to, each with its own draws.
    package let locks: [String]
    /// The action, which is applied to each of `locks` separately.
    package let action: ScenarioEvent.Action
    /// Maximum deviation, drawn at random for each time and lock; below 12 hours.
    package var spread: Duration
    /// Probability each time, 0 to 1.
    package var chance: Double
    /// Time after which the event's `ending` follows; `nil` if no ending follows.
    package var duration: Duration?

    package init(
        _ schedule: Schedule, locks: [String], action: ScenarioEvent.Action, spread: Duration = .zero, chance: Double = 1,
        duration: Duration? = nil
    ) {
        (self.schedule, self.locks, self.action) = (schedule, locks, action)
        (self.spread, self.chance, self.duration) = (spread, chance, duration)
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
                let at = max(.zero, time + random.offset(within: spread))
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
    /// A random number of milliseconds from `-spread` to `spread`. Takes one draw.
    mutating func offset(within spread: Duration) -> Duration {
        .milliseconds(integer(upTo: 2 * spread.wholeMilliseconds)) - .milliseconds(spread.wholeMilliseconds)
    }

    /// A random number of milliseconds in the range. Takes one draw.
    mutating func duration(in range: ClosedRange<Duration>) -> Duration {
        range.lowerBound + .milliseconds(integer(upTo: (range.upperBound - range.lowerBound).wholeMilliseconds))
    }
}
