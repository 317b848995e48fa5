import GRDB

/// The first schema.
///
/// Ids are stored as the 16 bytes of the UUID. They are less than half as long as the text (36 bytes), and sort in the same order.
/// Instants are milliseconds since 1970. Each reference to an entity that can be removed has an index: SQLite looks for referring rows
/// when it removes one. Secrets and tokens are stored as digests.
enum BaselineSchema {
    @Sendable static func apply(_ db: Database, _ keys: PersonKeyFile) throws {
        for part in [hierarchy, people, signIn, logs, lists, commands, gateway] { try db.execute(sql: part) }
        try db.run("INSERT INTO person_key_file (id) VALUES (?)", [keys.id])
    }

    private static let hierarchy = """
        CREATE TABLE portfolios (
            id BLOB PRIMARY KEY, name TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
            tier TEXT NOT NULL, modules TEXT NOT NULL, -- names with a space between
            max_properties INTEGER, max_units INTEGER, max_devices INTEGER, max_active_guest_access INTEGER,
            retention_days INTEGER, legal_hold INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE properties (
            id BLOB PRIMARY KEY, name TEXT NOT NULL, portfolio_id BLOB NOT NULL REFERENCES portfolios,
            has_address INTEGER NOT NULL, street TEXT, city TEXT, state TEXT, postal_code TEXT, country TEXT,
            default_time_zone TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
            lockdown_since INTEGER, lockdown_by BLOB, lockdown_reason TEXT
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX properties_by_portfolio ON properties (portfolio_id);
        CREATE TABLE units (
            id BLOB PRIMARY KEY, name TEXT NOT NULL, property_id BLOB NOT NULL REFERENCES properties,
            portfolio_id BLOB NOT NULL REFERENCES portfolios,
            common_area_ids BLOB NOT NULL, -- device ids one after the other, 16 bytes each
            created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX units_by_property ON units (property_id);
        CREATE INDEX units_by_portfolio ON units (portfolio_id);
        CREATE TABLE devices (
            id BLOB PRIMARY KEY, name TEXT NOT NULL, adapter TEXT NOT NULL,
            address TEXT, metadata TEXT, -- JSON; NULL for an empty object
            manufacturer TEXT, model TEXT, firmware_version TEXT,
            portfolio_id BLOB REFERENCES portfolios, property_id BLOB REFERENCES properties, unit_id BLOB REFERENCES units,
            is_remote_operation_enabled INTEGER NOT NULL, capabilities INTEGER NOT NULL, auto_relock_seconds INTEGER,
            created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
            sealed_code BLOB -- the lock's code, encrypted; NULL if none is stored
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX devices_by_portfolio ON devices (portfolio_id) WHERE portfolio_id IS NOT NULL;
        CREATE INDEX devices_by_property ON devices (property_id) WHERE property_id IS NOT NULL;
        CREATE INDEX devices_by_unit ON devices (unit_id) WHERE unit_id IS NOT NULL;
        """

