internal import DoorwardControl
internal import DoorwardDomain
import GRDB
internal import GRDBSQLite
internal import Logging

/// The writer's open connection and the caches of its database. Both are discarded after a failure.
struct BatchWriter {
    typealias Answer = Result<[RecordPosition], StoreError>

    let connection: WriterConnection
    private var appender: LogAppender
    private let limits: StoreLimits
    private let hooks: StoreHooks
    private let backups: RunningBackup
    private let logger: Logger
    private var pagesSinceCheckpoint = 0

    init(
        connection: WriterConnection, random: any RandomNumberGenerator & Sendable, logger: Logger, limits: StoreLimits,
        hooks: StoreHooks, backups: RunningBackup
    ) {
        (self.connection, self.logger) = (connection, logger)
        (self.limits, self.hooks, self.backups) = (limits, hooks, backups)
        appender = LogAppender(random: random, keys: connection.keys)
    }

    /// Writes the transactions with one flush for all. A transaction that violates a constraint is rolled back alone.
    ///
    /// - Returns: a result for each transaction.
    /// - Throws: if the disk or the database failed. It is then unknown which transactions are durable, and this writer must be
    ///   discarded.
    mutating func write(_ transactions: [PreparedTransaction]) throws -> [Answer] {
        try connection.queue.writeWithoutTransaction { db in
            do {
                return try write(transactions, in: db)
            } catch {
                // Ignore the result, because the connection is dropped. The rollback only releases the lock, so that readers
                // need not wait for it.
                try? db.execute(sql: "ROLLBACK")
                throw error
            }
        }
    }

    private mutating func write(_ transactions: [PreparedTransaction], in db: Database) throws -> [Answer] {
        hooks.beforeBatch(transactions.count)
        try appender.prepare(in: db)
        try db.run("BEGIN IMMEDIATE")
        let answers = try applyTogether(transactions, in: db) ?? transactions.map { try attempt($0, in: db) }
        try appender.finishBatch(projectingAt: limits.entriesPerProjection, in: db)
        try hooks.beforeCommit(transactions.count)
        try db.run("COMMIT")
        appender.commit(limit: limits.cachedEntries)
        try hooks.afterCommit(transactions.count)
        pagesSinceCheckpoint += db.takePagesWritten()
        return answers
    }

    /// Applies the transactions without savepoints. Most batches need none, and a savepoint would
    /// copy every page that a transaction changes.
    ///
    /// - Returns: `nil` if a transaction violates a constraint. A new, empty transaction of the database is then open.
    private mutating func applyTogether(_ transactions: [PreparedTransaction], in db: Database) throws -> [Answer]? {
        do {
            return try transactions.map { transaction in
                let places = try apply(transaction, in: db)
                appender.releaseSavepoint()
                return .success(places)
            }
        } catch {
            guard ConstraintViolation(error) != nil else { throw error }
            try db.run("ROLLBACK")
            appender.undoBatch()
            try db.run("BEGIN IMMEDIATE")
            return nil
        }
    }

    /// Applies one transaction in a savepoint, so that it is rolled back alone if it violates a constraint.
    private mutating func attempt(_ transaction: PreparedTransaction, in db: Database) throws -> Answer {
        try db.run("SAVEPOINT one")
        do {
            let places = try apply(transaction, in: db)
            try db.run("RELEASE one")
            appender.releaseSavepoint()
            return .success(places)
        } catch {
            guard let refusal = ConstraintViolation(error) else { throw error }
            try db.run("ROLLBACK TO one")
            try db.run("RELEASE one")
            appender.undoSavepoint()
            if let fault = refusal.fault {
                logger.error("a transaction was rejected because of a defect", metadata: ["reason": "\(fault)"])
            }
            return .failure(.refused(refusal.rule))
        }
    }

    private mutating func apply(_ prepared: PreparedTransaction, in db: Database) throws -> [RecordPosition] {
        let transaction = prepared.transaction
        for precondition in transaction.requires { try CounterWriting.check(precondition, in: db, connection.keys) }
        for change in transaction.changes { try TenancyWriting.apply(change, in: db, connection.keys) }
        for change in transaction.counters { try CounterWriting.apply(change, in: db) }
        for change in transaction.clock { try ClockWriting.apply(change, in: db) }
        for change in transaction.credentials { try CredentialWriting.apply(change, in: db) }
        for purchase in transaction.purchases { try CredentialWriting.redeem(purchase, in: db) }
        let appended = try appender.append(prepared, in: db)
        for change in transaction.commands {
            let intent = try CommandWriting.apply(change, records: transaction.records, appended: appended, in: db)
            if let intent { appender.markCommand(at: intent) }
        }
        for entry in transaction.idempotency { try IdempotencyWriting.keep(entry, in: db) }
        for owner in transaction.forgets { try appender.forget(owner, in: db) }
        for cut in transaction.cuts { try appender.cut(cut, in: db) }
        return appended.map(\.place)
    }

    /// Projects the remaining entries, in a separate transaction.
    mutating func projectAll() throws {
        try connection.queue.writeWithoutTransaction { db in
            try db.inTransaction(.immediate) {
                try appender.projectAll(in: db)
                return .commit
            }
        }
    }

    /// Checkpoints if enough pages were written. Call it between two batches, never inside a commit.
    mutating func checkpointIfDue() throws {
        guard pagesSinceCheckpoint >= limits.pagesPerCheckpoint else { return }
        pagesSinceCheckpoint = 0
        try hooks.beforeCheckpoint()
        let pages = try connection.checkpoint().pages
        // A backup is a long-running reader: the log grows during the backup, and is truncated afterwards.
        if pages > limits.pagesBeforeCut, !backups.isRunning {
            // Commands wait for the readers only if these would otherwise keep the log growing.
            try connection.cutLog(waitsForReaders: pages > limits.pagesBeforeWaiting)
        }
        try hooks.afterCheckpoint()
    }
}

extension Database {
    /// Returns the number of pages that the connection has written to the write-ahead log since the last call.
    fileprivate func takePagesWritten() -> Int {
        var (pages, highest): (Int32, Int32) = (0, 0)
        sqlite3_db_status(sqliteConnection, SQLITE_DBSTATUS_CACHE_WRITE, &pages, &highest, 1)
        return Int(pages)
    }
}
