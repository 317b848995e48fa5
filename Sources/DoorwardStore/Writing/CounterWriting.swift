internal import DoorwardControl
internal import DoorwardDomain
import GRDB

/// Writes uses of guest accesses and checkpoint marks, one row each.
enum CounterWriting {
    static func apply(_ change: CounterChange, in db: Database) throws {
        switch change {
        case .takeUse(let id):
            try db.run(
                """
                INSERT INTO guest_uses (guest_access_id, taken) VALUES (?, 1)
                ON CONFLICT (guest_access_id) DO UPDATE SET taken = taken + 1
                """, [id])
        case .returnUse(let id):
            try db.run("UPDATE guest_uses SET taken = taken - 1 WHERE guest_access_id = ? AND taken > 0", [id])
            guard db.changesCount == 0 else { return }
            // The command may end after its guest access was removed.
            var isKnown = false
            try db.step("SELECT 1 FROM guest_accesses WHERE id = ?", [id]) { _ in isKnown = true }
            if isKnown { throw ConstraintViolation(.inconsistent("a use was returned that had not been taken")) }
        case .noteCheckpoint(let mark):
            try db.run(
                """
                INSERT INTO log_checkpoints (log_id, generation, size, signed_at) VALUES (?, ?, ?, ?)
                ON CONFLICT (log_id) DO UPDATE
                SET generation = excluded.generation, size = excluded.size, signed_at = excluded.signed_at
                WHERE (excluded.generation, excluded.size) >= (generation, size)
                """,
                [mark.log.description, mark.generation, Int64(clamping: mark.size), mark.signedAt?.milliseconds])
        }
    }

    /// - Throws: `ConstraintViolation` if the precondition does not hold in the open transaction.
    static func check(_ precondition: Precondition, in db: Database, _ keys: PersonKeyFile) throws {
        switch precondition {
        case .unchanged(let change):
            if try !TenancyWriting.isWritten(change, in: db, keys) { throw ConstraintViolation(.entityChanged(change.entity)) }
        case .usesLeft(let id, let most):
            if try CounterReading.usesTaken(of: id, in: db) >= most { throw ConstraintViolation(.usesExhausted(id)) }
        }
    }
}

/// Reads uses of guest accesses.
enum CounterReading {
    static func usesTaken(of id: GuestAccessID, in db: Database) throws -> Int {
        var taken = 0
        try db.step("SELECT taken FROM guest_uses WHERE guest_access_id = ?", [id]) { taken = Int($0.integer(0)) }
        return taken
    }

    static func usesTaken(in db: Database) throws -> [GuestAccessID: Int] {
        var taken: [GuestAccessID: Int] = [:]
        try db.step("SELECT guest_access_id, taken FROM guest_uses WHERE taken > 0", []) { row in
            guard let id: GuestAccessID = row.id(0) else { throw UnreadableColumn(column: "guest_access_id") }
            taken[id] = Int(row.integer(1))
        }
        return taken
    }
}
