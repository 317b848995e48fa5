internal import DoorwardControl
internal import DoorwardDomain
import GRDB

/// Reads the results stored under idempotency keys.
enum IdempotencyReading {
    static func entry(_ key: IdempotencyKey, in db: Database) throws -> IdempotencyEntry? {
        // A key with a NUL character is never stored. If such a key were bound as a C string, it
        // would end at that character and could match another key.
        guard !key.principal.utf8.contains(0), !key.key.utf8.contains(0) else { return nil }
        return try db.firstRow(
            "SELECT fingerprint, command_id, entity_id, created_at FROM idempotency WHERE principal = ? AND key = ?",
            [key.principal, key.key]
        ) { columns in
            let fingerprint = try columns.bytes()
            let commandID: CommandID? = try columns.optionalID()
            let entityID: EntityID<CreatedEntityTag>? = try columns.optionalID()
            let result: IdempotentResult? = commandID.map { .command($0) } ?? entityID.map { .entity($0) }
            guard let result else { throw columns.unreadable() }
            return IdempotencyEntry(key: key, fingerprint: fingerprint, result: result, createdAt: try columns.instant())
        }
    }
}
