import ArgumentParser
import DoorwardDomain
import Testing

@testable import doorward

@Suite("The window of a guest access on the command line") struct WindowTimesTests {
    /// 23:30 UTC on a Saturday: the next day has begun in Berlin, not yet in New York.
    private let now: Timestamp

    init() throws { now = try Timestamp(rfc3339: "2026-11-21T23:30:00Z") }

    private func resolved(_ from: String, _ until: String, in zone: String?) throws -> (
        WindowTimes.Resolved?, WindowTimes.Resolved?
    ) {
        let times = try WindowTimes(from: from, until: until)
        return times.resolved(now: now, in: zone.flatMap { TimeZoneDatabase.system.rules(of: $0) })
    }

    @Test(
        "a local time is sent without an offset, on the clock of the zone, whose day counts",
        arguments: [
            ("Europe/Berlin", "tomorrow 15:00", "2026-11-23T15:00:00", "2026-11-23T14:00:00.000Z"),
            ("America/New_York", "tomorrow 15:00", "2026-11-22T15:00:00", "2026-11-22T20:00:00.000Z"),
            ("Pacific/Kiritimati", "18:00", "2026-11-22T18:00:00", "2026-11-22T04:00:00.000Z"),
            // Today is Sunday in Berlin and Saturday in New York.
            ("Europe/Berlin", "sun 9:00", "2026-11-29T09:00:00", "2026-11-29T08:00:00.000Z"),
            ("America/New_York", "sun 9:00", "2026-11-22T09:00:00", "2026-11-22T14:00:00.000Z"),
            ("Europe/Berlin", "2026-12-24 24:00", "2026-12-25T00:00:00", "2026-12-24T23:00:00.000Z"),
            // The changes of the clock in the reference of time windows.
            ("Europe/Berlin", "2027-03-28 02:30", "2027-03-28T02:30:00", "2027-03-28T01:00:00.000Z"),
            ("Europe/Berlin", "2026-10-25 02:30", "2026-10-25T02:30:00", "2026-10-25T00:30:00.000Z"),
            ("Australia/Lord_Howe", "2026-10-04 02:15", "2026-10-04T02:15:00", "2026-10-03T15:30:00.000Z"),
            ("Pacific/Apia", "2011-12-30 12:00", "2011-12-30T12:00:00", "2011-12-30T10:00:00.000Z"),
        ])
    func local(_ zone: String, _ typed: String, _ sent: String, _ instant: String) throws {
        let (from, until) = try resolved(typed, "+2h", in: zone)
        #expect(from?.text == sent)
        #expect(from?.instant.description == instant)
        #expect(until?.instant == from?.instant.advanced(by: .seconds(7200)), "+2h counts from --from")
        #expect(until?.text == until?.instant.description)
    }

    @Test("instants and lengths need no zone; the first local time does")
    func needingZone() throws {
        #expect(try WindowTimes(from: "now", until: "+3d").localOption == nil)
        #expect(try WindowTimes(from: nil, until: "2026-12-24T15:00+01:00").localOption == nil)
        #expect(try WindowTimes(from: "tomorrow", until: "18:00").localOption == "--from")
        #expect(try WindowTimes(from: "now", until: "18:00").localOption == "--until")
        let (from, until) = try resolved("now", "2026-12-24T15:00+01:00", in: nil)
        #expect(from?.instant == now)
        #expect(until?.text == "2026-12-24T14:00:00.000Z")
        let none = try WindowTimes(from: nil, until: nil).resolved(now: now, in: nil)
        #expect(none.from == nil && none.until == nil)
    }

    @Test("without a start, a length counts from now; a negative one always does")
    func lengths() throws {
        let times = try WindowTimes(from: nil, until: "+2h").resolved(now: now, in: nil)
        #expect(times.until?.instant == now.advanced(by: .seconds(7200)))
        #expect(try resolved("2026-12-01T00:00Z", "-1h", in: nil).1?.instant == now.advanced(by: .seconds(-3600)))
    }

    @Test("a text that is not a time is reported with its option, and with the clock on which times are read")
    func wrong() {
        let failure = #expect(throws: CommandFailure.self) { try WindowTimes(from: "now", until: "soon") }
        #expect(failure?.code == 2)
        #expect(failure?.sentence.hasPrefix("--until: `soon` is not a time. A time is ") == true)
        #expect(failure?.sentence.contains("on the clock of the property") == true)
    }

    @Test("every zone of the system is accepted by its name")
    func zones() throws {
        let names = TimeZoneDatabase.system.names
        #expect(names.count > 300)
        for name in names { #expect(try TimeZoneRules.typed(name).name == name) }
        #expect(try TimeZoneRules.typed(" UTC ").name == "UTC")
    }

    @Test(
        "an unknown zone is reported with the one that was probably meant",
        arguments: [
            ("Europe/Berln", "Did you mean `Europe/Berlin`?"), ("europe/berlin", "Did you mean `Europe/Berlin`?"),
            ("berlin", "Did you mean `Europe/Berlin`?"), ("New York", "Did you mean `America/New_York`?"),
            ("Mars", "Use an IANA name, as in Europe/Berlin."), ("", "Use an IANA name, as in Europe/Berlin."),
            ("../../etc/passwd", "Use an IANA name, as in Europe/Berlin."), ("+01:00", "Use an IANA name, as in Europe/Berlin."),
        ])
    func unknownZone(_ text: String, _ hint: String) throws {
        let arguments = ["grant", "g", "door", "--from", "now", "--until", "+1h", "--zone", text]
        let error = try #require(throws: (any Error).self) { _ = try DoorwardCommand.parseAsRoot(arguments) }
        let exit = Exit(of: error, arguments: arguments)
        #expect(exit.code == 2)
        #expect(exit.message.contains("`\(text)` is not a time zone. \(hint)"), "\(exit.message)")
    }
}
