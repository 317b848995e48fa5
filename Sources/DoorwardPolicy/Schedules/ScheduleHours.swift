internal import DoorwardDomain

/// A schedule in the forms that decisions read. Equal schedules share one object.
final class ScheduleHours: Sendable, Equatable {
    let schedule: Schedule
    /// The zone that the schedule names; `nil` if it names none, or one that the system does not know.
    let ownZone: TimeZoneRules?
    /// For instants near a change of the offset.
    let occurrences: ScheduleOccurrences
    /// For all other instants.
    let days: ScheduleDays

    init(_ schedule: Schedule, ownZone: TimeZoneRules?) {
        (self.schedule, self.ownZone) = (schedule, ownZone)
        occurrences = ScheduleOccurrences(schedule)
        days = ScheduleDays(occurrences)
    }

    static func == (a: ScheduleHours, b: ScheduleHours) -> Bool { a.schedule == b.schedule }

    /// The first day from `day` on near which a change is possible, or `nil` if there is none.
    func nextDayOfChange(from day: Int64) -> Int64? {
        guard days.changesOnExceptionsOnly else { return day }
        // Hours of a special day, and what they replace, end at most two days later.
        let specialDays = occurrences.specialDays
        let index = specialDays.lowerBound { $0 < day - 3 }
        return index < specialDays.count ? max(day, specialDays[index] - 3) : nil
    }
}

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
        // A change at the end of the day does not belong to the day.
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

/// The rules of a schedule: which hours begin on a day, and at which instants they count.
struct ScheduleOccurrences: Sendable {
    private let periods: [Occurrence.Period]
    /// The special days, ascending, as days since 1970-01-01.
    let specialDays: ContiguousArray<Int64>
    /// The hours of each special day, in the order of `specialDays`.
    private let specialHours: [[Occurrence.Period]]
    private let cutsAtStart: Bool

    /// Hours that begin on one day. All times are seconds of the clock since the start of that day.
    struct Occurrence {
        let day: Int64
        let isSpecial: Bool
        let period: Period

        struct Period {
            let days: WeekdaySet
            let from: Int64
            /// Up to 48 hours: overnight hours end on the next day.
            let until: Int64

            init(_ hours: Schedule.Hours, on days: WeekdaySet) {
                self.days = days
                from = Int64(hours.from.seconds)
                until = Int64(hours.until.seconds) + (hours.until > hours.from ? 0 : 86_400)
            }
        }

        /// The first second of the hours on the clock, since 1970-01-01T00:00:00 on the same clock.
        var from: Int64 { day * 86_400 + period.from }
        /// The first second after the hours.
        var until: Int64 { day * 86_400 + period.until }
    }

    init(_ schedule: Schedule) {
        periods = schedule.periods.map { Occurrence.Period($0.hours, on: $0.days) }
        let byDay = Dictionary(grouping: schedule.specialDays, by: \.date.daysSinceEpoch)
        specialDays = ContiguousArray(byDay.keys.sorted())
        specialHours = specialDays.map { day in
            (byDay[day] ?? []).flatMap(\.periods).map { Occurrence.Period($0, on: .everyDay) }
        }
        cutsAtStart = schedule.specialDayCut == .start
    }

    /// The same without special days.
    init(withoutSpecialDaysOf other: ScheduleOccurrences) {
        (periods, specialDays, specialHours, cutsAtStart) = (other.periods, [], [], other.cutsAtStart)
    }

    /// Calls `body` with the hours that begin on a day, until it returns true.
    ///
    /// If special days cut at the start of hours, a special day has only its own hours. Otherwise each day has its ordinary hours
    /// too, and `applies` decides at each instant which of them count.
    ///
    /// - Returns: whether `body` returned true.
    @inline(__always)
    func contains(on day: Int64, where body: (Occurrence) -> Bool) -> Bool {
        if let special = specialIndex(of: day) {
            for period in specialHours[special] where body(Occurrence(day: day, isSpecial: true, period: period)) { return true }
            if cutsAtStart { return false }
        }
        for period in periods where period.days.contains(day: day) {
            if body(Occurrence(day: day, isSpecial: false, period: period)) { return true }
        }
        return false
    }

    /// Whether hours count at an instant of the day `day` that they cover.
    @inline(__always)
    func applies(_ occurrence: Occurrence, isSpecialDay: Bool, on day: Int64) -> Bool {
        cutsAtStart || !isSpecialDay || (occurrence.isSpecial && occurrence.day == day)
    }

    /// Whether other hours replace the ordinary ones at the instants of a day.
    @inline(__always)
    func isSpecial(_ day: Int64) -> Bool { !cutsAtStart && specialIndex(of: day) != nil }

    private func specialIndex(of day: Int64) -> Int? {
        guard let last = specialDays.last, day <= last else { return nil }
        let index = specialDays.lowerBound { $0 < day }
        return specialDays[index] == day ? index : nil
    }
}
