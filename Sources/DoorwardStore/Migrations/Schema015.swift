import GRDB

/// The fifteenth schema: the purchases that users have redeemed (decision 0090).
enum Schema015 {
    @Sendable static func apply(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE purchases (
                    digest BLOB PRIMARY KEY, -- SHA-256 of the environment and the id of the original transaction
                    user_id BLOB NOT NULL, -- kept after the user is deleted
                    redeemed_at INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                """)
    }
}
