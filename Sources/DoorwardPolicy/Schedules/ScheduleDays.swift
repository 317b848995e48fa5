internal import DoorwardDomain

/// The hours of a schedule on a clock whose offset does not change, as a table of days.
///
/// Nearly all decisions are made on such a clock. A day then depends only on its weekday, or is an exception: a special day, or
/// the day after one. Times here are readings of the clock, in seconds since 1970-01-01T00:00:00 on the same clock.
struct ScheduleDays: Sendable {
    /// For each kind of day, the seconds of the day at which the state changes, ascending. The day begins closed, so that the hours
    /// are open after an odd number of changes. The kinds are stored one after the other: Monday to Sunday, then the exceptions.
    private let changes: ContiguousArray<Int32>
    /// The index in `changes` at which each kind begins, and the end of the last one.
    private let bounds: ContiguousArray<Int32>
    /// The days since 1970-01-01 whose hours are not those of their weekday, ascending.
    private let exceptions: ContiguousArray<Int64>
    /// Whether the state is the same at all times of all days but the exceptions.
    let changesOnExceptionsOnly: Bool

    init(_ hours: ScheduleOccurrences) {
        let ordinary = ScheduleOccurrences(withoutSpecialDaysOf: hours)
        // Day -3 was a Monday.
        let week = (0..<7).map { Self.changes(on: $0 - 3, of: ordinary) }
        // Hours that begin on a special day can end on the next one.
        let exceptions = Set(hours.specialDays.flatMap { [$0, $0 + 1] }).sorted()
            .map { (day: $0, changes: Self.changes(on: $0, of: hours)) }
            .filter { $0.changes != week[Self.weekday(of: $0.day)] }
        let kinds = week + exceptions.map(\.changes)
        changes = ContiguousArray(kinds.joined())
        bounds = kinds.reduce(into: [0]) { $0.append($0[$0.count - 1] + Int32($1.count)) }
        self.exceptions = ContiguousArray(exceptions.map(\.day))
        changesOnExceptionsOnly = week.allSatisfy { $0 == [] } || week.allSatisfy { $0 == [0] }
    }

    /// The seconds of a day at which the state changes, if the day begins closed.
    private static func changes(on day: Int64, of hours: ScheduleOccurrences) -> [Int32] {
        let isSpecialDay = hours.isSpecial(day)
        var open: [Range<Int64>] = []
        // Hours last at most 24 hours.
        for start in [day - 1, day] {
            _ = hours.contains(on: start) { occurrence in
                let (from, until) = (max(0, occurrence.from - day * 86_400), min(86_400, occurrence.until - day * 86_400))
                if from < until, hours.applies(occurrence, isSpecialDay: isSpecialDay, on: day) { open.append(from..<until) }
                return false
            }
        }
        var changes: [Int32] = []
        for interval in open.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let end = changes.last, interval.lowerBound <= end {
                changes[changes.count - 1] = max(end, Int32(interval.upperBound))
            } else {
                changes += [Int32(interval.lowerBound), Int32(interval.upperBound)]
            }
        }
        // The end of the day is not within the day.
        if changes.last == 86_400 { changes.removeLast() }
        return changes
    }

    /// Whether a reading of the clock is within the hours.
    func contains(_ local: Int64) -> Bool {
        let (day, second) = Self.split(local)
        return isOpen(at: second, changes(of: day, exception: exceptions.lowerBound { $0 < day }))
    }

    /// The first reading after `local` at which the hours begin or end; `nil` if there is none before `limit`.
    func nextChange(after local: Int64, before limit: Int64) -> Int64? {
        var (day, second) = Self.split(local)
        var exception = exceptions.lowerBound { $0 < day }
        var today = changes(of: day, exception: exception)
        let isOpen = isOpen(at: second, today)
        while true {
            // Within a day, every change is a change of the state.
            for index in today where changes[index] > second {
                let reading = day * 86_400 + Int64(changes[index])
                return reading < limit ? reading : nil
            }
            if exception < exceptions.count, exceptions[exception] == day {
                exception += 1
                day += 1
            } else if changesOnExceptionsOnly {
                guard exception < exceptions.count else { return nil }
                day = exceptions[exception]
            } else {
                day += 1
            }
            guard day * 86_400 < limit else { return nil }
            (today, second) = (changes(of: day, exception: exception), 0)
            if self.isOpen(at: 0, today) != isOpen { return day * 86_400 }
        }
    }

    /// The indices in `changes` of a day.
    ///
    /// - Parameter exception: the index of the first exception from the day on.
    private func changes(of day: Int64, exception: Int) -> Range<Int> {
        let isException = exception < exceptions.count && exceptions[exception] == day
        let kind = isException ? 7 + exception : Self.weekday(of: day)
        return Int(bounds[kind])..<Int(bounds[kind + 1])
    }

    private func isOpen(at second: Int32, _ today: Range<Int>) -> Bool {
        var isOpen = false
        for index in today where changes[index] <= second { isOpen.toggle() }
        return isOpen
    }

    private static func split(_ local: Int64) -> (day: Int64, second: Int32) {
        let day = local.flooredQuotient(by: 86_400)
        return (day, Int32(local - day * 86_400))
    }

    /// 0 for a Monday. 1970-01-01, day 0, was a Thursday.
    private static func weekday(of day: Int64) -> Int { Int(((day + 3) % 7 + 7) % 7) }
}
