import DoorwardDomain
import Testing

@Suite struct LocalTimeTests {
    @Test(
        "Texts of the clock are parsed, and written without seconds that are 0",
        arguments: [
            ("00:00", 0, "00:00"), ("09:05", 32_700, "09:05"), ("23:59", 86_340, "23:59"), ("24:00", 86_400, "24:00"),
            ("24:00:00", 86_400, "24:00"), ("07:00:30", 25_230, "07:00:30"), ("23:59:60", 86_399, "23:59:59"),
        ])
    func parsed(text: String, seconds: Int, written: String) throws {
        let time = try #require(LocalTime(text))
        #expect(Int(time.seconds) == seconds)
        #expect(time.description == written)
        #expect(LocalTime(written) == time)
    }

    @Test(
        "Other texts are not times",
        arguments: [
            "", "9:00", "09:0", "09:00:0", "09", "0900", "24:01", "24:00:01", "24:00:60", "25:00", "09:60", "09:00:61", "-1:00",
            "+9:00", " 09:00",
            "09:00 ", "09:00:00:00", "09::00", "09:00.5", "9am", "٠٩:٠٠", "09:00Z",
        ])
    func rejected(text: String) {
        #expect(LocalTime(text) == nil)
    }

    @Test("Every minute of a day is the time that its hour and minute give, in order")
    func everyMinute() throws {
        var last: LocalTime?
        for minute in 0...1440 {
            let time = try #require(LocalTime(hour: minute / 60, minute: minute % 60))
            #expect(Int(time.seconds) == minute * 60 && LocalTime(time.description) == time)
            if let last { #expect(last < time) }
            last = time
        }
        #expect(last == .endOfDay)
    }

    @Test("A set of weekdays contains the days it was made of, by the calendar")
    func weekdays() {
        // 2026-11-23 was a Monday.
        let monday: Int64 = 20_780
        for mask in UInt8(0)..<128 {
            let set = WeekdaySet(rawValue: mask)
            #expect(WeekdaySet(set.days) == set)
            for (index, weekday) in Weekday.allCases.enumerated() {
                for week in [-3000, -1, 0, 1, 5000] as [Int64] {
                    #expect(set.contains(day: monday + Int64(index) + 7 * week) == set.days.contains(weekday))
                }
            }
        }
        #expect(WeekdaySet.everyDay.days == Weekday.allCases)
        #expect(Weekday.allCases.map(\.rawValue) == ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"])
    }

    @Test(
        "Local dates and times are parsed with and without seconds",
        arguments: [
            ("2026-12-24T15:00", "2026-12-24T15:00:00", 0), ("2026-12-24t15:00:30", "2026-12-24T15:00:30", 0),
            ("2026-12-24T15:00:30.25", "2026-12-24T15:00:30", 250), ("2026-12-31T24:00", "2027-01-01T00:00:00", 0),
            ("2024-02-29T00:00:00.9999", "2024-02-29T00:00:00", 999), ("1969-12-31T23:59:59.001", "1969-12-31T23:59:59", 1),
        ])
    func localDateTime(text: String, written: String, fraction: Int) throws {
        let local = try #require(LocalDateTime(text))
        #expect(local.description == written)
        #expect(((local.milliseconds % 1000) + 1000) % 1000 == Int64(fraction))
        #expect(local.date.description == written.prefix(10))
    }

    @Test(
        "A text with an offset, and any other text, is not a local time",
        arguments: [
            "", "2026-12-24", "15:00", "2026-12-24 15:00", "2026-12-24T15:00Z", "2026-12-24T15:00:00+01:00", "2026-02-29T15:00",
            "2026-12-24T24:01", "2026-12-24T15", "2026-12-24T15:00.5", "2026-12-24T24:00:00.5", "2026-12-24T15:00:00.", "T15:00",
            "2026-12-24T15:00:00.1Z",
        ])
    func notLocal(text: String) {
        #expect(LocalDateTime(text) == nil)
    }

    @Test("Dates are parsed, and only those that exist", arguments: ["2026-11-24", "2024-02-29", "0001-01-01", "9999-12-31"])
    func dates(text: String) throws {
        #expect(try #require(CivilDate(text)).description == text)
        for wrong in ["2026-02-29", "2026-13-01", "2026-00-10", "2026-1-1", "2026-11-24T", " 2026-11-24", "20261124", ""] {
            #expect(CivilDate(wrong) == nil)
        }
    }
}
