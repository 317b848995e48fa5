import DoorwardControl
import DoorwardDomain
import DoorwardStore
import FoundationEssentials
import Logging
import Metrics

extension GatewayConfiguration {
    /// The absolute path of the folder of the gateway's own backups; `nil` if it makes none.
    var backupFolder: String? {
        backup.map { BackupCommand.absolute($0.folder, from: FileManager.default.currentDirectoryPath) }
    }

    /// The gateway's own backups; `nil` if none are configured.
    func scheduledBackups(
        of control: GatewayControl, logger: Logger, metrics: any MetricsFactory
    ) -> ScheduledBackups? {
        guard let backup, let folder = backupFolder, let at = DoorwardDomain.LocalTime(backup.at) else { return nil }
        return ScheduledBackups(
            BackupSchedule(at: at, zone: Self.hostZone(logger)), keepDays: backup.keepDays,
            in: BackupFolder(path: folder, personKeyFile: personKeyPath), by: control.storeCare, clock: control.clock,
            logger: logger, metrics: metrics)
    }

    private static func hostZone(_ logger: Logger) -> TimeZoneRules {
        let variable = ProcessInfo.processInfo.environment["TZ"]
        if let rules = TimeZoneDatabase.system.hostRules(variable: variable) { return rules }
        logger.warning(
            "the time zone of this machine cannot be read; the time of backups is in UTC",
            metadata: ["from": "\(variable.map { "TZ=\($0)" } ?? "/etc/localtime")"])
        return TimeZoneDatabase.system.utc
    }
}
