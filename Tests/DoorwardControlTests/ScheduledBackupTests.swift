import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Foundation
import Logging
import Metrics
import Testing

@testable import DoorwardKernel
@testable import DoorwardRecords

/// The backups that the gateway makes by itself.
@Suite struct ScheduledBackupTests {
    private static let day = Duration.seconds(86_400)

    private func backups(
        _ house: House, _ folder: PlayedBackups, at: String = "03:30", zone: String = "Europe/Berlin", keepDays: Int = 14
    ) throws -> ScheduledBackups {
        let schedule = BackupSchedule(
            at: try #require(LocalTime(at)), zone: try #require(TimeZoneDatabase.system.rules(of: zone)))
        return ScheduledBackups(
            schedule, keepDays: keepDays, in: folder, by: house.control.backupService, clock: house.control.clock,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, metrics: NOOPMetricsHandler.instance)
    }

    /// A house, an empty folder, and the daily backups of the one into the other.
    private func scheduled() async throws -> (house: House, folder: PlayedBackups, backups: ScheduledBackups) {
        let (house, folder) = (try await House(), try PlayedBackups())
        return (house, folder, try backups(house, folder))
    }

    private func name(_ text: String) throws -> String { BackupName(at: try Timestamp(rfc3339: text)).file }

    private func exports(_ house: House) -> [RecordBody] { house.store.log(.gateway).map(\.body).filter { $0.event == .export } }

    @Test(
        "One backup is made for each date, over changes of the clock in spring and in autumn",
        arguments: BackupScheduleTests.changes.prefix(6), ["00:30", "02:00", "02:30"])
    func daily(_ change: BackupScheduleTests.Change, _ at: String) async throws {
        let start = try change.start
        let house = try await House(clock: VirtualClock(start: start))
        let folder = try PlayedBackups()
        let backups = try backups(house, folder, at: at, zone: change.zone)
        // Every fifth minute: the clocks change at such minutes.
        for _ in 0...4 * 288 {
            await backups.backUpIfDue()
            house.clock.advance(by: .seconds(300))
        }
        let due = try BackupScheduleTests.due(change.zone, at, from: start)
        // There was none at the start, so that one was overdue.
        #expect(try folder.files == ([start] + due).map { BackupName(at: $0).file })
    }

    @Test("A backup that was missed is made at the next start, once, and before it begins it is recorded as the gateway's own")
    func missed() async throws {
        let house = try await House()
        let folder = try PlayedBackups()
        await (try backups(house, folder)).backUpIfDue()
        let first = try #require(try folder.files.first)
        house.clock.advance(by: Self.day * 3 + .seconds(7))
        let again = try backups(house, folder)
        await again.backUpIfDue()
        let second = BackupName(at: house.clock.now()).file
        house.clock.advance(by: .seconds(60))
        await again.backUpIfDue()
        #expect(try folder.files == [first, second])
        #expect(folder.checked == [first, second].map { $0 + ".unchecked" })
        let record = try #require(exports(house).last)
        #expect(exports(house).count == 2)
        #expect(record.kind == .gateway && record.actor == .gateway && record.source == .gateway)
        #expect(record.clientAddress == nil && record.requestID == nil)
        #expect(record.details == ["what": .string("backup"), "file": .string("\(folder.path)/\(second)")])
    }

    @Test("Without its record no backup is written")
    func notRecorded() async throws {
        let house = try await House()
        let folder = try PlayedBackups()
        house.store.failNext(.failed("no space"))
        await (try backups(house, folder)).backUpIfDue()
        #expect(try folder.files.isEmpty)
    }

    @Test("A backup that is not whole keeps its other name and deletes nothing; it is recorded, and repeated ever more seldom")
    func damaged() async throws {
        let house = try await House()
        let folder = try PlayedBackups()
        let old = try name("2026-01-01T03:30:00Z")
        folder.put(old)
        folder.find("record 7 is missing")
        let backups = try backups(house, folder)
        var attempts: [Int] = []
        for minute in 0..<200 {
            let before = folder.checked.count
            await backups.backUpIfDue()
            if folder.checked.count > before { attempts.append(minute) }
            house.clock.advance(by: .seconds(60))
        }
        #expect(attempts == [0, 5, 15, 35, 75, 135, 195])
        #expect(try folder.files == [old, try #require(folder.checked.last)])
        let failures = exports(house).filter { $0.details["failure"] != nil }
        #expect(failures.count == attempts.count && failures.allSatisfy { $0.details["failure"] == .string("damaged") })
        #expect(
            failures.last?.details["file"] == .string("\(folder.path)/\(try #require(folder.checked.last).dropLast(10))"))
        folder.find(nil)
        house.clock.advance(by: .seconds(3600))
        await backups.backUpIfDue()
        #expect(try folder.files == [BackupName(at: house.clock.now()).file])
        // After a success the pauses begin anew.
        folder.find("record 7 is missing")
        house.clock.advance(by: Self.day)
        await backups.backUpIfDue()
        house.clock.advance(by: .seconds(300))
        await backups.backUpIfDue()
        #expect(folder.checked.count == attempts.count + 3)
    }

