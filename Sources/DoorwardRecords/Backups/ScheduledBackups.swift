package import DoorwardDomain
package import DoorwardKernel
import FoundationEssentials
package import Logging
package import Metrics
import Synchronization

/// Makes a backup once a day, checks each backup, and deletes old ones.
///
/// A backup gets its final name only after it was checked. A backup that was missed, because the gateway was down or the folder could not
/// be written, is made as soon as possible. A failure is logged, recorded and counted, and affects nothing else.
package final class ScheduledBackups: Sendable {
    /// How often the folder is compared with the schedule.
    static let interval = Duration.seconds(60)
    /// How far the clock may be put back without another backup of the same day.
    private static let maxClockStep = Duration.seconds(3600)
    /// The pause after a failure; it is doubled with each further one.
    static let retryPause = (first: Duration.seconds(300), limit: Duration.seconds(3600))

    private struct State {
        /// The newest checked backup that was made or found.
        var newest: Timestamp?
        var failuresInARow = 0
        /// When the next attempt may begin.
        var notBefore: MonotonicInstant?
    }

    /// A backup that was written, but is damaged.
    private struct Damage: Error { let fault: String }

    private let schedule: BackupSchedule
    private let keepDays: Int
    private let storage: any BackupStorage
    private let backupService: BackupService
    private let clock: TrustedClock
    private let logger: Logger
    private let metrics: any MetricsFactory
    private let failures: Counter
    private let state = Mutex(State())

    /// - Parameter keepDays: how long a backup is kept, in days of 24 hours.
    package init(
        _ schedule: BackupSchedule, keepDays: Int, in storage: any BackupStorage, by backupService: BackupService,
        clock: TrustedClock,
        logger: Logger, metrics: any MetricsFactory
    ) {
        (self.schedule, self.keepDays, self.storage, self.backupService) = (schedule, keepDays, storage, backupService)
        (self.clock, self.logger, self.metrics) = (clock, logger, metrics)
        failures = Counter(label: "doorward_backup_failures_total", factory: metrics)
    }

    /// Backs up when it is due, until the task is cancelled.
    package func run() async {
        logger.info(
            "the gateway backs itself up once a day",
            metadata: ["folder": "\(storage.path)", "at": "\(schedule.at)", "timeZone": "\(schedule.zone.name)"])
        while true {
            await backUpIfDue()
            guard await clock.pause(Self.interval) else { return }
        }
    }

    /// Updates the age of the newest backup; to be called before metrics are read. There is none before the first backup.
    package func sampleMetrics() {
        guard let newest = state.withLock(\.newest) else { return }
        let age = Meter(label: "doorward_backup_age_seconds", factory: metrics)
        age.set(max(0, clock.now().duration(since: newest).components.seconds))
    }

    /// Removes what an interrupted backup has left, and makes a backup if the newest one is older than the latest time at which one
    /// was due. After a failure it does nothing for a while.
    func backUpIfDue() async {
        if let notBefore = state.withLock(\.notBefore), clock.monotonicNow() < notBefore { return }
        let now = clock.now()
        let name = BackupName(at: now)
        do {
            let names = try await storage.names()
            try await storage.remove(names.filter(BackupName.isUnfinished))
            let kept = names.compactMap(BackupName.init)
            guard isDue(at: now, found: kept.map(\.instant)) else { return }
            try await write(name)
            await removeOld(kept, names: names, at: now)
        } catch StoreBackupError.refused(.alreadyRunning) {
            // A backup that a caller requested is running: the next attempt, a minute later, makes this one.
        } catch {
            // Stopping the gateway is not a failure.
            if !Task.isCancelled { await handleFailure(error, of: name) }
        }
    }

    private func write(_ name: BackupName) async throws {
        let backup = try await backupService.createScheduled(name, in: storage.path)
        if let fault = try await storage.fault(in: name.uncheckedFile) { throw Damage(fault: fault) }
        try await storage.rename(name.uncheckedFile, to: name.file)
        state.withLock { $0 = State(newest: name.instant) }
        logger.info("backup written and checked", metadata: ["file": "\(name.file)", "bytes": "\(backup.bytes)"])
    }

    /// Deletes the backups that are too old, and the lock files that checks of them have left. Files with other names stay, and so
    /// does everything while the clock is not trusted: a wrong date makes every backup look old.
    private func removeOld(_ kept: [BackupName], names: [String], at now: Timestamp) async {
        guard clock.observe().isTrusted else { return }
        let limit = now.advanced(by: .zero - .seconds(keepDays * 86_400))
        let old = kept.filter { $0.instant < limit }.map(\.file)
        guard !old.isEmpty else { return }
        do {
            try await storage.remove(old + old.map { $0 + ".lock" }.filter(names.contains))
        } catch {
            failures.increment()
            logger.error(
                "old backups could not be deleted; this is tried again after the next backup",
                metadata: ["folder": "\(storage.path)", "reason": "\(Self.reason(error).text)"])
        }
    }

    /// Whether there is no backup as new as the schedule requires. Backups that this process has made count even if they were moved to
    /// another folder.
    private func isDue(at now: Timestamp, found: [Timestamp]) -> Bool {
        // A backup with a later time was made with a wrong clock, and does not count.
        let limit = now.advanced(by: Self.maxClockStep)
        return state.withLock { state in
            let newest = (found + [state.newest].compactMap(\.self)).filter { $0 <= limit }.max()
            state.newest = newest
            guard let newest, newest >= schedule.latestDue(at: now) else { return true }
            state = State(newest: newest)
            return false
        }
    }

    private func handleFailure(_ error: any Error, of name: BackupName) async {
        failures.increment()
        let (code, text) = Self.reason(error)
        let pause = state.withLock { state in
            let pause = min(Self.retryPause.first * (1 << min(state.failuresInARow, 10)), Self.retryPause.limit)
            state.failuresInARow += 1
            state.notBefore = clock.monotonicNow().advanced(by: pause)
            return pause
        }
        logger.error(
            "the daily backup failed; it will be tried again",
            metadata: [
                "folder": "\(storage.path)", "reason": "\(text)", "againAfterSeconds": "\(pause.components.seconds)",
            ])
        do {
            try await backupService.recordFailure(code, of: name, in: storage.path)
        } catch {
            logger.error("the failed backup could not be recorded", metadata: ["error": "\(error)"])
        }
    }

    /// The code of a failure for its record, and a sentence for the operator.
    private static func reason(_ error: any Error) -> (code: String, text: String) {
        switch error {
        case let damage as Damage:
            (
                "damaged",
                "The backup is damaged: \(damage.fault). Stop the gateway, and check its database with `doorward store check`."
            )
        case StoreBackupError.refused(let problem): (problem.rawValue, problem.description)
        case StoreBackupError.failed(let cause): ("failed", cause)
        case StoreBackupError.unavailable: ("unavailable", "The store cannot be written, so the backup cannot be recorded.")
        default: ("failed", "\(error)")
        }
    }
}

