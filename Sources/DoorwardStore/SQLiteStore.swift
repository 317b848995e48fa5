package import DoorwardAudit
package import DoorwardDomain
package import DoorwardKernel
package import DoorwardPolicy
import FoundationEssentials
import Glibc
package import Logging
package import Metrics

/// The gateway's store in one SQLite file, in WAL mode. Every commit is flushed to disk.
///
/// One connection writes and checkpoints; the others only read. Only one process at a time can open the file.
package final class SQLiteStore: GatewayStore {
    private let locks: (name: FileLock, file: InodeLock)
    let reader: StoreReader
    let writer: StoreWriter
    private let context: StoreContext
    let keys: PersonKeyFile
    /// For the names of partial backup files.
    private let random: RandomSource

    private init(
        locks: (name: FileLock, file: InodeLock), reader: StoreReader, connection: sending WriterConnection, context: StoreContext
    ) {
        (self.locks, self.reader, self.context, keys) = (locks, reader, context, connection.keys)
        random = RandomSource(context.random)
        writer = StoreWriter(connection: connection, context: context)
    }

    /// Returns whether the file exists. Throws if `open` could not use or create the file, judged by file names and permissions
    /// alone. Creates, opens and locks nothing, so a gateway may have the file open.
    package static func isFile(at path: String) throws(StoreOpenError) -> Bool { try DatabaseFile(at: path).check() }

    /// Returns whether the person-key file exists. Throws if `open` could not use it, judged by its content and permissions.
    package static func hasPersonKeys(at path: String) throws(StoreOpenError) -> Bool { try PersonKeyFile.check(path) }

    /// Opens the file, or creates it with mode 0600, and migrates its schema. Blocks until the store is open.
    ///
    /// - Parameters:
    ///   - path: the database file. `<path>.lock` beside it, and the file itself, stay locked until the store is closed or the
    ///     process ends.
    ///   - personKeyFile: the file with the keys that encrypt personal data in the database; `nil` for `<path>.person-keys`. It
    ///     is created for a new database.
    ///   - random: the source of person keys and of the names of partial backup files. Outside
    ///     tests, this is the system's generator.
    package static func open(
        path: String, personKeyFile: String? = nil, clock: any GatewayClock,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(), logger: Logger,
        limits: StoreLimits = StoreLimits(), hooks: StoreHooks = .none,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) throws(StoreOpenError) -> SQLiteStore {
        let file = try DatabaseFile(at: path)
        let path = file.path
        let nameLock = try FileLock(for: path)
        let tightened = try file.prepare()
        // Lock the file before reading it: if a gateway has it open under another name, its write-ahead log would not be found.
        let locks = (name: nameLock, file: try InodeLock(for: path))
        for name in tightened {
            logger.warning("other users could access this file; its mode has been set to 0600", metadata: ["file": "\(name)"])
        }
        if let names = file.nameCount, names > 1 {
            logger.warning(
                "the database file has hard links, but its write-ahead log belongs to one name: always open it by the same name",
                metadata: ["file": "\(path)", "names": "\(names)"])
        }
        let connection = try WriterConnection.open(path: path, limits: limits) { known throws(StoreOpenError) in
            try .open(
                personKeyFile ?? "\(path).person-keys", knownTo: path, id: known, random: random, atStep: hooks.duringErasure)
        }
        let reader = try StoreReader(path: path, limits: limits, clock: clock)
        do {
            try connection.keys.erase(try connection.erasedPersons())
            // A process that was killed may have left erased content in the write-ahead log. A migration may also have rewritten the whole
            // database, and the first commands must not wait for a checkpoint of it.
            try connection.truncateWAL(waitsForReaders: true)
            try connection.prune(at: clock.now())
            try Projector.catchUp(connection.queue, limit: limits.entriesPerProjection)
        } catch let error as DurableFile.Failure {
            connection.abandon()
            throw .failed(
                path: path,
                reason: "an erasure cannot be finished, because the file with the keys of personal data cannot be \(error.verb): "
                    + error.reason)
        } catch {
            connection.abandon()
            throw .failed(path: path, reason: describe(error))
        }
        let context = StoreContext(
            path: path, clock: clock, random: random, logger: logger, limits: limits, hooks: hooks, metrics: StoreMetrics(metrics)
        )
        return SQLiteStore(locks: locks, reader: reader, connection: connection, context: context)
    }

    /// Updates the gauges of the files and records. Call it before each reading of the metrics. If the records cannot be
    /// counted, their gauges keep their values.
    package func sampleMetrics() async {
        context.metrics.logBytes.set(fileStatus("\(context.path)-wal").map { Int64($0.st_size) } ?? 0)
        try? await reader.read { [context] in try context.metrics.sampleRecords(in: $0) }
    }

    // MARK: Writing

    /// Waits in the writer's queue and shares a flush with the other waiting transactions. If the queue is full, or the
    /// database has not been reopened after a failure, writes nothing and throws `.unavailable`.
    package func commit(_ transaction: StoreTransaction) async throws(StoreError) -> [RecordPosition] {
        try await writer.commit(transaction).get()
    }

    /// Replaces the person-key file, and truncates the write-ahead log unless a reader needs it. Transactions wait neither for the
    /// flush of the file nor for readers.
    package func finishErasures() async throws(StoreError) -> Bool { try await writer.finishErasures() }

    /// Returns whether the writer accepts transactions. After a failure, tries to reopen the database once the retry delay has
    /// passed.
    package func isWritable() async -> Bool { await writer.isWritable() }

    /// Stops a running backup, writes the queued transactions, moves the write-ahead log into the file and releases the locks,
    /// in this order. The locks are released even if a step fails.
    package func close() async throws(StoreError) {
        // Release the locks even after a failure: this store no longer uses the file.
        defer { locks.name.release() }
        defer { locks.file.release() }
        context.backups.stop()
        do throws(StoreError) {
            try await writer.drain()
        } catch {
            await reader.close()
            try? await writer.close()
            throw error
        }
        await reader.close()
        try await writer.close()
    }

    // MARK: Backup

    /// Writes a backup from a snapshot, a few pages per step, without blocking the writer. At most one backup runs at a time;
    /// another call throws `.refused(.alreadyRunning)`.
    package func backup(to path: String) async throws(StoreBackupError) -> StoreBackup {
        let target = try BackupTarget(path: path)
        guard DescriptorReserve.isFree else { throw .failed("too many open files") }
        try context.backups.requireFree(andBegin: true)
        defer { context.backups.end() }
        let partial = try target.begin(random)
        do throws(StoreBackupError) {
            let (at, logs) = try await reader.backup(BackupCopy(partial: partial, context: context))
            return StoreBackup(
                path: target.path, bytes: try await blocking { () throws(StoreBackupError) in try partial.finish() }, at: at,
                logs: logs)
        } catch {
            partial.abandon()
            throw error
        }
    }

    /// Checks the path, and whether another backup runs. Creates no file.
    package func checkBackup(to path: String) async throws(StoreBackupError) -> String {
        let target = try BackupTarget(path: path)
        try context.backups.requireFree()
        return target.path
    }

    // MARK: Reading

    /// Reads one table after the other, each page in its own snapshot. The result is consistent only if nothing is committed
    /// meanwhile, as when the gateway starts.
    package func loadTenancy(_ receive: (TenancyChange) throws -> Void) async throws(StoreError) {
        for table in TenancyTable.allCases {
            var after: Data?
            repeat {
                let start = after
                let page = try await reader.read { [keys] in try TenancyRows(db: $0, keys: keys).page(of: table, after: start) }
                do {
                    for change in page.changes { try receive(change) }
                } catch {
                    throw .failed("the tenancy's receiver threw an error: \(error)")
                }
                after = page.next
            } while after != nil
        }
    }

    /// Uses an index of open commands, so the cost does not depend on the number of ended commands.
    package func openCommands() async throws(StoreError) -> [StoredCommand] {
        try await reader.read { [keys] in try CommandReading($0, keys).openCommands() }
    }

    /// Reads all counts in one snapshot.
    package func usesTaken() async throws(StoreError) -> [GuestAccessID: Int] {
        try await reader.read { try Counters.usesTaken(in: $0) }
    }

    /// Reads the one row of the clock.
    package func storedClock() async throws(StoreError) -> StoredClock? {
        try await reader.read { try ClockRow.storedClock(in: $0) }
    }

    /// Reads the command's progress from its own row, and its actor and reason from the record of its intent.
    package func command(_ id: CommandID) async throws(StoreError) -> StoredCommand? {
        try await reader.read { [keys] in try CommandReading($0, keys).command(id) }
    }

    /// If the query does not match the command, executes the same statements as for an unknown id.
    package func command(_ id: CommandID, within query: CommandQuery) async throws(StoreError) -> StoredCommand? {
        try await reader.read { [keys] in try CommandReading($0, keys).command(id, within: query) }
    }

    /// A command in several scopes is counted and returned once.
    package func commands(_ query: CommandQuery) async throws(StoreError) -> (commands: [StoredCommand], total: Int) {
        try await reader.list(for: query.reader) { [keys, context] (db, _) in
            try CommandReading(db, keys).commands(query, passingOver: context.limits.commandsPassedOver)
        }
    }

    /// Reads in one snapshot. A personal value is `nil`, or `.withheld` in details, if its key was erased or it cannot be
    /// decrypted.
    package func page(_ query: RecordQuery) async throws(StoreError) -> RecordPage {
        try await reader.list(for: query.reader) { [keys] in try RecordQueryReading(query, in: $0, keys).page(&$1) }
    }

    /// Counts in one snapshot for each call.
    package func counts(_ query: RecordCountQuery) async throws(StoreError) -> RecordCounts {
        try await reader.list(for: query.reader) { [keys] in
            try RecordQueryReading(query.examined, in: $0, keys).counts(query, &$1)
        }
    }

    /// Returns personal values as `page` does. Throws `.failed` if the stored bytes are not a record.
    package func record(_ id: RecordID, within scopes: [RecordScope]) async throws(StoreError) -> AccessRecord? {
        try await reader.read { [keys] in try RecordReading($0, keys).record(id, within: scopes) }
    }

    /// Returns personal values as `page` does. Throws `.failed` if the stored bytes are not a record.
    package func record(_ id: RecordID) async throws(StoreError) -> AccessRecord? {
        try await reader.read { [keys] in try RecordReading($0, keys).record(id) }
    }

    /// Reads in one snapshot.
    package func range(of log: LogID, from seq: UInt64, limit: Int) async throws(StoreError) -> LogRange? {
        try await reader.read { db in
            guard let log = try StoredLog.find(log, in: db) else { return nil }
            let first = min(max(seq, log.firstSeq), log.size)
            let entries = try db.rows(
                "SELECT position, bytes, leaf_hash FROM entries WHERE position >= ? AND position < ? ORDER BY position LIMIT ?",
                [EntryKey(logKey: log.key, seq: first).rawValue, log.range.upperBound, max(0, limit)]
            ) { LogRange.Entry(seq: EntryKey(rawValue: $0.integer(0)).seq, bytes: $0.bytes(1), leafHash: $0.bytes(2)) }
            return LogRange(firstSeq: min(log.firstSeq, log.size), size: log.size, entries: entries)
        }
    }

    /// Reads in one snapshot.
    package func sealedRecords(
        _ ranges: [Range<UInt64>], of log: LogID, for list: ListReader, upTo byteCount: Int
    ) async throws(StoreError) -> [SealedRecord] {
        try await reader.list(for: list) { [keys] db, _ in
            guard let log = try StoredLog.find(log, in: db) else { return [] }
            return try RecordReading(db, keys).sealed(ranges, of: log, upTo: byteCount)
        }
    }

    /// Reads in one snapshot, and each row of hashes once.
    package func nodes(_ nodes: [MerkleNode], of log: LogID, for list: ListReader?) async throws(StoreError) -> [[UInt8]]? {
        guard let list else { return try await reader.read { try LogTiles.hashes(of: nodes, in: log, $0) } }
        return try await reader.list(for: list) { db, _ in try LogTiles.hashes(of: nodes, in: log, db) }
    }

    /// Reads one row for each log.
    package func logs(withValuesOf person: UserID) async throws(StoreError) -> [LogID] {
        try await reader.read { db in
            try PersonKeys.logs(of: .user(person), in: db).compactMap { try StoredLog.find(key: $0, in: db)?.id }
                .sorted { $0.description < $1.description }
        }
    }

    /// Reads one row of each log, in one snapshot.
    package func logHeads() async throws(StoreError) -> [LogHead] { try await reader.read { try LogHeadReading.heads(in: $0) } }

    /// Reads one row, as of the last commit.
    package func frontier(of log: LogID) async throws(StoreError) -> MerkleFrontier? {
        try await reader.read { try LogHeadReading.frontier(of: log, in: $0) }
    }

    /// Returns the hash of a disabled user too: the store does not decide who may sign in.
    package func passwordHash(of user: UserID) async throws(StoreError) -> String? {
        try await reader.read { try CredentialReading.passwordHash(of: user, in: $0) }
    }

    /// Returns the sessions sorted by id. A session whose `expiresAt` equals `now` has expired.
    package func liveSessions(at now: Timestamp) async throws(StoreError) -> [Session] {
        try await reader.read { try CredentialReading.liveSessions(at: now, in: $0) }
    }

    /// Returns `nil` for an unknown digest, and for a token that was removed with its expired session.
    package func refreshToken(digest: [UInt8]) async throws(StoreError) -> StoredRefreshToken? {
        try await reader.read { try CredentialReading.refreshToken(digest: digest, in: $0) }
    }

    /// Does not check the expiry: an expired reset is returned until it is replaced or ended.
    package func passwordReset(digest: [UInt8]) async throws(StoreError) -> PasswordReset? {
        try await reader.read { try CredentialReading.passwordReset(digest: digest, in: $0) }
    }

    /// Returns the digests in the order of the primary key.
    package func recoveryCodes(of user: UserID) async throws(StoreError) -> [[UInt8]] {
        try await reader.read { try CredentialReading.recoveryCodes(of: user, in: $0) }
    }

    /// Returns the bytes in the form in which they were passed to `.noteKey`.
    package func publicKey(for purpose: KeyPurpose) async throws(StoreError) -> [UInt8]? {
        try await reader.read { try CredentialReading.publicKey(for: purpose, in: $0) }
    }

    /// Reads the former keys and the present one in one snapshot.
    package func publicKeys(for purpose: KeyPurpose) async throws(StoreError) -> [[UInt8]] {
        try await reader.read { try CredentialReading.publicKeys(for: purpose, in: $0) }
    }

    /// Returns `nil` for a key with a NUL character: bound as a C string, it could match another key.
    package func idempotentAnswer(
        _ key: IdempotencyKey, notOlderThan oldest: Timestamp
    ) async throws(StoreError) -> IdempotencyEntry? {
        try await reader.read { try IdempotencyReading.entry(key, in: $0) }.flatMap { $0.createdAt >= oldest ? $0 : nil }
    }
}
