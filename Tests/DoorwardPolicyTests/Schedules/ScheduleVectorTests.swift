import DoorwardDomain
import Testing

@testable import DoorwardPolicy

/// The intervals of schedules around known changes of the clock, midnight and special days.
@Suite struct ScheduleVectorTests {
    struct Vector: CustomTestStringConvertible, Sendable {
        let name: String
        let zone: String
        let schedule: Schedule
        /// The window, in UTC.
        let window: (String, String)
        /// The expected intervals in UTC.
        let intervals: [(String, String)]

        init(
            _ name: String, _ zone: String, _ schedule: Schedule, in window: (String, String), _ intervals: [(String, String)]
        ) {
            (self.name, self.zone, self.schedule) = (name, zone, schedule)
            (self.window, self.intervals) = (window, intervals)
        }

        var testDescription: String { "\(zone): \(name)" }
    }

    static func daily(_ hours: String...) -> Schedule { Schedule(periods: hours.map { period(.everyDay, $0) }) }

    static func period(_ days: WeekdaySet, _ text: String) -> Schedule.Period {
        let hours = hours(text)
        return Schedule.Period(days: days, from: hours.from, until: hours.until)
    }

    /// Parses `hh:mm-hh:mm`.
    static func hours(_ text: String) -> Schedule.Hours {
        let times = text.split(separator: "-").compactMap { LocalTime(String($0)) }
        return Schedule.Hours(from: times[0], until: times[1])
    }

    static func special(_ date: String, _ hours: String...) -> Schedule.SpecialDay {
        Schedule.SpecialDay(date: CivilDate(date) ?? CivilDate(daysSinceEpoch: 0), periods: hours.map { Self.hours($0) })
    }

    static let fridayNight = period([.init([.friday])], "22:00-06:00")
    static let everyNight = period(.everyDay, "22:00-06:00")
    static let berlinGap = ("2027-03-27T22:00:00Z", "2027-03-28T21:00:00Z")
    static let berlinOverlap = ("2026-10-24T21:00:00Z", "2026-10-25T22:00:00Z")

