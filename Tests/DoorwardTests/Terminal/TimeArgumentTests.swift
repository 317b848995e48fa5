import DoorwardDomain
import Glibc
import Testing

@testable import doorward

/// The tests work in any time zone: expected local times are computed in the zone of the tests.
@Suite("Times on the command line") struct TimeArgumentTests {
    /// Noon on a day in January, far from any change of daylight saving time.
    private let now: Timestamp

    init() throws { now = TimeZoneRules.user.resolve(try #require(LocalDateTime("2030-01-15T12:00"))).instant }

    private func instant(_ text: String, start: Timestamp? = nil) throws -> Timestamp {
        try TimeArgument(text, option: "--from").instant(now: now, start: start)
    }

    @Test(
        "wall-clock times are read as local times",
        arguments: [
            ("2030-02-03 18:05", "2030-02-03T18:05"),
            ("2030-02-03T18:05:09", "2030-02-03T18:05:09"),
            ("2030-02-03", "2030-02-03T00:00"),
            ("18:00", "2030-01-15T18:00"),
            ("9:30", "2030-01-15T09:30"),
            ("today 9:30", "2030-01-15T09:30"),
            ("Tomorrow 9:00", "2030-01-16T09:00"),
            ("tomorrow", "2030-01-16T00:00"),
            ("yesterday 23:59", "2030-01-14T23:59"),
            ("24:00", "2030-01-16T00:00"),
            ("2030-12-31 24:00", "2031-01-01T00:00"),
            ("6pm", "2030-01-15T18:00"),
            ("12am", "2030-01-15T00:00"),
            ("tomorrow 12:30 PM", "2030-01-16T12:30"),
            ("friday 9:00", "2030-01-18T09:00"),
            ("Mon", "2030-01-21T00:00"),
            ("tues 15:00", "2030-01-22T15:00"),
            ("  tomorrow   9:00 ", "2030-01-16T09:00"),
        ])
    func wallClock(_ text: String, _ time: String) throws {
        #expect(TimeZoneRules.user.local(at: try instant(text)) == LocalDateTime(time))
    }

    @Test(
        "an instant with an offset is accepted with and without seconds",
        arguments: [
            "2030-01-01T18:00:00+01:00", "2030-01-01T18:00+01:00", "2030-01-01 18:00 +01:00", "2030-01-01t17:00z",
            "2030-01-01 17:00:00.000Z", "2030-01-01T8:00-09:00",
        ])
    func exact(_ text: String) throws {
        #expect(try instant(text).description == "2030-01-01T17:00:00.000Z")
    }

    @Test("`now` is the present time, also if there is a start")
    func present() throws {
        #expect(try instant("now") == now)
        #expect(try instant("Now", start: now.advanced(by: .seconds(60))) == now)
    }

    @Test(
        "a day or a time of day that does not exist is named as such",
        arguments: ["25:00", "24:01", "12:60", "2030-02-29", "2030-13-01 12:00", "tomorrow 99:00"])
    func missing(_ text: String) {
        let failure = #expect(throws: CommandFailure.self) { try instant(text) }
        #expect(failure?.sentence.hasPrefix("--from: `\(text)` does not exist: ") == true, "\(failure?.sentence ?? "")")
    }

    @Test(
        "a duration with a sign is added to the present time",
        arguments: [
            ("+2h", 7200), ("+90s", 90), ("+1h30m", 5400), ("+3d", 259_200), ("+1w", 604_800), ("-2h", -7200),
            ("-1d12h", -129_600),
        ])
    func lengths(_ text: String, _ seconds: Int) throws {
        #expect(try instant(text) == now.advanced(by: .seconds(seconds)))
    }

    @Test("a positive duration counts from the start if there is one, a negative one always from now")
    func start() throws {
        let start = now.advanced(by: .seconds(1000))
        #expect(try instant("+2h", start: start) == start.advanced(by: .seconds(7200)))
        #expect(try instant("-2h", start: start) == now.advanced(by: .seconds(-7200)))
    }

    @Test(
        "any other text is wrong usage, and the error names the option",
        arguments: [
            "", " ", "soon", "18", "2h", "+2", "+h", "+2y", "18:0", "2030-2-3", "2030-01-01T18:00:00+01", "tomorrow morning",
            "12:60", "12:00:60", "2030-13-01", "2030-02-29", "2030-00-10", "+9999999h", "\u{1B}[2J", "13pm", "0am", "fr 9:00",
            "frisday", "2030-01-01 18:00+25", "2030-01-01x", "now 9:00", "2030-01-01T25:00+01:00",
        ])
    func wrong(_ text: String) {
        let failure = #expect(throws: CommandFailure.self) { try instant(text) }
        #expect(failure?.code == 2)
        #expect(failure?.sentence.hasPrefix("--from: `\(text.printable)` ") == true)
    }

    @Test("a time on a clock is shown with a space, with the day of the week, or short")
    func shown() throws {
        let (time, exact) = (try #require(LocalDateTime("2026-11-21T18:00")), try #require(LocalDateTime("2026-11-02T08:00:05")))
        #expect(time.shown == "2026-11-21 18:00:00" && time.withDay == "Sat 2026-11-21 18:00")
        #expect(exact.withDay == "Mon 2026-11-02 08:00:05" && exact.short(in: 2026, withSeconds: true) == "Nov 02 08:00:05")
        #expect(time.short(in: 2026, withSeconds: false) == "Nov 21 18:00")
        #expect(time.short(in: 2027, withSeconds: false) == "2026-11-21 18:00")
    }

    @Test("the clock of the user is that of the C library", arguments: [0, 1_000_000_000, 1_900_000_000, -86_400])
    func clock(_ seconds: Int64) {
        var (time, fields) = (time_t(seconds), tm())
        localtime_r(&time, &fields)
        #expect(TimeZoneRules.user.offset(at: seconds) == Int64(fields.tm_gmtoff))
    }
}
