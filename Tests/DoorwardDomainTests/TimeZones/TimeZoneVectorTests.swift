import DoorwardDomain
import Testing

/// The instants of local times around known changes of the clock. Each was also computed with Python's `zoneinfo`.
@Suite struct TimeZoneVectorTests {
    struct Vector: CustomTestStringConvertible, Sendable {
        let zone: String
        let local: String
        let first: String
        let second: String
        let change: ClockChange

        init(_ zone: String, _ local: String, _ first: String, _ change: ClockChange, second: String? = nil) {
            (self.zone, self.local, self.first, self.second, self.change) = (zone, local, first, second ?? first, change)
        }

        var testDescription: String { "\(zone) \(local)" }
    }

    static let vectors = [
        Vector("Europe/Berlin", "2027-03-28T02:30", "2027-03-28T01:00:00Z", .gap),
        Vector("Europe/Berlin", "2027-03-28T02:00", "2027-03-28T01:00:00Z", .gap),
        Vector("Europe/Berlin", "2027-03-28T02:59:59.999", "2027-03-28T01:00:00Z", .gap),
        Vector("Europe/Berlin", "2027-03-28T01:59:59", "2027-03-28T00:59:59Z", .none),
        Vector("Europe/Berlin", "2027-03-28T03:00", "2027-03-28T01:00:00Z", .none),
        Vector("Europe/Berlin", "2026-10-25T02:30", "2026-10-25T00:30:00Z", .overlap, second: "2026-10-25T01:30:00Z"),
        Vector("Europe/Berlin", "2026-10-25T02:00", "2026-10-25T00:00:00Z", .overlap, second: "2026-10-25T01:00:00Z"),
        Vector("Europe/Berlin", "2026-10-25T02:59:59.5", "2026-10-25T00:59:59.5Z", .overlap, second: "2026-10-25T01:59:59.5Z"),
        Vector("Europe/Berlin", "2026-10-25T01:59:59", "2026-10-24T23:59:59Z", .none),
        Vector("Europe/Berlin", "2026-10-25T03:00", "2026-10-25T02:00:00Z", .none),
        Vector("America/New_York", "2027-03-14T02:30", "2027-03-14T07:00:00Z", .gap),
        Vector("America/New_York", "2026-11-01T01:30", "2026-11-01T05:30:00Z", .overlap, second: "2026-11-01T06:30:00Z"),
        Vector("Australia/Lord_Howe", "2026-10-04T02:15", "2026-10-03T15:30:00Z", .gap),
        Vector("Australia/Lord_Howe", "2027-04-04T01:45", "2027-04-03T14:45:00Z", .overlap, second: "2027-04-03T15:15:00Z"),
        Vector("Pacific/Apia", "2011-12-30T00:00", "2011-12-30T10:00:00Z", .gap),
        Vector("Pacific/Apia", "2011-12-30T12:34:56", "2011-12-30T10:00:00Z", .gap),
        Vector("Pacific/Apia", "2011-12-30T23:59:59", "2011-12-30T10:00:00Z", .gap),
        Vector("Pacific/Apia", "2011-12-29T23:59:59", "2011-12-30T09:59:59Z", .none),
        Vector("Pacific/Apia", "2011-12-31T00:00", "2011-12-30T10:00:00Z", .none),
        Vector("America/Sao_Paulo", "2018-11-04T00:00", "2018-11-04T03:00:00Z", .gap),
        Vector("America/Sao_Paulo", "2018-11-04T00:59:59", "2018-11-04T03:00:00Z", .gap),
        Vector("America/Sao_Paulo", "2018-11-04T01:00", "2018-11-04T03:00:00Z", .none),
        // Ramadan: the clock is set back on 2027-02-07 and forward on 2027-03-14.
        Vector("Africa/Casablanca", "2027-02-07T02:30", "2027-02-07T01:30:00Z", .overlap, second: "2027-02-07T02:30:00Z"),
        Vector("Africa/Casablanca", "2027-03-14T02:30", "2027-03-14T02:00:00Z", .gap),
        // Standard time is the time of summer here, and the clock is set back in winter.
        Vector("Europe/Dublin", "2027-03-28T01:30", "2027-03-28T01:00:00Z", .gap),
        Vector("Europe/Dublin", "2026-10-25T01:30", "2026-10-25T00:30:00Z", .overlap, second: "2026-10-25T01:30:00Z"),
        // The rule has a negative time: the clock changes on a Saturday evening.
        Vector("America/Nuuk", "2027-03-27T23:30", "2027-03-28T01:00:00Z", .gap),
        // After the table of the file, by its rule alone.
        Vector("Europe/Berlin", "2150-03-29T02:30", "2150-03-29T01:00:00Z", .gap),
        Vector("Europe/Berlin", "2150-10-25T02:30", "2150-10-25T00:30:00Z", .overlap, second: "2150-10-25T01:30:00Z"),
        Vector("America/New_York", "2400-02-29T12:00", "2400-02-29T17:00:00Z", .none),
        Vector("Australia/Sydney", "2150-01-15T12:00", "2150-01-15T01:00:00Z", .none),
        // The bounds of 32-bit time, a leap day, week 53, and offsets that are no whole hours.
        Vector("UTC", "1970-01-01T00:00", "1970-01-01T00:00:00Z", .none),
        Vector("UTC", "2038-01-19T03:14:08", "2038-01-19T03:14:08Z", .none),
        Vector("Asia/Kathmandu", "2038-01-19T09:00", "2038-01-19T03:15:00Z", .none),
        Vector("Europe/Berlin", "2028-02-29T00:00", "2028-02-28T23:00:00Z", .none),
        Vector("Europe/Berlin", "2027-01-03T24:00", "2027-01-03T23:00:00Z", .none),
        Vector("Pacific/Kiritimati", "2026-11-24T00:00", "2026-11-23T10:00:00Z", .none),
        Vector("Etc/GMT+12", "2026-11-24T00:00", "2026-11-24T12:00:00Z", .none),
    ]

    @Test("Local times are resolved to the end of a gap, and to the wanted instant of an overlap", arguments: vectors)
    func vector(_ vector: Vector) throws {
        let zone = try #require(TimeZoneDatabase.system.rules(of: vector.zone))
        let local = try #require(LocalDateTime(vector.local))
        for (fold, expected) in [(Fold.first, vector.first), (.second, vector.second)] {
            let resolved = zone.resolve(local, fold: fold)
            #expect(try resolved.instant == Timestamp(rfc3339: expected), "\(fold): \(resolved.instant)")
            #expect(resolved.change == vector.change)
            if vector.change != .gap { #expect(zone.local(at: resolved.instant) == local) }
        }
    }

    @Test("In every zone each instant is one of the two that its own local time resolves to")
    func roundTrips() throws {
        var checked = 0
        for name in TimeZoneDatabase.system.names {
            let zone = try #require(TimeZoneDatabase.system.rules(of: name))
            var segment = zone.segment(at: 1_577_836_800)
            while segment.end < 2_240_524_800 {
                for instant in stride(from: segment.end - 7200, through: segment.end + 7200, by: 600) {
                    let local = instant + zone.offset(at: instant)
                    let (first, second) = (zone.resolve(local: local), zone.resolve(local: local, fold: .second))
                    let isRepeated = first.instant != second.instant
                    #expect(first.change == (isRepeated ? .overlap : .none) && second.change == first.change)
                    #expect(first.instant <= second.instant && [first.instant, second.instant].contains(instant))
                    checked += 1
                }
                segment = zone.segment(at: segment.end)
            }
        }
        print("round trips: \(checked) instants")
        #expect(checked > 100_000)
    }
}