/// The schedule of the daily backup: once for each date, at a local time of the machine.
package struct BackupSchedule: Sendable {
    /// The time of day, before 24:00.
    package let at: LocalTime
    /// The zone of that clock.
    package let zone: TimeZoneRules

    package init(at: LocalTime, zone: TimeZoneRules) { (self.at, self.zone) = (at, zone) }

    /// The latest instant up to `now` at which a backup was due: for each date, the first instant at which the clock showed that
    /// time or a later one. A time that the clock skips is due at the end of the gap, and one that it repeats only once.
    func latestDue(at now: Timestamp) -> Timestamp {
        let today = zone.local(at: now).date.daysSinceEpoch
        // Include tomorrow: a clock that is set back over midnight shows the old date again.
        return [1, 0].lazy.map { due(today + $0) }.first { $0 <= now } ?? due(today - 1)
    }

    private func due(_ day: Int64) -> Timestamp {
        zone.resolve(LocalDateTime(date: CivilDate(daysSinceEpoch: day), time: at)).instant
    }
}

/// The name of a backup that the gateway wrote by itself: `doorward-20261127T033000Z.db`, with the time at which it was begun.
struct BackupName: Comparable {
    private static let (prefix, suffix, unchecked) = ("doorward-", ".db", ".unchecked")
    private static let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted, timeZone: .gmt)
    private static let length = "doorward-20261127T033000Z.db".count

    /// When the backup was begun, in whole seconds.
    let instant: Timestamp

    init(at instant: Timestamp) {
        self.instant = Timestamp(milliseconds: instant.milliseconds.flooredQuotient(by: 1000) * 1000)
    }

    /// - Returns: `nil` for a file with another name than the gateway gives.
    init?(_ file: String) {
        guard file.count == Self.length, file.hasPrefix(Self.prefix), file.hasSuffix(Self.suffix),
            let date = try? Self.style.parse(String(file.dropFirst(Self.prefix.count).dropLast(Self.suffix.count)))
        else { return nil }
        self.init(at: Timestamp(milliseconds: Int64(date.timeIntervalSince1970) * 1000))
        guard self.file == file else { return nil }
    }

    /// The name of the file once the backup was found whole.
    var file: String {
        Self.prefix + Date(timeIntervalSince1970: Double(instant.milliseconds / 1000)).formatted(Self.style) + Self.suffix
    }

    /// The name of the file until then.
    var uncheckedFile: String { file + Self.unchecked }

    /// Whether a file is the rest of an interrupted backup: a copy that was not checked yet, or a part of it.
    static func isUnfinished(_ file: String) -> Bool {
        file.dropFirst(length).hasPrefix(unchecked) && BackupName(String(file.prefix(length))) != nil
    }

    static func < (a: Self, b: Self) -> Bool { a.instant < b.instant }
}
