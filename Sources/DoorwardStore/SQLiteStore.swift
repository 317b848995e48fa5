package import DoorwardControl
package import DoorwardDomain
package import DoorwardPolicy
import FoundationEssentials
import Glibc
package import Logging
package import Metrics

/// The store in one SQLite file, in WAL mode with a full flush for every commit.
///
/// One connection writes and checkpoints; the others only read. The file belongs to one process at a time.
package final class SQLiteStore: GatewayStore {
    private let locks: (name: FileLock, file: InodeLock)
    private let reader: StoreReader
    private let writer: StoreWriter
    private let backups: RunningBackup
    private let clock: any GatewayClock
    private let limits: StoreLimits
    private let hooks: StoreHooks
    private let path: String
    private let metrics: StoreMetrics
    private let random: RandomSource

    private init(
        locks: (name: FileLock, file: InodeLock), reader: StoreReader, writer: StoreWriter, backups: RunningBackup,
        clock: any GatewayClock, limits: StoreLimits, hooks: StoreHooks, path: String, metrics: StoreMetrics, random: RandomSource
    ) {
        self.random = random
        (self.locks, self.reader, self.writer) = (locks, reader, writer)
        (self.backups, self.clock, self.limits, self.hooks) = (backups, clock, limits, hooks)
        (self.path, self.metrics) = (path, metrics)
    }

    /// Opens the file, or makes it (mode 0600), and brings its schema up to date. Blocks while it does.
    ///
    /// - Parameters:
    ///   - path: the database file; `<path>.lock` beside it, and the file itself, are held until the store is closed or the
    ///     process ends.
    ///   - random: where person keys and the names of unfinished backups come from; the system's generator outside tests.
    package static func open(
        path: String, clock: any GatewayClock, random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        logger: Logger, limits: StoreLimits = StoreLimits(), hooks: StoreHooks = StoreHooks(),
        metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) throws(StoreOpenError) -> SQLiteStore {
        let file = try DatabaseFile(at: path)
        let path = file.path
        let nameLock = try FileLock(for: path)
        let tightened = try file.prepare()
        // Before anything of the file is read: its write-ahead log is not found by another name.
        let locks = (name: nameLock, file: try InodeLock(for: path))
        for name in tightened {
            logger.warning("others could read this file; its mode is 0600 now", metadata: ["file": "\(name)"])
        }
        if let names = file.nameCount, names > 1 {
            logger.warning(
                "the database file has hard links; its write-ahead log is found by one of the names alone, so open it by that one",
                metadata: ["file": "\(path)", "names": "\(names)"])
        }
        let connection = try WriterConnection.open(path: path, limits: limits)
        let reader = try StoreReader(path: path, limits: limits, clock: clock)
        do {
            try connection.prune(at: clock.now())
            try Projector.catchUp(connection.queue, limit: limits.entriesPerProjection)
        } catch {
            connection.abandon()
            throw .failed(path: path, reason: describe(error))
        }
        let (backups, measured) = (RunningBackup(), StoreMetrics(metrics))
        let writer = StoreWriter(
            path: path, connection: connection, clock: clock, random: random, logger: logger, limits: limits, hooks: hooks,
            backups: backups, metrics: measured)
        return SQLiteStore(
            locks: locks, reader: reader, writer: writer, backups: backups, clock: clock, limits: limits, hooks: hooks,
            path: path, metrics: measured, random: RandomSource(random))
    }

    /// The settings of the connection that writes, as it reports them itself; `nil` while there is none.
    package func settings() async throws(StoreError) -> StoreSettings? {
        do {
            return try await writer.settings()
        } catch {
            throw .failed("reading the settings failed: \(describe(error))")
        }
    }

    /// Sets the gauges of the files; called whenever somebody reads them. What cannot be read stays as it was.
    package func sampleMetrics() async {
        var log = stat()
        metrics.logBytes.set(stat("\(path)-wal", &log) == 0 ? Int64(log.st_size) : 0)
        try? await reader.read { try self.metrics.sampleRecords(in: $0) }
    }

    // MARK: Writing

    /// Waits in the writer's queue and shares the flush of what waits with it. Throws `.unavailable`, with nothing written, when
    /// the queue is full or the database is not open again after a failure.
    package func commit(_ transaction: StoreTransaction) async throws(StoreError) -> [RecordPlace] {
        try await writer.commit(transaction).get()
    }

    /// After a failure this also tries to open the database anew, when the time for another try has come.
    package func isWritable() async -> Bool { await writer.isWritable() }

    /// Ends a backup that runs, writes what waits, moves the write-ahead log into the file and releases the file's locks, in this
    /// order and whatever fails.
    package func close() async throws(StoreError) {
        // Whatever fails, nothing of this store touches the file any more.
        defer { locks.name.release() }
        defer { locks.file.release() }
        defer { reader.close() }
        backups.stop()
        try await writer.drain()
        reader.close()
        try await writer.close()
    }

    // MARK: Backup

    /// One at a time (`.refused(.alreadyRunning)`). Copies from a snapshot, some pages a step, and holds up no writer.
    package func backup(to path: String) async throws(StoreBackupError) -> StoreBackup {
        let target = try BackupTarget(path: path)
        guard DescriptorReserve.isFree else { throw .failed("too many open files") }
        switch backups.begin() {
        case .begun: break
        case .alreadyRunning: throw .refused(.alreadyRunning)
        case .stopped: throw .unavailable
        }
        defer { backups.end() }
        let partial = try target.begin(random)
        do throws(StoreBackupError) {
            let copy = BackupCopy(
                partial: partial, running: backups, pagesPerStep: limits.pagesPerBackupStep, hooks: hooks)
            let (at, logs) = try await reader.backup(copy, clock: clock)
            return StoreBackup(path: target.path, bytes: try partial.finish(), at: at, logs: logs)
        } catch {
            partial.abandon()
            throw error
        }
    }

    // MARK: Reading

    /// Pages of one table after the other, each page in a snapshot of its own: whole only while nobody commits, as at the start.
    package func loadTenancy(_ receive: (TenancyChange) throws -> Void) async throws(StoreError) {
        for table in TenancyTable.allCases {
            var after: Data?
            repeat {
                let start = after
                let page = try await reader.read { try TenancyReading.page(of: table, after: start, in: $0) }
                do {
                    for change in page.changes { try receive(change) }
                } catch {
                    throw .failed("the receiver of the tenancy gave up: \(error)")
                }
                after = page.next
            } while after != nil
        }
    }

    /// Found by an index of commands that have not ended: the cost does not grow with those that have.
    package func openCommands(of owner: GatewayNumber) async throws(StoreError) -> [StoredCommand] {
        try await reader.read { db in
            var reading = CommandReading(db)
            return try reading.openCommands(of: owner)
        }
    }

    /// From one snapshot.
    package func usesTaken() async throws(StoreError) -> [GuestAccessID: Int] {
        try await reader.read { try CounterReading.usesTaken(in: $0) }
    }

    /// Also of an owner that is not there.
    package func epoch(of owner: EpochOwner) async throws(StoreError) -> UInt64 {
        try await reader.read { try CounterReading.epoch(of: owner, in: $0) }
    }

    /// Also of a log without a record.
    package func lease(of log: LogID) async throws(StoreError) -> LogLease? {
        try await reader.read { try CounterReading.lease(of: log, in: $0) }
    }

    /// Its course is in a row of its own; who gave it and why is read from the record of its intent.
    package func command(_ id: CommandID) async throws(StoreError) -> StoredCommand? {
        try await reader.read { db in
            var reading = CommandReading(db)
            return try reading.command(id)
        }
    }

    /// In the same statements whether there is such a command or not.
    package func command(_ id: CommandID, within query: CommandQuery) async throws(StoreError) -> StoredCommand? {
        try await reader.read { db in
            var reading = CommandReading(db)
            return try reading.command(id, within: query)
        }
    }

    /// A command that is meant by several scopes counts once.
    package func commands(_ query: CommandQuery) async throws(StoreError) -> (commands: [StoredCommand], total: Int) {
        let passedOver = limits.commandsPassedOver
        return try await reader.list(for: query.reader) { (db, _) in
            var reading = CommandReading(db)
            return try reading.commands(query, passingOver: passedOver)
        }
    }

    /// From one snapshot. A personal value whose key is gone, or that does not open, is `nil`, or `.withheld` in details.
    package func page(_ query: RecordQuery) async throws(StoreError) -> RecordPage {
        try await reader.list(for: query.reader) { db, budget in
            var reading = RecordQueryReading(query, in: db)
            return try reading.page(&budget)
        }
    }

    /// Personal values as in `page`; bytes that are no record throw `.failed`.
    package func record(_ id: RecordID) async throws(StoreError) -> AccessRecord? {
        try await reader.read { db in
            var reading = RecordReading(db)
            return try reading.record(id)
        }
    }

    /// From one snapshot.
    package func range(of log: LogID, from seq: UInt64, limit: Int) async throws(StoreError) -> LogRange? {
        try await reader.read { db in
            guard let log = try StoredLog.find(log, in: db) else { return nil }
            let first = min(max(seq, log.firstSeq), log.size)
            var entries: [LogRange.Entry] = []
            try db.step(
                "SELECT position, bytes, leaf_hash FROM entries WHERE position >= ? AND position < ? ORDER BY position LIMIT ?",
                [Position(logKey: log.key, seq: first).rawValue, log.range.upperBound, max(0, limit)]
            ) { row in
                entries.append(
                    LogRange.Entry(
                        seq: Position(rawValue: row.integer(0)).seq, bytes: row.bytes(1), leafHash: row.bytes(2)))
            }
            return LogRange(firstSeq: min(log.firstSeq, log.size), size: log.size, entries: entries)
        }
    }

    /// A few rows of hashes, however long the log is.
    package func node(level: Int, index: UInt64, of log: LogID) async throws(StoreError) -> [UInt8]? {
        try await reader.read { db in
            guard let log = try StoredLog.find(log, in: db) else { return nil }
            var tiles = LogTiles(log: log.key, in: db)
            return try tiles.node(level: level, index: index, size: log.size)
        }
    }

    /// Also of a disabled user: who may sign in is not decided here.
    package func passwordHash(of user: UserID) async throws(StoreError) -> String? {
        try await reader.read { try CredentialReading.passwordHash(of: user, in: $0) }
    }

    /// By id. A session whose `expiresAt` is `now` is over.
    package func liveSessions(at now: Timestamp) async throws(StoreError) -> [Session] {
        try await reader.read { try CredentialReading.liveSessions(at: now, in: $0) }
    }

    /// `nil` for a digest that was never given out, and for tokens of sessions that are past their time and cleared away.
    package func refreshToken(digest: [UInt8]) async throws(StoreError) -> StoredRefreshToken? {
        try await reader.read { try CredentialReading.refreshToken(digest: digest, in: $0) }
    }

    /// Looks at no clock: one that is past its time is found until it is used or replaced.
    package func passwordReset(digest: [UInt8]) async throws(StoreError) -> PasswordReset? {
        try await reader.read { try CredentialReading.passwordReset(digest: digest, in: $0) }
    }

    /// As bytes, in the form in which `.noteKey` had it.
    package func publicKey(for purpose: KeyPurpose) async throws(StoreError) -> [UInt8]? {
        try await reader.read { try CredentialReading.publicKey(for: purpose, in: $0) }
    }

    /// A key with a NUL in it is never found: bound as a C string it would be another one.
    package func idempotentAnswer(
        _ key: IdempotencyKey, notOlderThan oldest: Timestamp
    ) async throws(StoreError) -> IdempotencyEntry? {
        try await reader.read { try IdempotencyReading.entry(key, in: $0) }.flatMap { $0.createdAt >= oldest ? $0 : nil }
    }
}
