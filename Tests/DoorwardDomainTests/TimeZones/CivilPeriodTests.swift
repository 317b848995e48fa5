import Testing

@testable import DoorwardDomain

@Suite struct CivilPeriodTests {
    private static func zone(_ name: String) throws -> TimeZoneRules {
        try #require(TimeZoneDatabase.system.rules(of: name), "the package tzdata is not installed")
    }

    private static func limits(
        _ name: String, _ from: String, _ until: String, _ period: CivilPeriod, maxParts: Int = 1000
    ) throws -> [String]? {
        try zone(name).limits(
            from: Timestamp(rfc3339: from), until: Timestamp(rfc3339: until), by: period, maxParts: maxParts)?.map(\.description)
    }

    @Test("a part begins with each hour of the clock; the first and the last part may be shorter")
    func hours() throws {
        #expect(
            try Self.limits("UTC", "2026-11-21T08:30:00.250Z", "2026-11-21T10:00:00.001Z", .hour) == [
                "2026-11-21T08:30:00.250Z", "2026-11-21T09:00:00.000Z", "2026-11-21T10:00:00.000Z", "2026-11-21T10:00:00.001Z",
            ])
        // India's clock is half an hour off.
        #expect(
            try Self.limits("Asia/Kolkata", "2026-11-21T08:00:00Z", "2026-11-21T09:00:00Z", .hour) == [
                "2026-11-21T08:00:00.000Z", "2026-11-21T08:30:00.000Z", "2026-11-21T09:00:00.000Z",
            ])
    }

    @Test("a day begins at midnight on the clock: one of 23 hours, one of 25, and one that does not exist")
    func days() throws {
        #expect(
            try Self.limits("Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-30T12:00:00Z", .day) == [
                "2026-03-28T12:00:00.000Z", "2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z", "2026-03-30T12:00:00.000Z",
            ])
        #expect(
            try Self.limits("Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", .day) == [
                "2026-10-24T22:00:00.000Z", "2026-10-25T23:00:00.000Z",
            ])
        // Samoa had no 30 December 2011.
        #expect(
            try Self.limits("Pacific/Apia", "2011-12-29T12:00:00Z", "2011-12-31T12:00:00Z", .day) == [
                "2011-12-29T12:00:00.000Z", "2011-12-30T10:00:00.000Z", "2011-12-31T10:00:00.000Z", "2011-12-31T12:00:00.000Z",
            ])
    }

    @Test("there are at most as many parts as permitted, and none of an empty time")
    func bounds() throws {
        let day = ("2026-11-21T00:00:00Z", "2026-11-22T00:00:00Z")
        #expect(try Self.limits("UTC", day.0, day.1, .hour, maxParts: 24)?.count == 25)
        #expect(try Self.limits("UTC", day.0, day.1, .hour, maxParts: 23) == nil)
        #expect(try Self.limits("UTC", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", .hour) == nil)
        #expect(try Self.limits("UTC", day.0, day.0, .day) == nil)
        #expect(try Self.limits("UTC", day.1, day.0, .day) == nil)
    }

    /// Compares with the clock read at each minute. The zones have clocks that change by a whole hour, by half an hour, at midnight,
    /// and by a whole day.
    @Test(
        "the limits are those that a clock shows which is read every minute",
        arguments: [
            ("Europe/Berlin", "2026-10-24T00:00:00Z"), ("Europe/Berlin", "2026-03-28T07:11:13Z"),
            ("Australia/Lord_Howe", "2026-04-03T12:00:00Z"), ("Australia/Lord_Howe", "2026-10-02T12:00:00Z"),
            ("America/Sao_Paulo", "2018-02-16T12:00:00Z"), ("America/Sao_Paulo", "2018-11-03T01:00:00Z"),
            ("Pacific/Apia", "2011-12-28T12:00:00Z"), ("Asia/Kathmandu", "2026-01-01T00:00:00Z"),
            ("America/Havana", "2026-10-31T00:00:00Z"),
        ])
    func minutes(name: String, start: String) throws {
        let zone = try Self.zone(name)
        let from = try Timestamp(rfc3339: start)
        let until = from.advanced(by: .seconds(3 * 86_400 + 60))
        var (hours, days) = ([from], [from])
        var (before, at) = (from, from)
        var day = zone.local(at: from).milliseconds / 86_400_000
        while true {
            // All these changes are at whole minutes; the start need not be.
            (before, at) = (at, Timestamp(milliseconds: (at.milliseconds / 60_000 + 1) * 60_000))
            guard at < until else { break }
            let (last, now) = (zone.local(at: before).milliseconds, zone.local(at: at).milliseconds)
            // The reading without a change of the clock: an hour also ends when the clock is set back at its end.
            let unchanged = last + at.milliseconds - before.milliseconds
            if now % 3_600_000 == 0 || now / 3_600_000 != last / 3_600_000 || unchanged % 3_600_000 == 0 { hours.append(at) }
            if now / 86_400_000 > day {
                days.append(at)
                day = now / 86_400_000
            }
        }
        #expect(zone.limits(from: from, until: until, by: .hour, maxParts: 1000) == hours + [until])
        #expect(zone.limits(from: from, until: until, by: .day, maxParts: 1000) == days + [until])
    }
}
