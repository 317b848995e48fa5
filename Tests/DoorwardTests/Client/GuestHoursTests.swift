import ArgumentParser
import DoorwardDomain
import Testing

@testable import DoorwardAPI
@testable import doorward

@Suite("The recurring hours of a guest access on the command line") struct GuestHoursTests {
    @Test(
        "days are names, parts of names of three letters, and ranges, which may run over Sunday",
        arguments: [
            ("MON,TUE", "MON TUE"), ("mon-fri,sun", "MON TUE WED THU FRI SUN"), ("Saturday, sunday", "SAT SUN"),
            ("fri-mon", "MON FRI SAT SUN"), ("tues,thurs", "TUE THU"), ("sun-sun", "SUN"),
            ("mon-sun", "MON TUE WED THU FRI SAT SUN"),
            ("wed,WED,wednesday", "WED"), ("mon - wed", "MON TUE WED"),
        ])
    func days(_ text: String, _ words: String) throws {
        #expect(try DaysArgument(text).words.joined(separator: " ") == words)
    }

    @Test("the words in which each set of days is shown are accepted as --days for the same set")
    func everySet() throws {
        for set in 1..<127 {
            let days = WeekdaySet(rawValue: UInt8(set)).days.map(\.rawValue)
            let shown = Wire.Schedule(timeZone: nil, periods: [.init(days: days, from: "09:00", until: "10:00")]).words
            let words = try #require(shown.wholeMatch(of: #/(.*) 09:00-10:00/#)).1
            #expect(try DaysArgument(String(words)).words == days, "\(shown)")
        }
    }

    @Test(
        "hours are one period or several, also over midnight and to 24:00",
        arguments: [
            ("09:00-17:00", ["09:00-17:00"]), ("9:00-12:00,13:00-17:30", ["09:00-12:00", "13:00-17:30"]),
            ("22:00-06:00", ["22:00-06:00"]), ("18:00 - 24:00", ["18:00-24:00"]), ("09:00-09:00", ["09:00-09:00"]),
            ("00:00-24:00", ["00:00-24:00"]), ("09:00:30-10:00", ["09:00:30-10:00"]),
        ])
    func hours(_ text: String, _ periods: [String]) throws {
        let hours = try HoursArgument(text)
        #expect(hours.periods.map { "\($0.from)-\($0.until)" } == periods)
    }

    private func message(_ option: String, _ text: String, of command: [String]) throws -> String {
        let arguments = command + [option, text]
        let error = try #require(throws: (any Error).self) { _ = try Doorward.parseAsRoot(arguments) }
        let exit = Exit(of: error, arguments: arguments)
        #expect(exit.code == 2)
        return exit.message
    }

    @Test(
        "a wrong day, period or number is reported with what to type instead",
        arguments: [
            ("--days", "MON,FOO", "`FOO` is not a day. The days are MON, TUE, WED, THU, FRI, SAT, SUN."),
            ("--days", "mondya", "`mondya` is not a day. Did you mean `monday`? The days are "),
            ("--days", "", "`` is not a day. "), ("--days", "mon,", "`` is not a day. "), ("--days", "mo", "`mo` is not a day. "),
            ("--days", "mon-wed-fri", "`mon-wed-fri` is not a range of days. Give its first and last day, as in mon-fri."),
            ("--days", "mon..fri", "`mon..fri` is not a day. "),
            ("--hours", "9-17", "`9-17` is not a period. Give its start and end, as in 09:00-17:00."),
            ("--hours", "09:00", "`09:00` is not a period. "), ("--hours", "", "`` is not a period. "),
            ("--hours", "09:00-12:00,", "`` is not a period. "), ("--hours", "09:00-12:00-13:00", " is not a period. "),
            (
                "--hours", "09:00-25:00",
                "`25:00` is not a time of day. A clock shows 00:00 to 23:59, and 24:00 is the end of a day."
            ),
            ("--hours", "24:00-06:00", "`24:00-06:00` does not begin on its day. Begin the period at 00:00 of the next day."),
            ("--max-uses", "0", "--max-uses takes a number from 1 to 1000000."),
            ("--max-uses", "1000001", "--max-uses takes a number from 1 to 1000000."),
            ("--max-uses", "two", "'two' is invalid for"),
        ])
    func wrong(_ option: String, _ text: String, _ expected: String) throws {
        for command in [["grant", "g", "door", "--from", "now", "--until", "+1h"], ["change", "g"]] {
            let message = try message(option, text, of: command)
            #expect(message.contains(expected), "\(message)")
        }
    }