    static let clockChanges = [
        Vector("a period in the gap is dropped", "Europe/Berlin", daily("02:15-02:45"), in: berlinGap, []),
        Vector(
            "a period over the gap is shorter", "Europe/Berlin", daily("01:30-03:30"), in: berlinGap,
            [("2027-03-28T00:30:00Z", "2027-03-28T01:30:00Z")]),
        Vector(
            "a period that ends in the gap ends with it", "Europe/Berlin", daily("01:30-02:30"), in: berlinGap,
            [("2027-03-28T00:30:00Z", "2027-03-28T01:00:00Z")]),
        Vector(
            "a period over the overlap is contiguous", "Europe/Berlin", daily("01:30-03:30"), in: berlinOverlap,
            [("2026-10-24T23:30:00Z", "2026-10-25T02:30:00Z")]),
        Vector(
            "a period within the overlap counts once", "Europe/Berlin", daily("02:15-02:45"), in: berlinOverlap,
            [("2026-10-25T00:15:00Z", "2026-10-25T00:45:00Z")]),
        Vector(
            "a period that ends after the repeated hour lasts two", "America/New_York", daily("01:30-02:30"),
            in: ("2026-11-01T04:00:00Z", "2026-11-01T20:00:00Z"), [("2026-11-01T05:30:00Z", "2026-11-01T07:30:00Z")]),
        Vector(
            "abutting periods share no instant and leave none out", "Europe/Berlin", daily("01:30-02:30", "02:30-03:30"),
            in: berlinOverlap, [("2026-10-24T23:30:00Z", "2026-10-25T02:30:00Z")]),
        Vector(
            "a gap of half an hour", "Australia/Lord_Howe", daily("01:45-02:15", "02:20-02:40"),
            in: ("2026-10-03T12:00:00Z", "2026-10-04T12:00:00Z"),
            [("2026-10-03T15:15:00Z", "2026-10-03T15:30:00Z"), ("2026-10-03T15:30:00Z", "2026-10-03T15:40:00Z")].merged),
        Vector(
            "a missing day has no hours", "Pacific/Apia", daily("09:00-17:00"),
            in: ("2011-12-29T04:00:00Z", "2012-01-01T00:00:00Z"),
            [
                ("2011-12-29T19:00:00Z", "2011-12-30T03:00:00Z"), ("2011-12-30T19:00:00Z", "2011-12-31T03:00:00Z"),
                ("2011-12-31T19:00:00Z", "2012-01-01T00:00:00Z"),
            ]),
        Vector(
            "the night before a missing day ends at the change", "Pacific/Apia",
            Schedule(periods: [period([.init([.thursday])], "22:00-06:00")]),
            in: ("2011-12-29T00:00:00Z", "2012-01-01T00:00:00Z"), [("2011-12-30T08:00:00Z", "2011-12-30T10:00:00Z")]),
        Vector(
            "the night of a missing day begins at the change", "Pacific/Apia",
            Schedule(periods: [period([.init([.friday])], "22:00-06:00")]),
            in: ("2011-12-29T00:00:00Z", "2012-01-01T00:00:00Z"), [("2011-12-30T10:00:00Z", "2011-12-30T16:00:00Z")]),
        Vector(
            "a midnight that does not exist", "America/Sao_Paulo", Schedule(periods: [period([.init([.sunday])], "00:00-06:00")]),
            in: ("2018-11-03T00:00:00Z", "2018-11-05T00:00:00Z"), [("2018-11-04T03:00:00Z", "2018-11-04T08:00:00Z")]),
        Vector(
            "a day of 25 hours, around the clock", "Europe/Berlin",
            Schedule(periods: [period([.init([.sunday])], "00:00-24:00")]),
            in: ("2026-10-24T00:00:00Z", "2026-10-27T00:00:00Z"), [("2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z")]),
        Vector(
            "a day of 23 hours, around the clock", "Europe/Berlin",
            Schedule(periods: [period([.init([.sunday])], "00:00-00:00")]),
            in: ("2027-03-27T00:00:00Z", "2027-03-30T00:00:00Z"), [("2027-03-27T23:00:00Z", "2027-03-28T22:00:00Z")]),
        Vector(
            "the month of Ramadan", "Africa/Casablanca", daily("02:15-03:15"),
            in: ("2027-03-13T12:00:00Z", "2027-03-15T12:00:00Z"),
            [("2027-03-14T02:00:00Z", "2027-03-14T02:15:00Z"), ("2027-03-15T01:15:00Z", "2027-03-15T02:15:00Z")]),
    ]

