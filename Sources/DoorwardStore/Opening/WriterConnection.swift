internal import DoorwardDomain
import GRDB

/// The one connection that writes to the file and checkpoints it.
///
/// After any failure of the disk it is dropped and a new one is opened: what a failed flush left unwritten is lost to the
/// kernel, and a second flush on the same descriptor would report success all the same.
struct WriterConnection {
    let queue: DatabaseQueue

    /// Opens the connection, checks that the file is ours and not newer than we are, and brings the schema up to date.
    static func open(
        path: String, limits: StoreLimits, schema: Schema = .current
    ) throws(StoreOpenError) -> WriterConnection {
        do {
            let connection = WriterConnection(queue: try DatabaseQueue(path: path, configuration: configuration()))
            do {
                try connection.prepare(path: path, limits: limits, schema: schema)
                return connection
            } catch {
                connection.abandon()
                throw error
            }
        } catch let error as StoreOpenError {
            throw error
        } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
            throw .notOurs(path: path)
        } catch {
            throw .failed(path: path, reason: describe(error))
        }
    }

    private static func configuration() -> Configuration {
        var configuration = Configuration()
        configuration.label = "doorward.store.writer"
        configuration.busyMode = .timeout(1)
        // The writer itself begins and ends transactions; after a failure one may be left open on a connection that is dropped.
        configuration.allowsUnsafeTransactions = true
        return configuration
    }

    private func prepare(path: String, limits: StoreLimits, schema: Schema) throws {
        try queue.writeWithoutTransaction { db in
            try schema.check(db, path: path)
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
        let before = try queue.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA user_version") ?? 0 }
        try schema.migrate(queue)
        try verifySettings(path: path)
        // A step may rewrite everything: nobody's first commands wait for that to be moved out of the log.
        if (1..<schema.number).contains(before) { try cutLog() }
    }

    /// GRDB sets `synchronous` by itself in places, and a step may switch off references: what counts is what the open
    /// connection says.
    private func verifySettings(path: String) throws {
        if let violation = try settings().violation { throw StoreOpenError.notDurable(path: path, setting: violation) }
    }

    /// Removes sessions and answers that were past their time at `now`, all of them, in transactions of bounded size.
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

    /// Closes without a flush and without a checkpoint, as long as a reader has the file open.
    func abandon() { try? queue.close() }

    func settings() throws -> StoreSettings { try queue.writeWithoutTransaction { try StoreSettings($0) } }

    /// Moves what the write-ahead log holds into the database file, as far as no reader still needs the old pages.
    ///
    /// - Returns: how many pages the log has, and whether every one of them was moved.
    @discardableResult
    func checkpoint() throws -> (pages: Int, isComplete: Bool) {
        try queue.writeWithoutTransaction { db in
            let result = try db.checkpoint(.passive)
            return (result.walFrameCount, result.walFrameCount == result.checkpointedFrameCount)
        }
    }

    /// Moves everything into the database file and empties the log, after waiting for readers. Where one is still in the way
    /// the log stays as it is.
    func cutLog() throws {
        do {
            _ = try queue.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {}
    }

    /// Closes after a checkpoint. As the last connection it also removes the write-ahead log; where a reader was in the way
    /// of the checkpoint the log stays, whole and durable, for whoever opens the file next.
    func close() throws { try queue.close() }
}

/// An error in words that name no row and no value.
func describe(_ error: any Error) -> String {
    guard let error = error as? DatabaseError else { return "an unexpected error of type \(type(of: error))" }
    return "SQLite error \(error.extendedResultCode.rawValue), \(error.message ?? "no message")"
}
