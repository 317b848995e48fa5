internal import DoorwardDomain
import GRDB

/// Removes what nobody can use any more, a bounded number at a time.
enum Pruning {
    /// Rows of one table that go beside one that is written: more than one, so that the table shrinks.
    static let besideAnInsert = 8
    /// Rows of one table that go in one transaction when the store is opened.
    static let atOpening = 4096

    /// Sessions past their time, ended or not, with their tokens. A token of a session that still has time stays, used or
    /// not: one that is used twice was stolen.
    ///
    /// - Returns: how many rows went.
    @discardableResult
    static func sessions(expiredAt now: Timestamp, limit: Int, in db: Database) throws -> Int {
        // A session has more tokens than one, and goes after the last of them.
        try db.run(
            """
            DELETE FROM refresh_tokens WHERE digest IN
                (SELECT digest FROM sessions JOIN refresh_tokens ON session_id = sessions.id WHERE expires_at <= ?
                 ORDER BY expires_at LIMIT ?)
            """, [now.milliseconds, limit * 4])
        let tokens = db.changesCount
        try db.run(
            """
            DELETE FROM sessions WHERE id IN
                (SELECT id FROM sessions WHERE expires_at <= ?
                 AND NOT EXISTS (SELECT 1 FROM refresh_tokens WHERE session_id = sessions.id) ORDER BY expires_at LIMIT ?)
            """, [now.milliseconds, limit])
        return tokens + db.changesCount
    }

    /// Answers that were kept for their time.
    ///
    /// - Returns: how many rows went.
    @discardableResult
    static func idempotency(before oldest: Timestamp, limit: Int, in db: Database) throws -> Int {
        try db.run(
            """
            DELETE FROM idempotency WHERE (principal, key) IN
                (SELECT principal, key FROM idempotency WHERE created_at < ? ORDER BY created_at LIMIT ?)
            """, [oldest.milliseconds, limit])
        return db.changesCount
    }
}
