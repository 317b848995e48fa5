internal import DoorwardDomain
import GRDB

/// Removes expired rows, a bounded number at a time.
enum Pruning {
    /// The number of expired rows that are removed from a table with each insertion. It is more than one, so that the table
    /// shrinks.
    static let besideAnInsert = 8
    /// The number of expired rows that one transaction removes from a table when the store is opened.
    static let atOpening = 4096

    /// Removes expired sessions, ended or not, with their tokens. Used tokens of other sessions are kept, so that a second use
    /// of a token is detected, which indicates theft.
    ///
    /// - Returns: the number of removed rows.
    @discardableResult
    static func sessions(expiredAt now: Timestamp, limit: Int, in db: Database) throws -> Int {
        // A session has several tokens. It is removed after the last of them.
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

    /// Removes expired idempotency keys.
    ///
    /// - Returns: the number of removed rows.
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
