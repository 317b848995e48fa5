internal import DoorwardAudit
internal import DoorwardDomain
internal import DoorwardKernel
import FoundationEssentials
import GRDB
internal import GRDBSQLite
internal import Logging

/// The writer's open connection and the caches of its database. Both are discarded after a failure.
struct BatchWriter {
    typealias Answer = Result<[RecordPosition], StoreError>

    let connection: WriterConnection
    private var appender: LogAppender
    private let context: StoreContext
    private var pagesSinceCheckpoint = 0

    init(connection: WriterConnection, context: StoreContext) {
        (self.connection, self.context) = (connection, context)
        appender = LogAppender(random: context.random, keys: connection.keys)
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
        context.hooks.beforeBatch(transactions.count)
        try appender.prepare(in: db)
        try db.run("BEGIN IMMEDIATE")
        let answers = try applyTogether(transactions, in: db) ?? transactions.map { try attempt($0, in: db) }
        try appender.finishBatch(projectingAt: context.limits.entriesPerProjection, in: db)
        try context.hooks.beforeCommit(transactions.count)
        try db.run("COMMIT")
        appender.commit(limit: context.limits.cachedEntries)
        try context.hooks.afterCommit(transactions.count)
        pagesSinceCheckpoint += db.takePagesWritten()
        return answers
    }

    /// Applies the transactions without savepoints. Most batches need none, and a savepoint would
    /// copy every page that a transaction changes.
    ///
    /// - Returns: `nil` if a transaction violates a constraint. A new, empty transaction of the database is then open.
    private mutating func applyTogether(_ transactions: [PreparedTransaction], in db: Database) throws -> [Answer]? {
        let before = appender.savepoint
        do {
            return try transactions.map { .success(try apply($0, in: db)) }
        } catch {
            guard ConstraintViolation(error) != nil else { throw error }
            try db.run("ROLLBACK")
            appender.undo(to: before)
            try db.run("BEGIN IMMEDIATE")
            return nil
        }
    }

    /// Applies one transaction in a savepoint, so that it is rolled back alone if it violates a constraint.
    private mutating func attempt(_ transaction: PreparedTransaction, in db: Database) throws -> Answer {
        try db.run("SAVEPOINT one")
        let before = appender.savepoint
        do {
            let places = try apply(transaction, in: db)
            try db.run("RELEASE one")
            return .success(places)
        } catch {
            guard let refusal = ConstraintViolation(error) else { throw error }
            try db.run("ROLLBACK TO one")
            try db.run("RELEASE one")
            appender.undo(to: before)
            if let fault = refusal.fault {
                context.logger.error("a transaction was rejected because of a defect", metadata: ["reason": "\(fault)"])
            }
            return .failure(.refused(refusal.rule))
        }
    }

