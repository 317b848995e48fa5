import DoorwardControl
import DoorwardDomain
import Foundation
import Testing

@testable import DoorwardRecords

/// When a backup is due, and the names of backups.
@Suite struct BackupScheduleTests {
    /// Days around a change of a zone's clock.
    struct Change: CustomTestStringConvertible, Sendable {
        let zone: String
        let day: String

        var testDescription: String { "\(zone) \(day)" }
        var start: Timestamp { get throws { try Timestamp(rfc3339: "\(day)T00:00:00Z").advanced(by: .seconds(-36 * 3600)) } }
    }

    static let changes = [
        Change(zone: "Europe/Berlin", day: "2027-03-28"), Change(zone: "Europe/Berlin", day: "2027-10-31"),
        // Half an hour.
        Change(zone: "Australia/Lord_Howe", day: "2027-04-04"), Change(zone: "Australia/Lord_Howe", day: "2027-10-03"),
        // At midnight: from 24:00 to 01:00, and back over midnight.
        Change(zone: "America/Havana", day: "2027-03-14"), Change(zone: "America/Havana", day: "2027-11-07"),
        Change(zone: "Africa/Cairo", day: "2027-04-30"), Change(zone: "Africa/Cairo", day: "2027-10-29"),
        // At 00:01 and back to 23:01: midnight was twice.
        Change(zone: "America/St_Johns", day: "2010-11-07"), Change(zone: "America/St_Johns", day: "2010-03-14"),
        // A day that did not exist.
        Change(zone: "Pacific/Apia", day: "2011-12-30"), Change(zone: "UTC", day: "2027-01-01"),
    ]

    static let times = ["00:00", "00:30", "01:30", "02:00", "02:30", "03:30", "23:30", "23:59"]

    /// Every minute of four days at which the clock on the wall shows a time of day for the first time, or has skipped it. The clock
    /// is Foundation's, and is read minute by minute.
    static func due(_ zone: String, _ at: String, from start: Timestamp) throws -> [Timestamp] {
        let zone = try #require(TimeZone(identifier: zone))
        let parts = at.split(separator: ":").compactMap { Int($0) }
        let time = parts[0] * 60 + parts[1]
        func minuteOfWall(_ instant: Timestamp) -> Int {
            let second = Int(instant.milliseconds / 1000)
            return (second + zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second)))) / 60
        }
        var found: [Timestamp] = []
        var passed = (minuteOfWall(start) - time) / 1440
        for minute in 1...4 * 1440 {
            let instant = start.advanced(by: .seconds(60 * minute))
            let days = (minuteOfWall(instant) - time) / 1440
            if days > passed { found.append(instant) }
            passed = max(passed, days)
        }
        return found
    }

    @Test("A backup is due once for each date, also when the clock skips or repeats the time", arguments: changes, times)
    func latestDue(_ change: Change, _ at: String) throws {
        let zone = try #require(TimeZoneDatabase.system.rules(of: change.zone))
        let schedule = BackupSchedule(at: try #require(LocalTime(at)), zone: zone)
        let start = try change.start
        let expected = try Self.due(change.zone, at, from: start)
        #expect(expected.count >= 3)
        var found: [Timestamp] = []
        for minute in 0...4 * 1440 {
            let now = start.advanced(by: .seconds(60 * minute))
            let latest = schedule.latestDue(at: now)
            #expect(latest <= now && now.duration(since: latest) < .seconds(26 * 3600))
            if latest > start, found.last != latest { found.append(latest) }
        }
        #expect(found == expected)
    }

    @Test("A name is that of its second, sorts by time, and is read again; other names are not the gateway's")
    func names() throws {
        let instant = try Timestamp(rfc3339: "2026-11-27T03:30:00.999Z")
        let name = BackupName(at: instant)
        #expect(name.file == "doorward-20261127T033000Z.db")
        #expect(name.uncheckedFile == "doorward-20261127T033000Z.db.unchecked")
        #expect(BackupName(name.file) == name)
        #expect(name.instant == (try Timestamp(rfc3339: "2026-11-27T03:30:00Z")))
        let later = BackupName(at: instant.advanced(by: .seconds(86_400 * 40)))
        #expect(name < later && name.file < later.file)
        for other in [
            "doorward.db", "doorward-20261127T033000Z.db.lock", "doorward-20261127T033000Z.DB", "doorward-20261327T033000Z.db",
            "doorward-20261127t033000Z.db", "doorward-20261127T033060Z.db", "doorward-2026112703300012.db", "",
            "doorward-\u{0663}0261127T03300Z.db", "xdoorward-20261127T033000Z.db", name.uncheckedFile,
        ] {
            #expect(BackupName(other) == nil, "\(other)")
        }
        #expect(BackupName.isUnfinished(name.uncheckedFile))
        #expect(BackupName.isUnfinished(name.uncheckedFile + ".partial-0123456789abcdef-journal"))
        #expect(BackupName.isUnfinished(name.uncheckedFile + ".lock"))
        for other in [name.file, name.file + ".partial-0123456789abcdef", "notes.db.unchecked", ".unchecked", ""] {
            #expect(!BackupName.isUnfinished(other), "\(other)")
        }
    }
}
