internal import DoorwardDomain

/// A schedule in the form that decisions read. Equal schedules share one object.
final class ScheduleHours: Sendable, Equatable {
    let schedule: Schedule
    /// The zone that the schedule names; `nil` if it names none, or one that the system does not know.
    let ownZone: TimeZoneRules?
    private let periods: [Occurrence.Period]
    /// The special days, ascending, as days since 1970-01-01.
    private let specialDays: [Int64]
    /// The hours of each special day, in the order of `specialDays`.
    private let specialHours: [[Occurrence.Period]]
    private let cutsAtStart: Bool
    /// Whether ordinary days are either all closed or all open around the clock, so that only special days change anything.
    private let changesOnSpecialDaysOnly: Bool

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

    init(_ schedule: Schedule, ownZone: TimeZoneRules?) {
        (self.schedule, self.ownZone) = (schedule, ownZone)
        periods = schedule.periods.map { Occurrence.Period($0.hours, on: $0.days) }
        let byDay = Dictionary(grouping: schedule.specialDays, by: \.date.daysSinceEpoch)
        specialDays = byDay.keys.sorted()
        specialHours = specialDays.map { day in
            (byDay[day] ?? []).flatMap(\.periods).map { Occurrence.Period($0, on: .everyDay) }
        }
        cutsAtStart = schedule.specialDayCut == .start
        changesOnSpecialDaysOnly = Self.coverage(of: periods) != nil
    }

    static func == (a: ScheduleHours, b: ScheduleHours) -> Bool { a.schedule == b.schedule }

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

    /// The first day from `day` on near which a change is possible, or `nil` if there is none.
    func nextDayOfChange(from day: Int64) -> Int64? {
        guard changesOnSpecialDaysOnly else { return day }
        // Hours of a special day, and what they replace, end at most two days later.
        let index = firstSpecialIndex(from: day - 3)
        return index < specialDays.count ? max(day, specialDays[index] - 3) : nil
    }

    @inline(__always)
    private func specialIndex(of day: Int64) -> Int? {
        guard !specialDays.isEmpty, day <= specialDays[specialDays.count - 1] else { return nil }
        let index = firstSpecialIndex(from: day)
        return specialDays[index] == day ? index : nil
    }

    private func firstSpecialIndex(from day: Int64) -> Int {
        var (low, high) = (0, specialDays.count)
        while low < high {
            let middle = (low + high) / 2
            if specialDays[middle] < day { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// False if the periods leave the whole week closed, true if they leave no second of it closed; `nil` if neither.
    private static func coverage(of periods: [Occurrence.Period]) -> Bool? {
        var hours: [(from: Int64, until: Int64)] = []
        for weekday in 0..<7 as Range<Int64> {
            // Day -3 was a Monday.
            for period in periods where period.days.contains(day: weekday - 3) {
                let start = weekday * 86_400
                // The hours of a Sunday night also begin the week.
                for shift in [0, -604_800] as [Int64] {
                    hours.append((start + shift + period.from, start + shift + period.until))
                }
            }
        }
        if hours.isEmpty { return false }
        var covered: Int64 = 0
        for interval in hours.sorted(by: { $0.from < $1.from }) where interval.from <= covered {
            covered = max(covered, interval.until)
        }
        return covered >= 604_800 ? true : nil
    }
}
