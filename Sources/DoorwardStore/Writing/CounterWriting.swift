internal import DoorwardControl
internal import DoorwardDomain
import GRDB

/// Writes uses of guest accesses, epochs, leases and checkpoint marks, one row each.
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
        case .raiseEpoch(let owner):
            try db.run(
                """
                INSERT INTO epochs (kind, owner_id, epoch) VALUES (?, ?, 1)
                ON CONFLICT (kind, owner_id) DO UPDATE SET epoch = epoch + 1
                """, owner.columns)
        case .setLease(let log, nil):
            try db.run("DELETE FROM log_leases WHERE log_id = ?", [log.description])
        case .setLease(let log, let lease?):
            try db.run(
                """
                INSERT INTO log_leases (log_id, holder, epoch) VALUES (?, ?, ?)
                ON CONFLICT (log_id) DO UPDATE SET holder = excluded.holder, epoch = excluded.epoch
                """, [log.description, lease.holder.rawValue, Int64(clamping: lease.epoch)])
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
        case .epoch(let owner, let epoch):
            if try CounterReading.epoch(of: owner, in: db) != epoch { throw ConstraintViolation(.epochChanged(owner)) }
        case .lease(let log, let lease):
            if try CounterReading.lease(of: log, in: db) != lease { throw ConstraintViolation(.leaseChanged(log)) }
        }
    }
}

/// Reads uses of guest accesses, epochs and leases.
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

    static func epoch(of owner: EpochOwner, in db: Database) throws -> UInt64 {
        var epoch: UInt64 = 0
        try db.step("SELECT epoch FROM epochs WHERE kind = ? AND owner_id = ?", owner.columns) {
            epoch = UInt64(clamping: $0.integer(0))
        }
        return epoch
    }

    static func lease(of log: LogID, in db: Database) throws -> LogLease? {
        var lease: LogLease?
        try db.step("SELECT holder, epoch FROM log_leases WHERE log_id = ?", [log.description]) { row in
            lease = LogLease(holder: GatewayNumber(rawValue: row.integer(0)), epoch: UInt64(clamping: row.integer(1)))
        }
        return lease
    }
}

extension EpochOwner {
    /// The values of the columns `kind` and `owner_id`.
    fileprivate var columns: [(any Bindable)?] {
        switch self {
        case .portfolio(let id): ["PORTFOLIO", id]
        case .user(let id): ["USER", id]
        }
    }
}
