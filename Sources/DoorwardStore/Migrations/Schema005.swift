internal import DoorwardControl
internal import DoorwardDomain
import GRDB

/// The fifth schema:
///
/// - A guest access stores for each of its devices the associations on which the access to this device depends.
/// - A password reset stores its creator.
/// - Indexes find the active sessions of one user, and the commands of a device in one log.
/// - The numbers of commands are stored, because counting the commands of a list took time in proportion to their number.
/// - An idempotency key is stored with an id instead of the response, which contained names.
/// - Lock codes are encrypted under a key that is stored outside the file.
enum Schema005 {
    @Sendable static func apply(_ db: Database) throws {
        try db.execute(sql: guestAccesses)
        try db.execute(sql: signIn)
        try db.execute(sql: commands)
        try db.execute(sql: commandCounts)
        try reduceStoredAnswers(db)
        try db.execute(sql: lockCodes)
    }

    /// The encrypted code of a lock; NULL if no code is stored.
    private static let lockCodes = "ALTER TABLE devices ADD COLUMN sealed_code BLOB;"

    /// The column contains pairs of a device id and an association id, 16 bytes each. It is NULL if the access to every device
    /// ends with the association in `granted_under_association_id`, as in earlier schemas.
    private static let guestAccesses = "ALTER TABLE guest_accesses ADD COLUMN device_carriers BLOB;"

    /// Password resets of earlier schemas are deleted because their creators are unknown. They expire within a day anyway.
    private static let signIn = """
        DELETE FROM password_resets;
        ALTER TABLE password_resets ADD COLUMN made_by BLOB; -- NULL: made on the gateway's host
        CREATE INDEX password_resets_by_maker ON password_resets (made_by) WHERE made_by IS NOT NULL;
        CREATE INDEX sessions_live_by_user ON sessions (user_id) WHERE is_ended = 0;
        """

    private static let commands = """
        DROP INDEX commands_by_device;
        CREATE INDEX commands_by_device ON commands (device_id, log, requested_at);
        """

    /// A missing id is stored as an empty blob: a primary key of a `WITHOUT ROWID` table cannot contain NULL.
    private static let commandCounts = """
        CREATE TABLE command_counts (
            device_id BLOB NOT NULL, log INTEGER NOT NULL, property_id BLOB NOT NULL, unit_id BLOB NOT NULL,
            actor_user_id BLOB NOT NULL, commands INTEGER NOT NULL,
            PRIMARY KEY (device_id, log, property_id, unit_id, actor_user_id)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE command_totals ( -- the sums of command_counts
            log INTEGER NOT NULL, property_id BLOB NOT NULL, commands INTEGER NOT NULL, PRIMARY KEY (log, property_id)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO command_counts
            SELECT device_id, intent >> 40, coalesce(property_id, x''), coalesce(unit_id, x''), coalesce(actor_user_id, x''), count(*)
            FROM commands GROUP BY 1, 2, 3, 4, 5;
        INSERT INTO command_totals SELECT log, property_id, sum(commands) FROM command_counts GROUP BY 1, 2;
        CREATE INDEX command_counts_by_unit ON command_counts (unit_id);
        CREATE INDEX command_counts_by_actor ON command_counts (actor_user_id);
        """

    /// Reduces each stored response to a creation to the id at the end of its location. A response without an id there is
    /// deleted, so that a repeated request is executed again. A response to a command already has the command's id.
    /// `secure_delete` is on, so the removed text is overwritten.
    private static func reduceStoredAnswers(_ db: Database) throws {
        try db.execute(sql: "ALTER TABLE idempotency ADD COLUMN entity_id BLOB")
        let created = try db.rows(
            "SELECT principal, key, location FROM idempotency WHERE command_id IS NULL", []
        ) { (principal: try $0.value(String.self), key: try $0.value(String.self), location: try $0.optional(String.self)) }
        for (principal, key, location) in created {
            guard let text = location?.utf8.split(separator: UInt8(ascii: "/")).last,
                let id = EntityID<CreatedEntityTag>(Substring(text))
            else { continue }
            try db.run("UPDATE idempotency SET entity_id = ? WHERE principal = ? AND key = ?", [id, principal, key])
        }
        try db.execute(
            sql: """
                DELETE FROM idempotency WHERE command_id IS NULL AND entity_id IS NULL;
                ALTER TABLE idempotency DROP COLUMN status;
                ALTER TABLE idempotency DROP COLUMN location;
                ALTER TABLE idempotency DROP COLUMN body;
                """)
    }
}