    @Test("A folder that cannot be written is a recorded failure, and another backup that runs is waited for")
    func refused() async throws {
        let (house, folder, backups) = try await scheduled()
        folder.fail(.refused(.alreadyRunning))
        await backups.backUpIfDue()
        #expect(exports(house).isEmpty)
        folder.fail(.refused(.folderMissing))
        await backups.backUpIfDue()
        #expect(exports(house).map { $0.details["failure"] } == [.string("folder_missing")])
        folder.fail(nil)
        house.clock.advance(by: .seconds(300))
        await backups.backUpIfDue()
        #expect(try folder.files.count == 1)
    }

    @Test("Old backups are deleted after a new one, with the lock files of their checks; other files and newer backups stay")
    func deletions() async throws {
        // 2026-11-21T08:00:00Z
        let house = try await House()
        let folder = try PlayedBackups()
        let (old, older) = (try name("2026-11-07T07:59:59Z"), try name("2025-12-31T03:30:00Z"))
        let kept = [
            try name("2026-11-07T08:00:00Z"), try name("2026-11-19T03:30:00Z"), try name("2031-01-01T03:30:00Z"),
            "doorward-monday.db", "doorward-20250101T000000Z.sqlite", "notes.txt", "doorward-20240101T000000Z.db.lock",
        ]
        folder.put(old, older, "\(old).lock")
        for name in kept { folder.put(name) }
        let link = try name("2024-02-02T02:02:02Z")
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/\(link)", withDestinationPath: "notes.txt")
        await (try backups(house, folder)).backUpIfDue()
        #expect(try folder.files == (kept + [link, BackupName(at: house.clock.now()).file]).sorted())
    }

    @Test("While the clock is not trusted, backups are made and none is deleted")
    func untrusted() async throws {
        let (house, folder, backups) = try await scheduled()
        await backups.backUpIfDue()
        let first = try folder.files
        house.clock.stepWall(by: Self.day * 60)
        await backups.backUpIfDue()
        #expect(try folder.files.count == 2)
        _ = try await house.control.clockWatch.accept(house.caller(house.ids.superAdmin), loweringMark: false)
        house.clock.advance(by: Self.day)
        await backups.backUpIfDue()
        #expect(try folder.files.count == 2 && !folder.files.contains(first[0]))
    }

    @Test("A clock that is put back does not stop the backups, and a small correction makes none twice")
    func putBack() async throws {
        let (house, folder, backups) = try await scheduled()
        await backups.backUpIfDue()
        house.clock.stepWall(by: .seconds(-5))
        await backups.backUpIfDue()
        #expect(try folder.files.count == 1)
        house.clock.stepWall(by: .zero - Self.day * 400)
        await backups.backUpIfDue()
        house.clock.advance(by: .seconds(60))
        await backups.backUpIfDue()
        #expect(try folder.files.count == 2)
    }

    @Test("What an interrupted backup has left is removed, also when none is due")
    func leftovers() async throws {
        let house = try await House()
        let folder = try PlayedBackups()
        await (try backups(house, folder)).backUpIfDue()
        let files = try folder.files
        let unchecked = try name("2026-11-20T02:30:00Z") + ".unchecked"
        folder.put(
            unchecked, "\(unchecked).lock", "\(unchecked).partial-00ff", "\(unchecked).partial-00ff-journal", "a.unchecked")
        await (try backups(house, folder)).backUpIfDue()
        #expect(try folder.files == (files + ["a.unchecked"]).sorted())
    }

    @Test("A backup that was moved to another machine is not made again")
    func movedAway() async throws {
        let (house, folder, backups) = try await scheduled()
        await backups.backUpIfDue()
        try FileManager.default.removeItem(atPath: "\(folder.path)/\(try #require(try folder.files.first))")
        house.clock.advance(by: .seconds(60))
        await backups.backUpIfDue()
        #expect(try folder.files.isEmpty)
    }

    @Test("It backs up every day until it is cancelled")
    func running() async throws {
        let (house, folder, backups) = try await scheduled()
        let sleepers = house.clock.sleeperCount
        let task = Task { await backups.run() }
        await house.clock.waitForSleepers(sleepers + 1)
        #expect(try folder.files.count == 1)
        house.clock.advance(by: Self.day)
        while try folder.files.count < 2 { await Task.yield() }
        task.cancel()
        await task.value
    }
}
