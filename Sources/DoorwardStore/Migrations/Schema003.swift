internal import DoorwardAudit
internal import DoorwardDomain
import FoundationEssentials
import GRDB

/// The third schema: password resets, and entries that are found by who acted and by what was decided.
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
                """)
        try fill(db)
        try db.execute(
            sql: """
                CREATE INDEX entries_by_actor ON entries (actor_user_id) WHERE actor_user_id IS NOT NULL;
                CREATE INDEX entries_by_decision ON entries (is_denied) WHERE is_denied IS NOT NULL;
                """)
    }

    /// How many entries are read together.
    private static let page = 1000

    /// Reads out of the records that are there what the new columns hold.
    private static func fill(_ db: Database) throws {
        var after = Int64.min
        while true {
            let entries = try db.rows(
                "SELECT position, bytes FROM entries WHERE position > ? ORDER BY position LIMIT ?", [after, page]
            ) { (position: try $0.value(Int64.self), bytes: try $0.bytes()) }
            for (position, bytes) in entries {
                // Bytes that are no record stay as they are: a check of the file names them, and nobody's start fails over them.
                guard let body = try? RecordEncoding.decode(bytes).record.body, body.actor.userID != nil || body.decision != nil
                else { continue }
                try db.run(
                    "UPDATE entries SET actor_user_id = ?, is_denied = ? WHERE position = ?",
                    [body.actor.userID?.blob, body.decision.map { $0 == .denied }, position])
            }
            guard let last = entries.last?.position else { return }
            after = last
        }
    }
}