    private mutating func apply(_ prepared: PreparedTransaction, in db: Database) throws -> [RecordPosition] {
        let transaction = prepared.transaction
        for precondition in transaction.requires { try Counters.check(precondition, in: db, connection.keys) }
        for change in transaction.changes { try TenancyWriting.apply(change, in: db, connection.keys) }
        for change in transaction.counters { try Counters.apply(change, in: db) }
        for change in transaction.clock { try ClockRow.apply(change, in: db) }
        for change in transaction.credentials { try CredentialWriting.apply(change, in: db) }
        for purchase in transaction.purchases { try CredentialWriting.redeem(purchase, in: db) }
        let appended = try appender.append(prepared, in: db)
        for change in transaction.commands {
            let intent = try CommandWriting.apply(change, records: transaction.records, appended: appended, in: db)
            if let intent { appender.markCommand(at: intent) }
        }
        for entry in transaction.idempotency { try IdempotencyWriting.keep(entry, in: db) }
        for owner in transaction.forgets { try appender.forget(owner, in: db) }
        for truncation in transaction.truncations { try appender.truncate(truncation, in: db) }
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
        guard pagesSinceCheckpoint >= context.limits.pagesPerCheckpoint else { return }
        pagesSinceCheckpoint = 0
        try context.hooks.beforeCheckpoint()
        let pages = try connection.checkpoint().pages
        // A backup is a long-running reader: the log grows during the backup, and is truncated afterwards.
        if pages > context.limits.pagesBeforeCut, !context.backups.isRunning {
            // Commands wait for the readers only if these would otherwise keep the log growing.
            try connection.truncateWAL(waitsForReaders: pages > context.limits.pagesBeforeWaiting)
        }
        try context.hooks.afterCheckpoint()
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

/// Writes passwords, sessions, refresh tokens, password resets, recovery codes and public keys into their tables.
enum CredentialWriting {
    static func apply(_ change: CredentialChange, in db: Database) throws {
        switch change {
        case .setPassword(let user, let hash):
            try db.run(
                """
                INSERT INTO credentials (user_id, password_hash) VALUES (?, ?)
                ON CONFLICT (user_id) DO UPDATE SET password_hash = excluded.password_hash
                """, [user.blob, hash])
        case .renewPassword(let user, let old, let new):
            try db.run("UPDATE credentials SET password_hash = ? WHERE user_id = ? AND password_hash = ?", [new, user.blob, old])
        case .beginSession(let session, let digest): try begin(session, refreshDigest: digest, in: db)
        case .rotateRefresh(let session, let old, let new, let expiresAt):
            try rotate(session, old: old, new: new, expiresAt: expiresAt, in: db)
        case .endSession(let id):
            try db.run("UPDATE sessions SET is_ended = 1 WHERE id = ?", [id.blob])
        case .endSessions(let user, let kept):
            try db.run(
                "UPDATE sessions SET is_ended = 1 WHERE user_id = ? AND is_ended = 0 AND id IS NOT ?", [user.blob, kept?.blob])
        case .offerReset(let reset, let digest): try offer(reset, digest: digest, in: db)
        case .useReset(let digest, let now):
            try db.run("DELETE FROM password_resets WHERE digest = ? AND expires_at > ?", [Data(digest), now.milliseconds])
            guard db.changesCount == 1 else { throw ConstraintViolation(.resetTokenSpent) }
        case .endReset(let user):
            try db.run("DELETE FROM password_resets WHERE user_id = ?", [user.blob])
        case .endResets(let creator):
            try db.run("DELETE FROM password_resets WHERE made_by = ?", [creator.blob])
        case .setRecoveryCodes(let user, let digests):
            try db.run("DELETE FROM recovery_codes WHERE user_id = ?", [user.blob])
            for digest in digests {
                try db.run("INSERT INTO recovery_codes (user_id, digest) VALUES (?, ?)", [user.blob, Data(digest)])
            }
        case .useRecoveryCode(let user, let digest):
            try db.run("DELETE FROM recovery_codes WHERE user_id = ? AND digest = ?", [user.blob, Data(digest)])
            guard db.changesCount == 1 else { throw ConstraintViolation(.recoveryCodeSpent(user)) }
        case .noteKey(let purpose, let publicHalf):
            try db.run(
                """
                INSERT INTO former_gateway_keys (purpose, number, public_half)
                SELECT purpose, 1 + (SELECT count(*) FROM former_gateway_keys AS former WHERE former.purpose = gateway_keys.purpose),
                    public_half
                FROM gateway_keys WHERE purpose = ? AND public_half <> ?
                """, [purpose.rawValue, Data(publicHalf)])
            try db.run(
                """
                INSERT INTO gateway_keys (purpose, public_half) VALUES (?, ?)
                ON CONFLICT (purpose) DO UPDATE SET public_half = excluded.public_half
                """, [purpose.rawValue, Data(publicHalf)])
        }
    }

    /// Assigns a purchase to the user who redeems it. It stays assigned after the user is deleted.
    static func redeem(_ purchase: RedeemedPurchase, in db: Database) throws {
        guard try db.hasRow("SELECT 1 FROM users WHERE id = ?", [purchase.userID]) else {
            throw ConstraintViolation(.parentUnknown)
        }
        try db.run(
            "INSERT INTO purchases (digest, user_id, redeemed_at) VALUES (?, ?, ?) ON CONFLICT (digest) DO NOTHING",
            [Data(purchase.digest), purchase.userID.blob, purchase.at.milliseconds])
        let owner = try db.firstRow("SELECT user_id FROM purchases WHERE digest = ?", [Data(purchase.digest)]) {
            try $0.value(Data.self)
        }
        guard owner == purchase.userID.blob else { throw ConstraintViolation(.purchaseRedeemed) }
    }

    private static func begin(_ session: Session, refreshDigest: [UInt8], in db: Database) throws {
        let isEnabled = try db.firstRow("SELECT is_enabled FROM users WHERE id = ?", [session.userID.blob]) {
            try $0.value(Bool.self)
        }
        guard isEnabled == true else { throw ConstraintViolation(.userDisabled(session.userID)) }
        try db.run(
            "INSERT INTO sessions (id, user_id, created_at, expires_at) VALUES (?, ?, ?, ?)",
            [session.id.blob, session.userID.blob, session.createdAt.milliseconds, session.expiresAt.milliseconds])
        try insert(refreshDigest, of: session.id, in: db)
        try Pruning.sessions(expiredAt: session.createdAt, limit: Pruning.rowsPerInsert, in: db)
    }

    private static func offer(_ reset: PasswordReset, digest: [UInt8], in db: Database) throws {
        try db.run(
            """
            INSERT INTO password_resets (user_id, id, digest, created_at, expires_at, made_by) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (user_id) DO UPDATE SET id = excluded.id, digest = excluded.digest,
                created_at = excluded.created_at, expires_at = excluded.expires_at, made_by = excluded.made_by
            """,
            [
                reset.userID.blob, reset.id.blob, Data(digest), reset.createdAt.milliseconds, reset.expiresAt.milliseconds,
                reset.createdBy?.blob,
            ])
    }

    private static func rotate(_ session: SessionID, old: [UInt8], new: [UInt8], expiresAt: Timestamp, in db: Database) throws {
        try db.run(
            "UPDATE refresh_tokens SET is_used = 1 WHERE digest = ? AND session_id = ? AND is_used = 0",
            [Data(old), session.blob])
        guard db.changesCount == 1 else { throw ConstraintViolation(.refreshTokenSpent(session)) }
        try db.run("UPDATE sessions SET expires_at = ? WHERE id = ? AND is_ended = 0", [expiresAt.milliseconds, session.blob])
        guard db.changesCount == 1 else { throw ConstraintViolation(.refreshTokenSpent(session)) }
        try insert(new, of: session, in: db)
    }

    private static func insert(_ digest: [UInt8], of session: SessionID, in db: Database) throws {
        try db.run("INSERT INTO refresh_tokens (digest, session_id) VALUES (?, ?)", [Data(digest), session.blob])
    }
}

/// The error of a transaction that violates a constraint. Only this transaction is rolled back; the rest of its batch is written.
struct ConstraintViolation: Error {
    let rule: StoreRefusal
    /// A description of the violation if a defect of the program or the database caused it; `nil` for a constraint that callers
    /// rely on, such as a unique email address.
    let fault: String?

    init(_ rule: StoreRefusal, fault: String? = nil) { (self.rule, self.fault) = (rule, fault) }

    /// Maps an error that the transaction caused. Returns `nil` for an error of the disk or of the whole database.
    init?(_ error: any Error) {
        switch error {
        case let refusal as ConstraintViolation: self = refusal
        case let error as DatabaseError: self.init(statement: error)
        case let error as UnreadableColumn:
            self.init(.inconsistent("a row cannot be read"), fault: "the stored column \(error.column) cannot be read")
        case is RecordEncodingError: self.init(.inconsistent("a record has no encoding"), fault: "a record cannot be encoded")
        default: return nil
        }
    }

    private init?(statement error: DatabaseError) {
        switch error.extendedResultCode {
        case .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY: self.init(.duplicate)
        case .SQLITE_CONSTRAINT_FOREIGNKEY: self.init(.parentUnknown)
        case .SQLITE_TOOBIG: self.init(.inconsistent("a value is too large"))
        case _ where error.resultCode == .SQLITE_CONSTRAINT || error.resultCode == .SQLITE_MISMATCH:
            self.init(.inconsistent("a constraint of a table"), fault: describe(error))
        default: return nil
        }
    }
}
