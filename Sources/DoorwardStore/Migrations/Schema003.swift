internal import DoorwardAudit
internal import DoorwardDomain
import FoundationEssentials
import GRDB

/// The third schema: password resets; columns and indexes for every filter of record lists; indexes of commands by unit,
/// property and actor.
///
/// Values that most entries share (intents, allowed decisions, confirmed outcomes) have no index. Reading the log finds these
/// entries as fast as an index would, and an index would make every unlock slower.
enum Schema003 {
    @Sendable static func apply(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE password_resets (
                    user_id BLOB PRIMARY KEY REFERENCES users, id BLOB NOT NULL, digest BLOB NOT NULL UNIQUE,
                    created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                ALTER TABLE entries ADD COLUMN actor_user_id BLOB;
                ALTER TABLE entries ADD COLUMN is_denied INTEGER; -- NULL where nothing was decided
                ALTER TABLE entries ADD COLUMN kind TEXT;
                ALTER TABLE entries ADD COLUMN operation TEXT;
                ALTER TABLE entries ADD COLUMN reason TEXT;
                ALTER TABLE entries ADD COLUMN outcome TEXT;
                ALTER TABLE commands ADD COLUMN log INTEGER; -- the key of the log that the intent stands in
                ALTER TABLE commands ADD COLUMN unit_id BLOB; -- as in the intent's entry
                ALTER TABLE commands ADD COLUMN property_id BLOB;
                ALTER TABLE commands ADD COLUMN actor_user_id BLOB;
                """)
        try fillEntries(db)
        try db.execute(
            sql: """
                UPDATE commands SET log = intent >> 40,
                    (unit_id, property_id, actor_user_id) =
                        (SELECT unit_id, property_id, actor_user_id FROM entries WHERE position = intent);
                CREATE INDEX entries_by_actor ON entries (actor_user_id) WHERE actor_user_id IS NOT NULL;
                CREATE INDEX entries_denied ON entries (is_denied) WHERE is_denied = 1;
                CREATE INDEX entries_by_rare_kind ON entries (kind)
                    WHERE kind NOT IN ('COMMAND_INTENT', 'COMMAND_OUTCOME', 'DEVICE_EVENT');
                CREATE INDEX entries_by_reason ON entries (reason) WHERE reason IS NOT NULL;
                CREATE INDEX entries_by_rare_outcome ON entries (outcome) WHERE outcome <> 'CONFIRMED';
                CREATE INDEX commands_by_log ON commands (log, requested_at);
                CREATE INDEX commands_by_property ON commands (property_id, requested_at) WHERE property_id IS NOT NULL;
                CREATE INDEX commands_by_unit ON commands (unit_id, requested_at) WHERE unit_id IS NOT NULL;
                CREATE INDEX commands_by_actor ON commands (actor_user_id, requested_at) WHERE actor_user_id IS NOT NULL;
                """)
    }

    /// The number of entries read per batch.
    private static let page = 1000

    /// Fills the new columns from the stored records.
    private static func fillEntries(_ db: Database) throws {
        var after = Int64.min
        while true {
            let entries = try db.rows(
                "SELECT position, bytes FROM entries WHERE position > ? ORDER BY position LIMIT ?", [after, page]
            ) { (position: try $0.value(Int64.self), bytes: try $0.bytes()) }
            for (position, bytes) in entries {
                // Skip bytes that are not a record: a check of the file reports them, and the migration must not fail because of them.
                guard let body = try? RecordEncoding.decode(bytes).record.body else { continue }
                try db.run(
                    """
                    UPDATE entries SET actor_user_id = ?, is_denied = ?, kind = ?, operation = ?, reason = ?, outcome = ?
                    WHERE position = ?
                    """,
                    [
                        body.actor.userID?.blob, body.decision.map { $0 == .denied }, body.kind.rawValue,
                        body.operation?.rawValue, body.reason?.rawValue, body.outcome?.rawValue, position,
                    ])
            }
            guard let last = entries.last?.position else { return }
            after = last
        }
    }
}
