import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Logging
import Testing

@testable import DoorwardHTTP
@testable import DoorwardRecords

/// The metrics of the gateway's own backups.
@Suite struct BackupMetricsTests {
    /// A folder with one old backup, in which nothing can be written.
    private struct FullFolder: BackupStorage {
        let path = "/no such folder"
        let name: String

        func names() async throws(StoreBackupError) -> [String] { [name] }
        func fault(in name: String) async throws(StoreBackupError) -> String? { nil }
        func rename(_ name: String, to newName: String) async throws(StoreBackupError) {}
        func remove(_ names: [String]) async throws(StoreBackupError) {}
    }

    @Test("The age of the newest backup and the failures are shown, and only where backups are configured")
    func shown() async throws {
        let house = try await House()
        let metrics = PrometheusMetrics()
        #expect(!PrometheusText(metrics).text.contains("doorward_backup"))
        let newest = BackupName(at: house.clock.now().advanced(by: .seconds(-86_400 * 2)))
        let backups = ScheduledBackups(
            BackupSchedule(at: try #require(LocalTime("03:30")), zone: TimeZoneDatabase.system.utc), keepDays: 14,
            in: FullFolder(name: newest.file), by: house.control.backupService, clock: house.control.clock,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, metrics: metrics)
        backups.sampleMetrics()
        var text = PrometheusText(metrics).text
        #expect(text.contains("\ndoorward_backup_failures_total 0\n"))
        #expect(!text.contains("doorward_backup_age_seconds"), "no backup is known yet")
        await backups.backUpIfDue()
        house.clock.advance(by: .seconds(60))
        backups.sampleMetrics()
        text = PrometheusText(metrics).text
        #expect(text.contains("\ndoorward_backup_age_seconds \(86_400 * 2 + 60)\n"), "\(text)")
        #expect(text.contains("\ndoorward_backup_failures_total 1\n"), "\(text)")
    }
}
