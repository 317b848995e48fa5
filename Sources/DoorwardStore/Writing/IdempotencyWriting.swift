internal import DoorwardControl
internal import DoorwardDomain
import FoundationEssentials
import GRDB

/// Stores the results of requests under their idempotency keys, for a day.
enum IdempotencyWriting {
    /// The time for which an idempotency key is kept.
    static let lifetime = Duration.seconds(86_400)

    /// Stores a new key, or replaces one that is at least a day old. Throws `ConstraintViolation` if a younger key is stored.
    static func keep(_ entry: IdempotencyEntry, in db: Database) throws {
        if let kept = try IdempotencyReading.entry(entry.key, in: db), entry.createdAt.duration(since: kept.createdAt) < lifetime
        {
            throw ConstraintViolation(.idempotencyKeyTaken(entry.key))
        }
        try db.run(
            """
            INSERT OR REPLACE INTO idempotency (principal, key, fingerprint, command_id, entity_id, created_at)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                entry.key.principal, entry.key.key, entry.fingerprint, entry.result.commandID, entry.result.entityID,
                entry.createdAt.milliseconds,
            ])
        try Pruning.idempotency(
            before: entry.createdAt.advanced(by: .zero - lifetime), limit: Pruning.besideAnInsert, in: db)
    }
}

extension IdempotentResult {
    fileprivate var commandID: CommandID? { if case .command(let id) = self { id } else { nil } }
    fileprivate var entityID: EntityID<CreatedEntityTag>? { if case .entity(let id) = self { id } else { nil } }
}
