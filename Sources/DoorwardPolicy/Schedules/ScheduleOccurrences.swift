internal import DoorwardDomain

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
