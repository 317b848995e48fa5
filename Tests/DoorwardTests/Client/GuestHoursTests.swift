import ArgumentParser
import DoorwardDomain
import Testing

@testable import DoorwardClient
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
        #expect(try WeekdaySet(typed: text).words.joined(separator: " ") == words)
    }

    @Test("the words in which each set of days is shown are accepted as --days for the same set")
    func everySet() throws {
        for set in 1..<127 {
            let days = WeekdaySet(rawValue: UInt8(set)).days.map(\.rawValue)
            let shown = Doorward.GuestAccess.Schedule(timeZone: nil, periods: [.init(days: days, from: "09:00", until: "10:00")])
                .words
            let words = try #require(shown.wholeMatch(of: #/(.*) 09:00-10:00/#)).1
            #expect(try WeekdaySet(typed: String(words)).words == days, "\(shown)")
        }
    }

    @Test(
        "hours are one period or several, also over midnight and to 24:00",
        arguments: [
            ("09:00-17:00", ["09:00-17:00"]), ("9:00-12:00,13:00-17:30", ["09:00-12:00", "13:00-17:30"]),
            ("22:00-06:00", ["22:00-06:00"]), ("18:00 - 24:00", ["18:00-24:00"]), ("09:00-09:00", ["09:00-09:00"]),
            ("00:00-24:00", ["00:00-24:00"]), ("09:00:30-10:00", ["09:00:30-10:00"]),
            ("9am-5pm", ["09:00-17:00"]), ("9:30 AM - 12 pm, 1PM-12am", ["09:30-12:00", "13:00-00:00"]),
        ])
    func hours(_ text: String, _ periods: [String]) throws {
        let hours = try HoursArgument(text)
        #expect(hours.days == nil && hours.periods.map { "\($0.from)-\($0.until)" } == periods)
    }

    @Test(
        "hours may have days of their own before them",
        arguments: [
            ("mon-fri 09:00-12:00,13:00-17:00", "MON TUE WED THU FRI", ["09:00-12:00", "13:00-17:00"]),
            ("sat, sun 10:00-12:00", "SAT SUN", ["10:00-12:00"]), ("mon-fri 9am-5pm", "MON TUE WED THU FRI", ["09:00-17:00"]),
            ("FRI 22:00-06:00", "FRI", ["22:00-06:00"]),
            ("  tue  9:00 - 10:00 ", "TUE", ["09:00-10:00"]), ("fri-mon,wed 18:00-24:00", "MON WED FRI SAT SUN", ["18:00-24:00"]),
        ])
    func hoursOfDays(_ text: String, _ days: String, _ periods: [String]) throws {
        let hours = try HoursArgument(text)
        #expect(hours.days?.words.joined(separator: " ") == days)
        #expect(hours.periods.map { "\($0.from)-\($0.until)" } == periods)
    }

    @Test(
        "a special day is a date with its hours, or closed",
        arguments: [
            ("2026-12-24=09:00-12:00", "Thu 2026-12-24 09:00-12:00"), ("2026-12-25=closed", "Fri 2026-12-25 closed"),
            ("2028-02-29 = 9:00-12:00, 20:00-02:00", "Tue 2028-02-29 09:00-12:00, 20:00-02:00"),
            ("2026-12-27=CLOSED", "Sun 2026-12-27 closed"), ("2026-12-26=00:00-24:00", "Sat 2026-12-26 00:00-24:00"),
        ])
    func specialDay(_ text: String, _ shown: String) throws {
        let schedule = Doorward.GuestAccess.Schedule(RecurringHours(special: [try .init(typed: text)]), timeZone: nil)
        #expect(schedule.specialWords == [shown])
        #expect(schedule.words == "daily 00:00-24:00; \(shown.dropFirst(4))", "ordinary days are open")
    }

    @Test("the words in which hours are shown are accepted for the same hours, for each set of days and several special days")
    func shownIsAccepted() throws {
        for set in 1..<127 {
            let (some, others) = (WeekdaySet(rawValue: UInt8(set)).days, WeekdaySet(rawValue: UInt8(127 - set)).days)
            let old = Doorward.GuestAccess.Schedule(
                timeZone: nil,
                periods: [
                    .init(days: some.map(\.rawValue), from: "09:00", until: "12:00"),
                    .init(days: some.map(\.rawValue), from: "22:00", until: "06:00:30"),
                    .init(days: others.map(\.rawValue), from: "00:00", until: "24:00"),
                ],
                specialDays: [
                    .init(
                        date: "2026-12-24", periods: [.init(from: "08:00", until: "10:00"), .init(from: "20:00", until: "02:00")]),
                    .init(date: "2026-12-25", periods: []),
                ])
            let regular = try #require(old.regularWords).split(separator: "; ").flatMap { ["--hours", String($0)] }
            let special = old.specialWords.flatMap { words in
                let parts = words.split(separator: " ", maxSplits: 2)
                return ["--special", "\(parts[1])=\(parts[2])"]
            }
            let command = try DoorwardCommand.parseAsRoot(
                ["grant", "g", "door", "--from", "now", "--until", "+1h"] + regular + special)
            let limits = try #require(command as? Grant).limits
            #expect(Doorward.GuestAccess.Schedule(limits.recurring, timeZone: nil) == old, "\(old.words)")
        }
    }

    private func message(_ option: String, _ text: String, of command: [String]) throws -> String {
        let arguments = command + [option, text]
        let error = try #require(throws: (any Error).self) { _ = try DoorwardCommand.parseAsRoot(arguments) }
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
            (
                "--hours", "mon-fri",
                "`mon-fri` has no hours. Give them after the days, as in \"mon-fri 09:00-17:00\", or use --days."
            ),
            ("--hours", "closed", "`closed` is not a period. Give its start and end, as in 09:00-17:00."),
            ("--hours", "mon-foo 09:00-12:00", "`foo` is not a day. "), ("--hours", "mon, 09:00-12:00", "`` is not a day. "),
            ("--hours", "mon 09:00", "`09:00` is not a period. Give its start and end"),
            (
                "--hours", "mon 09:00-12:00, sat 10:00-11:00",
                "`sat 10:00-11:00` is not a period. Use --hours once more for other days."
            ),
            (
                "--special", "2026-12-24",
                "`2026-12-24` has no hours. Give a date and its hours, as in 2026-12-24=09:00-12:00 or 2026-12-25=closed."
            ),
            ("--special", "2026-12-24=", "`2026-12-24=` has no hours. "), ("--special", "", "`` has no hours. "),
            ("--special", "2026-02-29=closed", "`2026-02-29` is not a date. There is no such day in the calendar."),
            ("--special", "24.12.2026=closed", "`24.12.2026` is not a date. Give year, month and day, as in 2026-12-24="),
            ("--special", "tomorrow=closed", "`tomorrow` is not a date. Give year, month and day, "),
            ("--special", "=closed", "`` is not a date. "),
            ("--special", "2026-12-24=open", "`open` is not a period. Give periods or `closed`, as in "),
            ("--special", "2026-12-24=mon 09:00-10:00", "`mon 09:00-10:00` is not a period. Give periods or `closed`"),
            ("--special", "2026-12-24=9-12", "`9-12` is not a period. "),
            ("--special", "2026-12-24=09:00-25:00", "`25:00` is not a time of day. "),
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

    @Test(
        "options that contradict each other are reported with what to type instead",
        arguments: [
            (["--days", "mon", "--hours", "tue 09:00-12:00"], "--days cannot be combined with --hours that name days, as in "),
            (["--hours", "sat 9:00-10:00", "--hours", "13:00-14:00"], "Name the days of every --hours or of none, as in "),
            (
                ["--special", "2026-12-24=closed", "--special", "2026-12-24=09:00-10:00"],
                "--special names 2026-12-24 twice. Give all hours of a date at once, as in 2026-12-24=09:00-12:00,14:00-16:00."
            ),
        ])
    func contradictions(_ options: [String], _ expected: String) throws {
        for command in [["grant", "g", "door", "--from", "now", "--until", "+1h"], ["change", "g"]] {
            let message = try message(options[options.count - 2], options[options.count - 1], of: command + options.dropLast(2))
            #expect(message.contains(expected), "\(message)")
        }
    }

    @Test("removing all special days, or all hours, excludes options that set some")
    func removals() throws {
        #expect(
            try message("--special", "2026-12-24=closed", of: ["change", "g", "--no-special"]).contains(
                "--no-special cannot be combined with --special."))
        for option in [["--special", "2026-12-24=closed"], ["--hours", "mon 09:00-10:00"], ["--days", "mon"]] {
            #expect(
                try message(option[0], option[1], of: ["change", "g", "--any-hours"]).contains(
                    "--any-hours cannot be combined with --days, --hours, --special and --no-special."))
        }
    }

    private func hours(_ texts: String..., days: String? = nil, special: [String]? = nil) throws -> RecurringHours {
        RecurringHours(
            days: try days.map { try WeekdaySet(typed: $0) }, hours: try texts.map(HoursArgument.init),
            special: try special.map { try $0.map(Doorward.GuestAccess.SpecialDay.init(typed:)) })
    }

    @Test("days alone are whole days, hours alone are those of every day")
    func defaults() throws {
        let days = Doorward.GuestAccess.Schedule(try hours(days: "mon"), timeZone: nil)
        #expect(days.periods == [.init(days: ["MON"], from: "00:00", until: "24:00")])
        let hours = Doorward.GuestAccess.Schedule(try hours("22:00-06:00"), timeZone: "Europe/Rome")
        #expect(hours.periods.map(\.days.count) == [7])
        #expect(hours.timeZone == "Europe/Rome")
        #expect(hours.words == "daily 22:00-06:00")
    }

    @Test("a change of the days keeps the hours, one of the hours keeps the days, and both keep the special days")
    func changes() throws {
        let old = Doorward.GuestAccess.Schedule(
            timeZone: "Europe/Rome",
            periods: [
                .init(days: ["MON", "THU"], from: "09:00", until: "12:00"),
                .init(days: ["THU", "MON"], from: "14:00", until: "18:00"),
            ],
            specialDays: [.init(date: "2026-12-25", periods: [])], specialDayCut: "start")
        let days = try #require(old.changed(by: try hours(days: "sat"), timeZone: nil))
        #expect(days.words == "Sat 09:00-12:00, 14:00-18:00; 2026-12-25 closed")
        let changed = try #require(old.changed(by: try hours("8:00-9:00"), timeZone: "Europe/Berlin"))
        #expect(changed.words == "Mon, Thu 08:00-09:00; 2026-12-25 closed")
        #expect(changed.timeZone == "Europe/Berlin" && changed.specialDayCut == "start" && days.timeZone == "Europe/Rome")
        let both = try #require(old.changed(by: try hours("8:00-9:00", days: "sat-sun"), timeZone: nil))
        #expect(both.words == "Sat, Sun 08:00-09:00; 2026-12-25 closed")
    }

    @Test("hours that differ from day to day are changed only as a whole; a schedule without hours gets new ones")
    func uneven() throws {
        let old = Doorward.GuestAccess.Schedule(
            timeZone: nil,
            periods: [.init(days: ["MON"], from: "09:00", until: "12:00"), .init(days: ["TUE"], from: "14:00", until: "18:00")])
        #expect(old.words == "Mon 09:00-12:00; Tue 14:00-18:00")
        #expect(old.changed(by: try hours(days: "sat"), timeZone: nil) == nil)
        #expect(old.changed(by: try hours("8:00-9:00"), timeZone: nil) == nil)
        #expect(old.changed(by: try hours("8:00-9:00", days: "sat"), timeZone: nil)?.words == "Sat 08:00-09:00")
        #expect(
            old.changed(by: try hours("mon 8:00-9:00", "sun 10:00-11:00,12:00-13:00"), timeZone: nil)?.words
                == "Mon 08:00-09:00; Sun 10:00-11:00, 12:00-13:00", "hours with days replace all")
        let empty = Doorward.GuestAccess.Schedule(timeZone: nil, periods: [])
        #expect(empty.words == "never")
        #expect(empty.changed(by: try hours("8:00-9:00"), timeZone: nil)?.words == "daily 08:00-09:00")
    }

    @Test("special days are replaced as a whole, without a change of the hours; an empty list removes them")
    func specialDays() throws {
        let old = Doorward.GuestAccess.Schedule(
            timeZone: "Europe/Rome",
            periods: [.init(days: ["MON"], from: "09:00", until: "12:00"), .init(days: ["TUE"], from: "14:00", until: "18:00")],
            specialDays: [.init(date: "2026-12-25", periods: [])], specialDayCut: "start")
        let changed = try #require(
            old.changed(by: try hours(special: ["2026-12-24=9:00-12:00", "2027-01-01=closed"]), timeZone: nil))
        #expect(changed.words == "Mon 09:00-12:00; Tue 14:00-18:00; 2026-12-24 09:00-12:00; 2027-01-01 closed")
        #expect(changed.specialDayCut == "start" && changed.timeZone == "Europe/Rome")
        #expect(old.changed(by: try hours(special: []), timeZone: nil)?.words == "Mon 09:00-12:00; Tue 14:00-18:00")
        let never = Doorward.GuestAccess.Schedule(timeZone: nil, periods: [])
        #expect(
            never.changed(by: try hours(special: ["2026-12-24=9:00-12:00"]), timeZone: nil)?.words == "2026-12-24 09:00-12:00")
    }

    @Test("a special day is shown with its hours, and unknown words of the gateway do no harm")
    func special() {
        let schedule = Doorward.GuestAccess.Schedule(
            timeZone: nil, periods: [.init(days: ["FRI", "SAT", "SUN"], from: "00:00", until: "24:00")],
            specialDays: [
                .init(date: "2026-12-24", periods: [.init(from: "08:00", until: "10:00"), .init(from: "20:00", until: "02:00")])
            ])
        #expect(schedule.words == "Fri-Sun 00:00-24:00; 2026-12-24 08:00-10:00, 20:00-02:00")
        let hostile = Doorward.GuestAccess.Schedule(
            timeZone: nil, periods: [.init(days: ["\u{1B}[2J"], from: "\u{1B}", until: "x")])
        #expect(!hostile.words.contains("\u{1B}"))
        let date = Doorward.GuestAccess.Schedule(
            timeZone: nil, periods: [],
            specialDays: [.init(date: "\u{1B}[2J", periods: [.init(from: "\u{1B}", until: "x")])])
        #expect(!date.words.contains("\u{1B}") && !date.specialWords.joined().contains("\u{1B}"))
    }
}