    private static let people = """
        CREATE TABLE users (
            id BLOB PRIMARY KEY, email_key TEXT NOT NULL UNIQUE, -- HMAC of the address in lower case
            is_enabled INTEGER NOT NULL, is_super_admin INTEGER NOT NULL,
            default_portfolio_id BLOB, default_property_id BLOB, default_unit_id BLOB, has_compliance_pack INTEGER NOT NULL,
            created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
            sealed BLOB NOT NULL -- names and email address, encrypted
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE removed_users (id BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
        CREATE TABLE role_associations (
            id BLOB PRIMARY KEY, user_id BLOB NOT NULL REFERENCES users, entity_type TEXT NOT NULL, entity_id BLOB NOT NULL,
            role TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX role_associations_by_user ON role_associations (user_id);
        CREATE INDEX role_associations_by_entity ON role_associations (entity_id);
        CREATE TABLE guest_accesses (
            id BLOB PRIMARY KEY, guest_user_id BLOB REFERENCES users, label TEXT, property_id BLOB NOT NULL REFERENCES properties,
            unit_id BLOB REFERENCES units, device_ids BLOB NOT NULL, operations TEXT NOT NULL, -- names with a space between
            valid_from INTEGER NOT NULL, valid_until INTEGER NOT NULL, granted_by_user_id BLOB NOT NULL,
            granted_under_association_id BLOB NOT NULL, granted_under_role TEXT NOT NULL, revoked_at INTEGER,
            created_at INTEGER NOT NULL,
            -- pairs of a device and an association on which the access to it depends; NULL if all end with the one above
            device_carriers BLOB,
            time_zone TEXT, resolved_from TEXT, resolved_until TEXT, schedule TEXT, max_uses INTEGER,
            widened_under BLOB -- ids of the tenants' associations, 16 bytes each; NULL if no tenant has widened it
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX guest_accesses_by_guest ON guest_accesses (guest_user_id) WHERE guest_user_id IS NOT NULL;
        CREATE INDEX guest_accesses_by_property ON guest_accesses (property_id);
        CREATE INDEX guest_accesses_by_unit ON guest_accesses (unit_id) WHERE unit_id IS NOT NULL;
        CREATE TABLE guest_uses (
            guest_access_id BLOB PRIMARY KEY REFERENCES guest_accesses, taken INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE guest_links (
            id BLOB PRIMARY KEY REFERENCES guest_accesses, -- of the guest access
            user_id BLOB NOT NULL, key_id BLOB, digest BLOB NOT NULL UNIQUE, created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    private static let signIn = """
        CREATE TABLE credentials (user_id BLOB PRIMARY KEY REFERENCES users, password_hash TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE recovery_codes (
            user_id BLOB NOT NULL REFERENCES users, digest BLOB NOT NULL, PRIMARY KEY (user_id, digest)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE password_resets (
            user_id BLOB PRIMARY KEY REFERENCES users, id BLOB NOT NULL, digest BLOB NOT NULL UNIQUE,
            created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, made_by BLOB -- NULL: made on the gateway's host
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX password_resets_by_maker ON password_resets (made_by) WHERE made_by IS NOT NULL;
        CREATE TABLE sessions (
            id BLOB PRIMARY KEY, user_id BLOB NOT NULL REFERENCES users, created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL, is_ended INTEGER NOT NULL DEFAULT 0
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX sessions_live ON sessions (expires_at) WHERE is_ended = 0;
        CREATE INDEX sessions_by_expiry ON sessions (expires_at);
        CREATE INDEX sessions_by_user ON sessions (user_id);
        CREATE TABLE refresh_tokens (
            digest BLOB PRIMARY KEY, session_id BLOB NOT NULL REFERENCES sessions, is_used INTEGER NOT NULL DEFAULT 0
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX refresh_tokens_by_session ON refresh_tokens (session_id);
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
        CREATE TABLE idempotency (
            principal TEXT NOT NULL, key TEXT NOT NULL, fingerprint BLOB NOT NULL, command_id BLOB,
            created_at INTEGER NOT NULL, entity_id BLOB, PRIMARY KEY (principal, key)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX idempotency_by_age ON idempotency (created_at);
        CREATE TABLE purchases (
            digest BLOB PRIMARY KEY, -- SHA-256 of the environment and the id of the original transaction
            user_id BLOB NOT NULL, -- kept after the user is deleted
            redeemed_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// An entry's `position` is the key of its log times 2^40 plus its `seq`, so the entries of a log are one range of positions, in
    /// order. A log is also ordered by time.
    private static let logs = """
        CREATE TABLE logs (
            key INTEGER PRIMARY KEY, log_id TEXT NOT NULL UNIQUE, -- 'gateway' or the portfolio's id
            size INTEGER NOT NULL, frontier BLOB NOT NULL, last_at INTEGER NOT NULL,
            projected INTEGER NOT NULL DEFAULT 0, -- records that the posting lists and counts include
            first_seq INTEGER NOT NULL DEFAULT 0 -- records before it were removed
        ) STRICT;
        CREATE INDEX logs_unprojected ON logs (key) WHERE projected < size;
        CREATE TABLE entries (
            position INTEGER PRIMARY KEY, at INTEGER NOT NULL, record_id BLOB NOT NULL,
            device_id BLOB, unit_id BLOB, property_id BLOB,
            bytes BLOB NOT NULL, leaf_hash BLOB NOT NULL,
            sealed BLOB, -- the personal values, each encrypted under its person's key
            actor_user_id BLOB, is_denied INTEGER, -- NULL where nothing was decided
            kind TEXT, operation TEXT, reason TEXT, outcome TEXT
        ) STRICT;
        CREATE UNIQUE INDEX entries_by_record ON entries (record_id);
        CREATE VIEW records AS
            SELECT logs.log_id, entries.position & 1099511627775 AS seq, entries.at, entries.bytes, entries.leaf_hash,
                entries.sealed, entries.position
            FROM entries JOIN logs ON logs.key = entries.position >> 40;
        CREATE TABLE tiles (
            log INTEGER NOT NULL, level INTEGER NOT NULL, -- of tiles: a hash in it is a tree node of level 8 * level
            number INTEGER NOT NULL, -- from 0; 256 nodes each
            hashes BLOB NOT NULL, PRIMARY KEY (log, level, number)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE person_keys (
            log INTEGER NOT NULL, owner BLOB NOT NULL, -- a user's id, or a day as the ten characters of its date
            key BLOB NOT NULL, -- wrapped with a key of the person-key file
            since INTEGER NOT NULL DEFAULT 0, -- the `seq` of the first record that it is for
            PRIMARY KEY (log, owner)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE person_key_file (id BLOB PRIMARY KEY) STRICT, WITHOUT ROWID; -- one row
        CREATE TABLE erased_persons (
            user_id BLOB PRIMARY KEY, generation INTEGER NOT NULL -- the number of erasures
        ) STRICT, WITHOUT ROWID;
        """

    /// The tables that find the records of a filter, and count commands (decision 0035). They are updated after the log. A missing id is
    /// stored as an empty blob: a primary key of a `WITHOUT ROWID` table cannot contain NULL.
    private static let lists = """
        CREATE TABLE postings (
            facet INTEGER NOT NULL, -- which of an entry's columns the list is for
            value BLOB NOT NULL, -- an id, or a word in UTF-8
            log INTEGER NOT NULL, first INTEGER NOT NULL, -- the first `seq` of the block
            last INTEGER NOT NULL, count INTEGER NOT NULL,
            deltas BLOB NOT NULL, -- from each `seq` to the next, as LEB128
            PRIMARY KEY (facet, value, log, first)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE time_marks (position INTEGER PRIMARY KEY, at INTEGER NOT NULL) STRICT; -- every sixteenth entry of a log
        CREATE TABLE command_counts (
            device_id BLOB NOT NULL, log INTEGER NOT NULL, property_id BLOB NOT NULL, unit_id BLOB NOT NULL,
            actor_user_id BLOB NOT NULL, commands INTEGER NOT NULL,
            PRIMARY KEY (device_id, log, property_id, unit_id, actor_user_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX command_counts_by_unit ON command_counts (unit_id);
        CREATE INDEX command_counts_by_actor ON command_counts (actor_user_id);
        CREATE TABLE command_totals ( -- the sums of command_counts
            log INTEGER NOT NULL, property_id BLOB NOT NULL, commands INTEGER NOT NULL, PRIMARY KEY (log, property_id)
        ) STRICT, WITHOUT ROWID;
        """

    /// The actor and the reason of a command are stored only in its intent's record. Erasing a person therefore erases them too.
    private static let commands = """
        CREATE TABLE commands (
            intent INTEGER PRIMARY KEY, -- the intent's position in the log
            id BLOB NOT NULL, state TEXT NOT NULL, is_ended INTEGER NOT NULL, rule_id BLOB, rule_role TEXT NOT NULL,
            sent INTEGER, changed INTEGER, outcome_detail TEXT, state_before TEXT, state_after TEXT,
            requested_at INTEGER NOT NULL, deadline INTEGER NOT NULL, dispatched_at INTEGER, completed_at INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX commands_by_id ON commands (id);
        CREATE INDEX commands_open ON commands (id) WHERE is_ended = 0;
        """

    private static let gateway = """
        CREATE TABLE gateway_keys (purpose TEXT PRIMARY KEY, public_half BLOB NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE former_gateway_keys (
            purpose TEXT NOT NULL, number INTEGER NOT NULL, -- from 1, the oldest key first
            public_half BLOB NOT NULL, PRIMARY KEY (purpose, number)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE log_checkpoints (
            log_id TEXT PRIMARY KEY, -- 'gateway' or the portfolio's id
            generation INTEGER NOT NULL,
            size INTEGER NOT NULL, -- of the newest signed checkpoint; 0: none is signed in this generation
            signed_at INTEGER -- NULL: none is signed in this generation
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE clock (
            id INTEGER PRIMARY KEY CHECK (id = 1), mark INTEGER NOT NULL,
            step_before INTEGER, step_after INTEGER, -- of a step forward that is not confirmed
            CHECK ((step_before IS NULL) = (step_after IS NULL))
        ) STRICT;
        """
}
