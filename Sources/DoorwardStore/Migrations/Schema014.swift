import GRDB

/// The fourteenth schema: the store keeps which checkpoint of each log was signed last, and the public keys that were replaced.
enum Schema014 {
    @Sendable static func apply(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE log_checkpoints (
                    log_id TEXT PRIMARY KEY, -- 'gateway' or the portfolio's id
                    generation INTEGER NOT NULL,
                    size INTEGER NOT NULL, -- of the newest signed checkpoint; 0: none is signed in this generation
                    signed_at INTEGER -- NULL: none is signed in this generation
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE former_gateway_keys (
                    purpose TEXT NOT NULL, number INTEGER NOT NULL, -- from 1, the oldest key first
                    public_half BLOB NOT NULL, PRIMARY KEY (purpose, number)
                ) STRICT, WITHOUT ROWID;
                """)
    }
}
