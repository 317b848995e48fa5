import GRDB

/// The seventh schema: the uses of guest accesses, epochs and leases that preconditions are about, and the gateway that executes a
/// command (decision 0037).
enum Schema007 {
    @Sendable static func apply(_ db: Database) throws {
        try db.execute(sql: counters)
    }

    private static let counters = """
        CREATE TABLE guest_uses (
            guest_access_id BLOB PRIMARY KEY REFERENCES guest_accesses, taken INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE epochs (
            kind TEXT NOT NULL, owner_id BLOB NOT NULL, -- a portfolio or a user
            epoch INTEGER NOT NULL, PRIMARY KEY (kind, owner_id)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE log_leases (
            log_id TEXT PRIMARY KEY, -- as in `logs`, which may not have it yet
            holder INTEGER NOT NULL, epoch INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        ALTER TABLE commands ADD COLUMN owner INTEGER NOT NULL DEFAULT 0; -- the number of the gateway that executes it
        """
}
