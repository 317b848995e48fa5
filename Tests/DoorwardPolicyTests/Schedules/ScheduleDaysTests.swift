import DoorwardDomain
import DoorwardTesting
import Testing

@testable import DoorwardPolicy

/// The table of days, and the borders at which the interval engine stops using it.
@Suite struct ScheduleDaysTests {
    /// 2027-01-04, a Monday.
    static let monday: Int64 = 20_822

    private static func days(_ schedule: Schedule) -> ScheduleDays { ScheduleDays(ScheduleOccurrences(schedule)) }

    private static func hours(_ from: String, _ until: String) throws -> Schedule.Hours {
        Schedule.Hours(from: try #require(LocalTime(from)), until: try #require(LocalTime(until)))
    }

    private static func period(_ days: WeekdaySet, _ from: String, _ until: String) throws -> Schedule.Period {
        let hours = try hours(from, until)
        return Schedule.Period(days: days, from: hours.from, until: hours.until)
    }

    /// Seconds since Monday 00:00 at which the hours begin or end, up to a limit.
    private static func changes(_ days: ScheduleDays, from start: Int64 = -1, before limit: Int64) -> [Int64] {
        var (found, local) = ([Int64](), monday * 86_400 + start)
        while let next = days.nextChange(after: local, before: monday * 86_400 + limit) {
            found.append(next - monday * 86_400)
            local = next
        }
        return found
    }

    private static func hour(_ day: Int64, _ hour: Int64) -> Int64 { day * 86_400 + hour * 3600 }

    @Test("Agrees with a table of minutes at every minute of three weeks, and about every next change, on any schedule")
    func naive() {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<40 {
            let schedule = Schedule.random(
                timeZone: nil, days: Self.monday...Self.monday + 20, near: [0, 720, 1440], using: &generator)
            let minutes = Self.monday * 1440..<(Self.monday + 21) * 1440
            let naive = NaiveSchedule(schedule, minutes: minutes) { _ in 0 }
            let days = Self.days(schedule)
            let differing = minutes.first { days.contains($0 * 60) != naive.contains($0 * 60_000) }
            #expect(differing == nil, "\(schedule)")
            let expected = naive.changes(in: minutes).map { ($0 - minutes.lowerBound) * 60 }
            #expect(Self.changes(days, before: 21 * 86_400) == expected, "\(schedule)")
            for _ in 0..<50 {
                // Between minutes, and with a limit at, before and after the change.
                let after = Int64.random(in: 0..<20 * 86_400, using: &generator)
                let next = expected.first { $0 > after }
                let start = Self.monday * 86_400
                let limit = next.map { $0 + Int64.random(in: -1...1, using: &generator) } ?? 21 * 86_400
                let found = days.nextChange(after: start + after, before: start + limit)
                #expect(found == next.flatMap { $0 < limit ? start + $0 : nil }, "\(schedule) after \(after) before \(limit)")
            }
        }
    }

    @Test("Hours that abut at midnight are one interval, over the end of the week too")
    func abutting() throws {
        let weekend = try Schedule(periods: [
            Self.period(WeekdaySet([.saturday]), "20:00", "24:00"), Self.period(WeekdaySet([.sunday]), "00:00", "00:00"),
            Self.period(WeekdaySet([.monday]), "00:00", "05:00"),
        ])
        #expect(Self.changes(Self.days(weekend), before: 8 * 86_400) == [Self.hour(0, 5), Self.hour(5, 20), Self.hour(7, 5)])
        let always = try Schedule(periods: [Self.period(.everyDay, "00:00", "12:00"), Self.period(.everyDay, "12:00", "24:00")])
        #expect(Self.days(always).changesOnExceptionsOnly)
        #expect(Self.changes(Self.days(always), before: 4000 * 86_400).isEmpty)
    }

    @Test("Hours before 1970 have the right weekday")
    func negative() throws {
        // 1969-12-29 was a Monday.
        let mondays = Self.days(try Schedule(periods: [Self.period(WeekdaySet([.monday]), "09:00", "10:00")]))
        #expect(mondays.contains(-3 * 86_400 + 9 * 3600) && !mondays.contains(-3 * 86_400 + 9 * 3600 - 1))
        #expect(mondays.nextChange(after: -9 * 86_400, before: 0) == -3 * 86_400 + 9 * 3600)
    }

    @Test("Only special days change a schedule that is always closed or always open, and closings behind them are found")
    func exceptionsOnly() throws {
        let date = CivilDate(daysSinceEpoch: Self.monday + 1000)
        let closed = Self.days(
            Schedule(periods: [], specialDays: [.init(date: date, periods: [try Self.hours("22:00", "24:00")])]))
        #expect(closed.changesOnExceptionsOnly)
        #expect(Self.changes(closed, before: 2000 * 86_400) == [Self.hour(1000, 22), Self.hour(1001, 0)])
        let open = Self.days(
            Schedule(periods: [try Self.period(.everyDay, "00:00", "24:00")], specialDays: [.init(date: date, periods: [])]))
        #expect(open.changesOnExceptionsOnly)
        #expect(Self.changes(open, before: 2000 * 86_400) == [Self.hour(1000, 0), Self.hour(1001, 0)])
        #expect(Self.changes(open, from: Self.hour(1000, 5), before: 2000 * 86_400) == [Self.hour(1001, 0)])
        #expect(Self.changes(open, from: Self.hour(1001, 5), before: 2000 * 86_400).isEmpty)
        let nights = Self.days(try Schedule(periods: [Self.period(.everyDay, "22:00", "06:00")]))
        #expect(!nights.changesOnExceptionsOnly)
    }

    @Test("Near the instants at which the table of days is no longer used, it agrees with the bounds of the hours as instants")
    func borders() throws {
        var generator = SeededGenerator(seed: 8)
        for name in ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "Pacific/Apia"] {
            let zone = try #require(TimeZoneDatabase.system.rules(of: name))
            var segment = zone.segment(at: 1_293_840_000)  // 2011, in which Apia skipped a day.
            for _ in 0..<12 where segment.end < .max {
                let days = (segment.start / 86_400 - 5)...(segment.start / 86_400 + 5)
                let schedule = Schedule.random(timeZone: nil, days: days, near: [0, 120, 180], using: &generator)
                let clock = ScheduleClock(schedule, in: zone)
                let stable = clock.stableInstants(of: segment)
                #expect(stable.isEmpty || (stable.lowerBound > segment.start && stable.upperBound < segment.end))
                for border in [stable.lowerBound, stable.upperBound, segment.start, segment.end] {
                    for distance in [-100_000, -3600, -2, -1, 0, 1, 3600, 100_000] as [Int64] {
                        Self.expectAgreement(clock, at: border + distance, "\(name) \(schedule)")
                    }
                }
                segment = zone.segment(at: segment.end)
            }
        }
    }

