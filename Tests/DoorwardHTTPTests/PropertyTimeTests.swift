import DoorwardDomain
import Testing

@testable import DoorwardHTTP

/// Local times on guest pages.
@Suite struct PropertyTimeTests {
    @Test(
        "An instant is shown in the property's zone, with the offset of that day",
        arguments: [
            ("Europe/Berlin", "2026-12-24T14:00:00Z", "Thursday 24 December 2026, 15:00 (UTC+01:00)"),
            ("Europe/Berlin", "2026-07-01T22:30:05Z", "Thursday 2 July 2026, 00:30:05 (UTC+02:00)"),
            ("America/St_Johns", "2026-01-01T00:00:00Z", "Wednesday 31 December 2025, 20:30 (UTC-03:30)"),
            ("UTC", "1969-12-31T23:59:00Z", "Wednesday 31 December 1969, 23:59 (UTC)"),
        ])
    func text(_ zone: String, _ instant: String, _ expected: String) throws {
        #expect(PropertyTime(zone: zone).text(try Timestamp(rfc3339: instant)) == expected)
    }

    @Test("Without a zone, and with one that the system does not know, times are in UTC", arguments: [nil, "Mars/Olympus"])
    func unknown(_ zone: String?) throws {
        let time = PropertyTime(zone: zone)
        #expect(time.zone == "UTC")
        #expect(try time.text(Timestamp(rfc3339: "2026-12-24T14:00:00Z")) == "Thursday 24 December 2026, 14:00 (UTC)")
    }
}
