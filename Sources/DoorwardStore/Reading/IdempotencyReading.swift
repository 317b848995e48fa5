internal import DoorwardControl
internal import DoorwardDomain
import GRDB

/// Reads what is kept under idempotency keys.
enum IdempotencyReading {
    static func entry(_ key: IdempotencyKey, in db: Database) throws -> IdempotencyEntry? {
        // No such key is kept, and bound as a C string it would be another one.
        guard !key.principal.utf8.contains(0), !key.key.utf8.contains(0) else { return nil }
        return try db.firstRow(
            "SELECT fingerprint, command_id, status, location, body, created_at FROM idempotency WHERE principal = ? AND key = ?",
            [key.principal, key.key]
        ) { columns in
            let fingerprint = try columns.bytes()
            let commandID: CommandID? = try columns.optionalID()
            let status = try columns.optional(Int.self)
            let location = try columns.optional(String.self)
            let body = try columns.optionalBytes()
            return IdempotencyEntry(
                key: key, fingerprint: fingerprint, commandID: commandID,
                answer: status.map { StoredAnswer(status: $0, location: location, body: body ?? []) },
                createdAt: try columns.instant())
        }
    }
}
