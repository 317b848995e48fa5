import DoorwardDomain
import Testing

@testable import doorward

/// DoorwardDomain has a type of this name too.
typealias LocalTime = doorward.LocalTime

/// The tests work in any time zone: expected local times are computed in the zone of the tests.
@Suite("Times on the command line") struct TimeArgumentTests {
    /// Noon on a day in January, far from any change of daylight saving time.
    private let now: Timestamp

    init() throws { now = try #require(LocalTime(year: 2030, month: 1, day: 15, hour: 12).instants.first) }

    private func instant(_ text: String, start: Timestamp? = nil) throws -> Timestamp {
        try TimeArgument(text, option: "--from").instant(now: now, start: start)
    }

    @Test(
        "wall-clock times are read as local times",
        arguments: [
            ("2030-02-03 18:05", LocalTime(year: 2030, month: 2, day: 3, hour: 18, minute: 5)),
            ("2030-02-03T18:05:09", LocalTime(year: 2030, month: 2, day: 3, hour: 18, minute: 5, second: 9)),
            ("2030-02-03", LocalTime(year: 2030, month: 2, day: 3)),
            ("18:00", LocalTime(year: 2030, month: 1, day: 15, hour: 18)),
            ("9:30", LocalTime(year: 2030, month: 1, day: 15, hour: 9, minute: 30)),
            ("today 9:30", LocalTime(year: 2030, month: 1, day: 15, hour: 9, minute: 30)),
            ("Tomorrow 9:00", LocalTime(year: 2030, month: 1, day: 16, hour: 9)),
            ("tomorrow", LocalTime(year: 2030, month: 1, day: 16)),
            ("yesterday 23:59", LocalTime(year: 2030, month: 1, day: 14, hour: 23, minute: 59)),
            ("24:00", LocalTime(year: 2030, month: 1, day: 16)),
            ("2030-12-31 24:00", LocalTime(year: 2031, month: 1, day: 1)),
            ("6pm", LocalTime(year: 2030, month: 1, day: 15, hour: 18)),
            ("12am", LocalTime(year: 2030, month: 1, day: 15)),
            ("tomorrow 12:30 PM", LocalTime(year: 2030, month: 1, day: 16, hour: 12, minute: 30)),
            ("friday 9:00", LocalTime(year: 2030, month: 1, day: 18, hour: 9)),
            ("Mon", LocalTime(year: 2030, month: 1, day: 21)),
            ("tues 15:00", LocalTime(year: 2030, month: 1, day: 22, hour: 15)),
            ("  tomorrow   9:00 ", LocalTime(year: 2030, month: 1, day: 16, hour: 9)),
        ])
    func wallClock(_ text: String, _ time: LocalTime) throws {
        #expect(LocalTime(try instant(text)) == time)
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

    @Test(
        "the local time of an instant can be converted back to the instant",
        arguments: [0, 1, 1_000_000_000, 1_900_000_000, -86_400])
    func roundTrip(_ seconds: Int64) {
        let instant = Timestamp(milliseconds: seconds * 1000)
        #expect(LocalTime(instant).instants.contains(instant))
    }
}
