import GRDB

/// The first schema.
///
/// Ids are stored as the 16 bytes of the UUID. They are less than half as long as the text (36 bytes), and sort in the same
/// order. Instants are milliseconds since 1970.
enum Schema001 {
    @Sendable static func apply(_ db: Database) throws {
        try db.execute(sql: hierarchy)
        try db.execute(sql: people)
        try db.execute(sql: signIn)
        try db.execute(sql: accessLog)
        try db.execute(sql: commands)
    }

    private static let hierarchy = """
        CREATE TABLE portfolios (
            id BLOB PRIMARY KEY, name TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE properties (
            id BLOB PRIMARY KEY, name TEXT NOT NULL, portfolio_id BLOB NOT NULL REFERENCES portfolios,
            has_address INTEGER NOT NULL, street TEXT, city TEXT, state TEXT, postal_code TEXT, country TEXT,
            default_time_zone TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE units (
            id BLOB PRIMARY KEY, name TEXT NOT NULL, property_id BLOB NOT NULL REFERENCES properties,
            portfolio_id BLOB NOT NULL REFERENCES portfolios,
            common_area_ids BLOB NOT NULL, -- device ids one after the other, 16 bytes each
            created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE devices (
            id BLOB PRIMARY KEY, name TEXT NOT NULL, adapter TEXT NOT NULL,
            address BLOB, metadata BLOB, -- CBOR (RFC 8949); NULL for an empty object
            manufacturer TEXT, model TEXT, firmware_version TEXT,
            portfolio_id BLOB REFERENCES portfolios, property_id BLOB REFERENCES properties, unit_id BLOB REFERENCES units,
            is_remote_operation_enabled INTEGER NOT NULL, capabilities INTEGER NOT NULL, auto_relock_seconds INTEGER,
            created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    private static let people = """
        CREATE TABLE users (
            id BLOB PRIMARY KEY, email TEXT NOT NULL, email_key TEXT NOT NULL UNIQUE, -- the address in lower case
            first_name TEXT NOT NULL, last_name TEXT NOT NULL, is_enabled INTEGER NOT NULL, is_super_admin INTEGER NOT NULL,
            default_portfolio_id BLOB, default_property_id BLOB, default_unit_id BLOB, has_compliance_pack INTEGER NOT NULL,
            created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE role_associations (
            id BLOB PRIMARY KEY, user_id BLOB NOT NULL REFERENCES users, entity_type TEXT NOT NULL, entity_id BLOB NOT NULL,
            role TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE guest_accesses (
            id BLOB PRIMARY KEY, guest_user_id BLOB REFERENCES users, label TEXT, property_id BLOB NOT NULL REFERENCES properties,
            unit_id BLOB REFERENCES units, device_ids BLOB NOT NULL, operations TEXT NOT NULL, -- names with a space between
            valid_from INTEGER NOT NULL, valid_until INTEGER NOT NULL, granted_by_user_id BLOB NOT NULL,
            granted_under_association_id BLOB NOT NULL, granted_under_role TEXT NOT NULL, revoked_at INTEGER,
            created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    private static let signIn = """
        CREATE TABLE credentials (user_id BLOB PRIMARY KEY REFERENCES users, password_hash TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE sessions (
            id BLOB PRIMARY KEY, user_id BLOB NOT NULL REFERENCES users, created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL, is_ended INTEGER NOT NULL DEFAULT 0
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX sessions_live ON sessions (expires_at) WHERE is_ended = 0;
        CREATE TABLE refresh_tokens (
            digest BLOB PRIMARY KEY, session_id BLOB NOT NULL REFERENCES sessions, is_used INTEGER NOT NULL DEFAULT 0
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE gateway_keys (purpose TEXT PRIMARY KEY, public_half BLOB NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE idempotency (
            principal TEXT NOT NULL, key TEXT NOT NULL, fingerprint BLOB NOT NULL, command_id BLOB,
            status INTEGER, location TEXT, body BLOB, created_at INTEGER NOT NULL, PRIMARY KEY (principal, key)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX idempotency_by_age ON idempotency (created_at);
        """

    /// An entry's `position` is the key of its log times 2^40 plus its `seq`, so the entries of a log are one range of positions,
    /// in order. A log is also ordered by time, so an index on `device_id` alone returns a device's entries in time order, and no
    /// index contains an instant.
    private static let accessLog = """
        CREATE TABLE logs (
            key INTEGER PRIMARY KEY, log_id TEXT NOT NULL UNIQUE, -- 'gateway' or the portfolio's id
            size INTEGER NOT NULL, frontier BLOB NOT NULL, last_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE entries (
            position INTEGER PRIMARY KEY, at INTEGER NOT NULL, record_id BLOB NOT NULL,
            device_id BLOB, unit_id BLOB, property_id BLOB,
            bytes BLOB NOT NULL, leaf_hash BLOB NOT NULL,
            sealed BLOB -- the personal values, each encrypted under its person's key
        ) STRICT;
        CREATE UNIQUE INDEX entries_by_record ON entries (record_id);
        CREATE INDEX entries_by_device ON entries (device_id) WHERE device_id IS NOT NULL;
        CREATE INDEX entries_by_unit ON entries (unit_id) WHERE unit_id IS NOT NULL;
        CREATE INDEX entries_by_property ON entries (property_id) WHERE property_id IS NOT NULL;
        CREATE TABLE person_keys (
            log INTEGER NOT NULL, owner BLOB NOT NULL, -- a user's id, or a day as the ten characters of its date
            key BLOB NOT NULL, PRIMARY KEY (log, owner)
        ) STRICT, WITHOUT ROWID;
        CREATE VIEW records AS
            SELECT logs.log_id, entries.position & 1099511627775 AS seq, entries.at, entries.bytes, entries.leaf_hash,
                entries.sealed, entries.position
            FROM entries JOIN logs ON logs.key = entries.position >> 40;
        """

    /// The actor and the reason of a command are stored only in its intent's record. Erasing a person therefore erases them too.
    private static let commands = """
        CREATE TABLE commands (
            id BLOB PRIMARY KEY, device_id BLOB NOT NULL, intent INTEGER NOT NULL, -- the intent's position in the log
            state TEXT NOT NULL, is_ended INTEGER NOT NULL, rule_id BLOB, rule_role TEXT NOT NULL, sent INTEGER, changed INTEGER,
            outcome_detail TEXT, state_before TEXT, state_after TEXT, requested_at INTEGER NOT NULL, deadline INTEGER NOT NULL,
            dispatched_at INTEGER, completed_at INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX commands_by_device ON commands (device_id, requested_at);
        CREATE INDEX commands_open ON commands (id) WHERE is_ended = 0;
        """
}