    static let days = [
        Vector(
            "several periods of a day, in any order", "Europe/Berlin", daily("14:00-18:00", "09:00-12:00", "11:00-13:00"),
            in: ("2026-11-24T00:00:00Z", "2026-11-24T23:00:00Z"),
            [("2026-11-24T08:00:00Z", "2026-11-24T12:00:00Z"), ("2026-11-24T13:00:00Z", "2026-11-24T17:00:00Z")]),
        Vector(
            "24:00 and 00:00 are the same end", "UTC", daily("20:00-24:00", "00:00-02:00"),
            in: ("2026-11-24T12:00:00Z", "2026-11-26T12:00:00Z"),
            [("2026-11-24T20:00:00Z", "2026-11-25T02:00:00Z"), ("2026-11-25T20:00:00Z", "2026-11-26T02:00:00Z")]),
        Vector(
            "an overnight period belongs to its first day", "UTC", Schedule(periods: [fridayNight]),
            in: ("2026-11-23T00:00:00Z", "2026-12-01T00:00:00Z"), [("2026-11-27T22:00:00Z", "2026-11-28T06:00:00Z")]),
        Vector(
            "the window clips the hours, to the millisecond", "UTC", daily("09:00-17:00"),
            in: ("2026-11-24T10:00:00.500Z", "2026-11-25T16:59:59.999Z"),
            [("2026-11-24T10:00:00.500Z", "2026-11-24T17:00:00Z"), ("2026-11-25T09:00:00Z", "2026-11-25T16:59:59.999Z")]),
        Vector(
            "a window without an open instant", "UTC", daily("09:00-17:00"), in: ("2026-11-24T17:00:00Z", "2026-11-25T09:00:00Z"),
            []),
        Vector(
            "around the clock, one interval", "Europe/Berlin", daily("00:00-12:00", "12:00-24:00"),
            in: ("2026-01-01T00:00:00Z", "2030-12-31T00:00:00Z"), [("2026-01-01T00:00:00Z", "2030-12-31T00:00:00Z")]),
        Vector(
            "week 53 and February 29", "UTC",
            Schedule(periods: [period([.init([.sunday])], "23:00-01:00"), period([.init([.tuesday])], "00:00-01:00")]),
            in: ("2027-01-03T00:00:00Z", "2027-01-05T12:00:00Z"),
            [("2027-01-03T23:00:00Z", "2027-01-04T01:00:00Z"), ("2027-01-05T00:00:00Z", "2027-01-05T01:00:00Z")]),
        Vector(
            "the day after February 29", "Europe/Berlin", Schedule(periods: [period([.init([.tuesday])], "22:00-06:00")]),
            in: ("2028-02-28T00:00:00Z", "2028-03-03T00:00:00Z"), [("2028-02-29T21:00:00Z", "2028-03-01T05:00:00Z")]),
        Vector(
            "the first seconds of 1970", "Europe/Berlin", daily("00:30-01:30"),
            in: ("1969-12-31T12:00:00Z", "1970-01-01T12:00:00Z"),
            [("1969-12-31T23:30:00Z", "1970-01-01T00:30:00Z")]),
        Vector(
            "the end of 32-bit time", "Europe/Berlin", daily("04:00-05:00"), in: ("2038-01-19T00:00:00Z", "2038-01-19T12:00:00Z"),
            [("2038-01-19T03:00:00Z", "2038-01-19T04:00:00Z")]),
        Vector(
            "an empty schedule has no hours", "UTC", Schedule(periods: []), in: ("2026-01-01T00:00:00Z", "2030-12-31T00:00:00Z"),
            []),
        Vector(
            "a period without days has no hours", "UTC", Schedule(periods: [period([], "09:00-17:00")]),
            in: ("2026-01-01T00:00:00Z", "2030-12-31T00:00:00Z"), []),
    ]

    /// 2026-11-27 is a Friday.
    static let week = ("2026-11-26T00:00:00Z", "2026-11-30T00:00:00Z")

    static func nights(_ special: Schedule.SpecialDay, _ cut: Schedule.SpecialDayCut, periods: [Schedule.Period] = [fridayNight])
        -> Schedule
    {
        Schedule(periods: periods, specialDays: [special], specialDayCut: cut)
    }

