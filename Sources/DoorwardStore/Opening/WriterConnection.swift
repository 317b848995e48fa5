internal import DoorwardDomain
import GRDB
internal import GRDBSQLite
import Glibc

/// The only connection that writes to the file and checkpoints it.
///
/// After any disk failure, the connection is dropped and a new one is opened. The kernel discards the pages that a failed flush
/// left unwritten, so a second flush on the same descriptor would report success although the pages are lost.
struct WriterConnection {
    let queue: DatabaseQueue
    /// How long the connection waits for a lock of the database, in milliseconds.
    private static let busyTimeout: CInt = 1000
    /// The keys of the database's person-key file.
    let keys: PersonKeyFile

    /// Opens the connection, checks that the file is a Doorward database of a known schema, and migrates it.
    ///
    /// - Parameter keys: opens the person-key file, given its id, which the database knows if it was used with one.
    static func open(
        path: String, limits: StoreLimits, schema: Schema = .current,
        keys: (_ known: [UInt8]?) throws(StoreOpenError) -> PersonKeyFile
    ) throws(StoreOpenError) -> WriterConnection {
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration())
            do {
                let known = try queue.writeWithoutTransaction { db in
                    try schema.check(db, path: path)
                    return try PersonKeyFile.storedID(in: db)
                }
                let connection = WriterConnection(queue: queue, keys: try keys(known))
                try connection.prepare(path: path, limits: limits, schema: schema)
                return connection
            } catch {
                try? queue.close()
                throw error
            }
        } catch {
            throw StoreOpenError(error, path: path)
        }
    }

    private static func configuration() -> Configuration {
        var configuration = Configuration()
        configuration.label = "doorward.store.writer"
        configuration.busyMode = .timeout(Double(busyTimeout) / 1000)
        // The writer begins and ends transactions itself. After a failure, a transaction may still be open on a connection that
        // is dropped.
        configuration.allowsUnsafeTransactions = true
        return configuration
    }

    private func prepare(path: String, limits: StoreLimits, schema: Schema) throws {
        try queue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    PRAGMA journal_mode = WAL;
                    PRAGMA synchronous = FULL;
                    PRAGMA secure_delete = ON;
                    PRAGMA wal_autocheckpoint = 0;
                    PRAGMA trusted_schema = OFF;
                    PRAGMA temp_store = MEMORY;
                    PRAGMA cache_size = -32768;
                    """)
            if let pages = limits.maximumPages { try db.execute(sql: "PRAGMA max_page_count = \(pages)") }
        }
        try verifySettings(path: path)
        try schema.migrate(queue, keys: keys)
        try verifySettings(path: path)
    }

    /// Verifies the settings that the open connection reports. GRDB sets `synchronous` itself in some cases, and a migration
    /// step may disable foreign keys.
    private func verifySettings(path: String) throws {
        if let violation = try queue.writeWithoutTransaction(StoreSettings.violation) {
            throw StoreOpenError.notDurable(path: path, setting: violation)
        }
    }

    /// Removes all sessions and idempotency keys that had expired at `now`, in transactions of bounded size.
    func prune(at now: Timestamp) throws {
        let oldest = now.advanced(by: .zero - IdempotencyWriting.lifetime)
        var removed = 0
        repeat {
            removed = try queue.writeWithoutTransaction { db in
                var rows = 0
                try db.inTransaction(.immediate) {
                    rows += try Pruning.sessions(expiredAt: now, limit: Pruning.atOpening, in: db)
                    rows += try Pruning.idempotency(before: oldest, limit: Pruning.atOpening, in: db)
                    return .commit
                }
                return rows
            }
        } while removed > 0
    }

    /// Closes the connection. If a reader has the file open, this neither flushes nor checkpoints.
    func abandon() { try? queue.close() }

    /// Moves pages of the write-ahead log into the database file, except pages whose old version a reader still needs.
    ///
    /// - Returns: the number of pages in the log, and whether all of them were moved.
    @discardableResult
    func checkpoint() throws -> (pages: Int, isComplete: Bool) {
        try queue.writeWithoutTransaction { db in
            let result = try db.checkpoint(.passive)
            return (result.walFrameCount, result.walFrameCount == result.checkpointedFrameCount)
        }
    }

    /// Moves all pages into the database file and truncates the log. If a reader blocks this, the log is not truncated.
    ///
    /// - Parameter waitsForReaders: whether to wait for readers, for at most a second. Every transaction waits, too.
    /// - Returns: whether the log was truncated.
    @discardableResult
    func truncateWAL(waitsForReaders: Bool) throws -> Bool {
        do {
            try queue.writeWithoutTransaction { db in
                sqlite3_busy_timeout(db.sqliteConnection, waitsForReaders ? Self.busyTimeout : 0)
                defer { sqlite3_busy_timeout(db.sqliteConnection, Self.busyTimeout) }
                _ = try db.checkpoint(.truncate)
            }
            return true
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            return false
        }
    }

    /// Returns every erased person, with the number of erased generations. The person-key file must lack their wrapping keys, also
    /// after a crash between the commit of an erasure and the replacement of the file, and after an old copy of the file was put in
    /// its place.
    func erasedPersons() throws -> [(user: UserID, generations: Int)] {
        try queue.writeWithoutTransaction { try PersonKeys.erased(in: $0) }
    }

    /// Closes the connection after a checkpoint. If it is the last connection, SQLite also removes the write-ahead log. If a
    /// reader blocked the checkpoint, the log stays, complete and durable, for the next store that opens the file.
    func close() throws { try queue.close() }
}

/// Returns a description of the error that contains no row and no value.
func describe(_ error: any Error) -> String {
    if let error = error as? UnreadableColumn {
        let row = error.row.map { " of the row \($0)" } ?? ""
        return "the column \"\(error.column)\"\(row) has a value that no gateway writes; 'doorward store check' says where"
    }
    guard let error = error as? DatabaseError else { return "an unexpected error of type \(type(of: error))" }
    // SQLite gives no cause when it cannot open a file.
    if error.resultCode == .SQLITE_CANTOPEN, !DescriptorReserve.isFree { return "too many open files" }
    let details = "SQLite error \(error.extendedResultCode.rawValue), \(error.message ?? "no message")"
    switch error.resultCode {
    case .SQLITE_FULL: return "\(SystemFailure(ENOSPC)) (\(details))"
    case .SQLITE_IOERR: return "the disk is full or reports an error; free space on it, and check it (\(details))"
    case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_READONLY:
        return
            "the file, or one beside it, cannot be written; check the owner and the mode of both and of their folder (\(details))"
    default: return details
    }
}