    private static func expectAgreement(_ clock: ScheduleClock, at instant: Int64, _ comment: Comment) {
        let exact = clock.containsNearTransition(instant, offset: clock.zone.offset(at: instant))
        #expect(clock.contains(instant) == exact, comment)
        // A limit before, within and after the change of the offset.
        for limit in [instant + 1, instant + 86_400, instant + 20 * 86_400] {
            let next = clock.nextChange(after: instant, before: limit)
            #expect(next == clock.nextChangeNearTransition(after: instant, before: limit), comment)
        }
    }

    @Test("Equal schedules of different accesses share one table, and a changed one has its own")
    func shared() throws {
        var recent = RecentValues<ScheduleHours>()
        func hours(_ schedule: Schedule) -> ScheduleHours {
            recent.shared(where: { $0.schedule == schedule }, orElse: ScheduleHours(schedule, ownZone: nil))
        }
        let office = try hours(Schedule(periods: [Self.period(.everyDay, "09:00", "17:00")]))
        #expect(try hours(Schedule(periods: [Self.period(.everyDay, "09:00", "17:00")])) === office)
        let longer = try hours(Schedule(periods: [Self.period(.everyDay, "09:00", "18:00")]))
        #expect(longer !== office)
        #expect(longer.days.contains(17 * 3600) && !office.days.contains(17 * 3600))
    }
}
