import GRDB

/// The ninth schema: API keys, invitations and recovery codes (decision 0050). Secrets and tokens are stored as digests.
enum Schema009 {
    @Sendable static func apply(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE api_keys (
                    id BLOB PRIMARY KEY, name TEXT NOT NULL, user_id BLOB NOT NULL REFERENCES users,
                    parent_id BLOB, -- the key that created it, which may have been removed
                    entity_type TEXT NOT NULL, entity_id BLOB NOT NULL, role TEXT NOT NULL, digest BLOB NOT NULL,
                    created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX api_keys_by_user ON api_keys (user_id);
                CREATE INDEX api_keys_by_entity ON api_keys (entity_id);
                CREATE TABLE invitations (
                    id BLOB PRIMARY KEY, email TEXT NOT NULL,
                    role TEXT, entity_type TEXT, entity_id BLOB, -- all three, or else account_id
                    account_id BLOB REFERENCES users, user_id BLOB NOT NULL REFERENCES users, key_id BLOB,
                    digest BLOB NOT NULL UNIQUE, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX invitations_by_user ON invitations (user_id);
                CREATE INDEX invitations_by_entity ON invitations (entity_id) WHERE entity_id IS NOT NULL;
                CREATE INDEX invitations_by_account ON invitations (account_id) WHERE account_id IS NOT NULL;
                CREATE TABLE recovery_codes (
                    user_id BLOB NOT NULL REFERENCES users, digest BLOB NOT NULL, PRIMARY KEY (user_id, digest)
                ) STRICT, WITHOUT ROWID;
                """)
    }
}