    static let specialDays = [
        Vector(
            "closing Saturday ends Friday's night at midnight", "UTC", nights(special("2026-11-28"), .instant), in: week,
            [("2026-11-27T22:00:00Z", "2026-11-28T00:00:00Z")]),
        Vector(
            "cut at the start, closing Saturday leaves Friday's night whole", "UTC", nights(special("2026-11-28"), .start),
            in: week,
            [("2026-11-27T22:00:00Z", "2026-11-28T06:00:00Z")]),
        Vector(
            "closing Friday leaves the hours of Saturday's date", "UTC", nights(special("2026-11-27"), .instant), in: week,
            [("2026-11-28T00:00:00Z", "2026-11-28T06:00:00Z")]),
        Vector(
            "cut at the start, closing Friday closes its whole night", "UTC", nights(special("2026-11-27"), .start), in: week, []),
        Vector(
            "hours of a special day replace the ordinary ones", "UTC",
            nights(special("2026-11-28", "10:00-11:00", "10:30-12:00"), .instant, periods: [period(.everyDay, "08:00-09:00")]),
            in: ("2026-11-27T12:00:00Z", "2026-11-29T12:00:00Z"),
            [("2026-11-28T10:00:00Z", "2026-11-28T12:00:00Z"), ("2026-11-29T08:00:00Z", "2026-11-29T09:00:00Z")]),
        Vector(
            "a special day's night runs into an ordinary day", "UTC",
            nights(special("2026-11-28", "20:00-04:00"), .instant, periods: []), in: week,
            [("2026-11-28T20:00:00Z", "2026-11-29T04:00:00Z")]),
        Vector(
            "a special day's night ends where another special day begins", "UTC",
            Schedule(periods: [], specialDays: [special("2026-11-29"), special("2026-11-28", "20:00-04:00")]), in: week,
            [("2026-11-28T20:00:00Z", "2026-11-29T00:00:00Z")]),
        Vector(
            "several entries of one date count together", "UTC",
            Schedule(periods: [], specialDays: [special("2026-11-28", "08:00-09:00"), special("2026-11-28", "09:00-10:00")]),
            in: week,
            [("2026-11-28T08:00:00Z", "2026-11-28T10:00:00Z")]),
        Vector(
            "midnight of a special day in the zone of the schedule", "Europe/Berlin",
            nights(special("2026-11-28"), .instant, periods: [everyNight]),
            in: ("2026-11-27T12:00:00Z", "2026-11-29T12:00:00Z"),
            [("2026-11-27T21:00:00Z", "2026-11-27T23:00:00Z"), ("2026-11-28T23:00:00Z", "2026-11-29T05:00:00Z")]),
        Vector(
            "a special day years ahead", "UTC", Schedule(periods: [], specialDays: [special("2030-06-01", "12:00-13:00")]),
            in: ("2026-01-01T00:00:00Z", "2030-12-31T00:00:00Z"), [("2030-06-01T12:00:00Z", "2030-06-01T13:00:00Z")]),
        Vector(
            "around the clock but for one day", "Europe/Berlin",
            Schedule(periods: [period(.everyDay, "00:00-24:00")], specialDays: [special("2029-06-01")]),
            in: ("2026-01-01T00:00:00Z", "2030-12-31T00:00:00Z"),
            [("2026-01-01T00:00:00Z", "2029-05-31T22:00:00Z"), ("2029-06-01T22:00:00Z", "2030-12-31T00:00:00Z")]),
    ]

    @Test("The intervals within a window, and every instant at their bounds", arguments: clockChanges + days + specialDays)
    func vector(_ vector: Vector) throws {
        let clock = ScheduleClock(vector.schedule, in: try #require(TimeZoneDatabase.system.rules(of: vector.zone)))
        let window = GuestWindow(
            validFrom: try Timestamp(rfc3339: vector.window.0), validUntil: try Timestamp(rfc3339: vector.window.1))
        let expected = try vector.intervals.map { try Timestamp(rfc3339: $0.0)..<Timestamp(rfc3339: $0.1) }
        #expect(clock.intervals(endingAfter: window.validFrom, in: window, count: 10) == expected)
        let bounds = expected.flatMap { [$0.lowerBound, $0.upperBound] } + [window.validFrom, window.validUntil]
        for instant in bounds.flatMap({ bound in [-1000, -1, 0, 1, 1000].map { bound.advanced(by: .milliseconds($0)) } })
        where window.contains(instant) {
            #expect(clock.contains(instant) == expected.contains { $0.contains(instant) }, "\(instant)")
            // The rest of the intervals, asked from within the window.
            let rest = expected.filter { $0.upperBound > instant }
            #expect(clock.intervals(endingAfter: instant, in: window, count: 10) == rest, "\(instant)")
            #expect(clock.intervals(endingAfter: instant, in: window, count: 1) == Array(rest.prefix(1)))
            if clock.contains(instant) {
                #expect(clock.nextClosing(after: instant, before: window.validUntil) == rest.first?.upperBound)
            } else {
                #expect(clock.nextChange(after: instant, before: window.validUntil) == rest.first?.lowerBound)
                #expect(clock.nextClosing(after: instant, before: window.validUntil) == instant)
            }
        }
    }

    @Test("A schedule is empty if no instant can be within it")
    func empty() {
        #expect(Schedule(periods: []).isEmpty)
        #expect(Schedule(periods: [Self.period([], "09:00-17:00")], specialDays: [Self.special("2026-12-25")]).isEmpty)
        #expect(!Self.daily("09:00-17:00").isEmpty)
        #expect(!Schedule(periods: [], specialDays: [Self.special("2026-12-25", "09:00-10:00")]).isEmpty)
    }
}

extension [(String, String)] {
    /// Two intervals that abut, as one.
    fileprivate var merged: Self { [(self[0].0, self[count - 1].1)] }
}
