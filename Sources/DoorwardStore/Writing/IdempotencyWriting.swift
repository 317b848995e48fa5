internal import DoorwardControl
internal import DoorwardDomain
import FoundationEssentials
import GRDB

/// Keeps answers under their idempotency keys, for a day.
enum IdempotencyWriting {
    /// How long a key stands for its request.
    static let lifetime = Duration.seconds(86_400)

    /// A new key, the answer of the request that took it, or a request a day later; anything else is refused.
    static func keep(_ entry: IdempotencyEntry, in db: Database) throws {
        if let kept = try IdempotencyReading.entry(entry.key, in: db), entry.createdAt.duration(since: kept.createdAt) < lifetime
        {
            let isSameRequest = kept.fingerprint == entry.fingerprint && kept.commandID == entry.commandID
            guard isSameRequest, kept.answer == nil else { throw Refusal(.idempotencyKeyTaken) }
        }
        try db.run(
            """
            INSERT OR REPLACE INTO idempotency (principal, key, fingerprint, command_id, status, location, body, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                entry.key.principal, entry.key.key, entry.fingerprint, entry.commandID, entry.answer?.status,
                entry.answer?.location, entry.answer?.body, entry.createdAt.milliseconds,
            ])
        try Pruning.idempotency(
            before: entry.createdAt.advanced(by: .zero - lifetime), limit: Pruning.besideAnInsert, in: db)
    }
}
