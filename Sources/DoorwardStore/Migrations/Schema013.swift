import GRDB

/// The thirteenth schema: the links of guest accesses (decision 0070). Tokens are stored as digests.
enum Schema013 {
    @Sendable static func apply(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE guest_links (
                    id BLOB PRIMARY KEY REFERENCES guest_accesses, -- of the guest access
                    digest BLOB NOT NULL UNIQUE, created_at INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                """)
    }
}