    @Test("days alone are whole days, hours alone are those of every day")
    func defaults() throws {
        let days = Wire.Schedule(days: try DaysArgument("mon"), hours: nil, timeZone: nil)
        #expect(days.periods == [.init(days: ["MON"], from: "00:00", until: "24:00")])
        let hours = Wire.Schedule(days: nil, hours: try HoursArgument("22:00-06:00"), timeZone: "Europe/Rome")
        #expect(hours.periods.map(\.days.count) == [7])
        #expect(hours.timeZone == "Europe/Rome")
        #expect(hours.words == "daily 22:00-06:00")
    }

    @Test("a change of the days keeps the hours, one of the hours keeps the days, and both keep the special days")
    func changes() throws {
        let old = Wire.Schedule(
            timeZone: "Europe/Rome",
            periods: [
                .init(days: ["MON", "THU"], from: "09:00", until: "12:00"),
                .init(days: ["THU", "MON"], from: "14:00", until: "18:00"),
            ],
            specialDays: [.init(date: "2026-12-25", periods: [])], specialDayCut: "start")
        let days = try #require(old.changed(days: DaysArgument("sat"), hours: nil, timeZone: nil))
        #expect(days.words == "Sat 09:00-12:00, 14:00-18:00; 2026-12-25 closed")
        let hours = try #require(old.changed(days: nil, hours: HoursArgument("8:00-9:00"), timeZone: "Europe/Berlin"))
        #expect(hours.words == "Mon, Thu 08:00-09:00; 2026-12-25 closed")
        #expect(hours.timeZone == "Europe/Berlin" && hours.specialDayCut == "start" && days.timeZone == "Europe/Rome")
        let both = try #require(old.changed(days: DaysArgument("sat-sun"), hours: HoursArgument("8:00-9:00"), timeZone: nil))
        #expect(both.words == "Sat, Sun 08:00-09:00; 2026-12-25 closed")
    }

    @Test("hours that differ from day to day are changed only as a whole; a schedule without hours gets new ones")
    func uneven() throws {
        let old = Wire.Schedule(
            timeZone: nil,
            periods: [.init(days: ["MON"], from: "09:00", until: "12:00"), .init(days: ["TUE"], from: "14:00", until: "18:00")])
        #expect(old.words == "Mon 09:00-12:00; Tue 14:00-18:00")
        #expect(old.changed(days: try DaysArgument("sat"), hours: nil, timeZone: nil) == nil)
        #expect(old.changed(days: nil, hours: try HoursArgument("8:00-9:00"), timeZone: nil) == nil)
        #expect(
            old.changed(days: try DaysArgument("sat"), hours: try HoursArgument("8:00-9:00"), timeZone: nil)?.words
                == "Sat 08:00-09:00")
        let empty = Wire.Schedule(timeZone: nil, periods: [])
        #expect(empty.words == "never")
        #expect(empty.changed(days: nil, hours: try HoursArgument("8:00-9:00"), timeZone: nil)?.words == "daily 08:00-09:00")
    }

    @Test("a special day is shown with its hours, and unknown words of the gateway do no harm")
    func special() {
        let schedule = Wire.Schedule(
            timeZone: nil, periods: [.init(days: ["FRI", "SAT", "SUN"], from: "00:00", until: "24:00")],
            specialDays: [
                .init(date: "2026-12-24", periods: [.init(from: "08:00", until: "10:00"), .init(from: "20:00", until: "02:00")])
            ])
        #expect(schedule.words == "Fri-Sun 00:00-24:00; 2026-12-24 08:00-10:00, 20:00-02:00")
        let hostile = Wire.Schedule(timeZone: nil, periods: [.init(days: ["\u{1B}[2J"], from: "\u{1B}", until: "x")])
        #expect(!hostile.words.contains("\u{1B}"))
    }
}
