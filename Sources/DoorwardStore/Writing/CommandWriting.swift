internal import DoorwardAudit
internal import DoorwardDomain
internal import DoorwardKernel
import FoundationEssentials
import GRDB

/// Writes commands into their table. The fields that a command shares with the record of its intent (actor, property, unit,
/// operation, reason) are stored in that record alone. The command's row contains the record's position.
enum CommandWriting {
    /// - Parameters:
    ///   - records: the records of the transaction.
    ///   - appended: the `RecordPosition` and the database position of each record.
    /// - Returns: the position of the intent of a new command; `nil` for other changes.
    static func apply(
        _ change: CommandChange, records: [PendingRecord], appended: [AppendedRecord], in db: Database
    ) throws -> EntryKey? {
        switch change {
        case .begin(let command, let index):
            guard records.indices.contains(index), records[index].body.isIntent(of: command) else {
                throw ConstraintViolation(.intentMissing(command.id))
            }
            try insert(command, intent: appended[index].position, in: db)
            return appended[index].position
        case .update(let command):
            guard !command.state.isEnd else {
                throw ConstraintViolation(.inconsistent("the state of an updated command is final"))
            }
            try update(command, in: db)
        case .end(let command):
            guard command.state.isEnd else {
                throw ConstraintViolation(.inconsistent("the state of an ended command is not final"))
            }
            try update(command, in: db)
        }
        return nil
    }

    /// The columns that every change of a command writes.
    private static func progress(of command: Command) -> [(any Bindable)?] {
        [
            command.state.rawValue, command.state.isEnd, RuleColumns.id(of: command.rule), command.rule.role.rawValue,
            command.sent, command.changed, command.outcomeDetail, command.stateBefore?.rawValue, command.stateAfter?.rawValue,
            command.dispatchedAt?.milliseconds, command.completedAt?.milliseconds,
        ]
    }

    private static func insert(_ command: Command, intent: EntryKey, in db: Database) throws {
        do {
            try db.run(
                """
                INSERT INTO commands (state, is_ended, rule_id, rule_role, sent, changed, outcome_detail, state_before, state_after,
                    dispatched_at, completed_at, intent, id, requested_at, deadline)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                progress(of: command)
                    + [intent.rawValue, command.id, command.requestedAt.milliseconds, command.deadline.milliseconds])
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE {
            throw ConstraintViolation(.commandExists(command.id))
        }
    }

    private static func update(_ command: Command, in db: Database) throws {
        try db.run(
            """
            UPDATE commands SET state = ?, is_ended = ?, rule_id = ?, rule_role = ?, sent = ?, changed = ?, outcome_detail = ?,
                state_before = ?, state_after = ?, dispatched_at = ?, completed_at = ?
            WHERE id = ? AND is_ended = 0
            """, progress(of: command) + [command.id])
        guard db.changesCount == 1 else {
            let isKnown = try db.hasRow("SELECT 1 FROM commands WHERE id = ?", [command.id])
            throw ConstraintViolation(isKnown ? .commandEnded(command.id) : .commandUnknown(command.id))
        }
    }
}

/// Stores a rule in two columns: its id and its role. The role determines the rule's kind.
enum RuleColumns {
    static func id(of rule: Rule) -> EntityID<Rule>? {
        switch rule {
        case .association(let id, _): id.cast()
        case .guestAccess(let id): id.cast()
        case .superAdmin: nil
        }
    }

    static func read(_ columns: inout ColumnReader) throws -> Rule {
        let id: EntityID<Rule>? = try columns.optional()
        let role: Role = try columns.value()
        switch (role, id) {
        case (.superAdmin, nil): return .superAdmin
        case (.guest, let id?): return .guestAccess(id.cast())
        case (_, let id?): return .association(id.cast(), role)
        case (_, nil): throw UnreadableColumn(column: "rule_id")
        }
    }
}

/// Writes and reads uses of guest accesses, and writes last checkpoints, one row each.
enum Counters {
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
            if try db.hasRow("SELECT 1 FROM guest_accesses WHERE id = ?", [id]) {
                throw ConstraintViolation(.inconsistent("a use was returned that had not been taken"))
            }
        case .setLastCheckpoint(let checkpoint):
            try db.run(
                """
                INSERT INTO log_checkpoints (log_id, generation, size, signed_at) VALUES (?, ?, ?, ?)
                ON CONFLICT (log_id) DO UPDATE
                SET generation = excluded.generation, size = excluded.size, signed_at = excluded.signed_at
                WHERE (excluded.generation, excluded.size) >= (generation, size)
                """,
                [
                    checkpoint.log.description, checkpoint.generation, Int64(clamping: checkpoint.size),
                    checkpoint.signedAt?.milliseconds,
                ])
        }
    }

    /// - Throws: `ConstraintViolation` if the precondition does not hold in the open transaction.
    static func check(_ precondition: StorePrecondition, in db: Database, _ keys: PersonKeyFile) throws {
        switch precondition {
        case .unchanged(let change):
            if try !TenancyWriting.isWritten(change, in: db, keys) { throw ConstraintViolation(.entityChanged(change.entity)) }
        case .usesLeft(let id, let most):
            if try usesTaken(of: id, in: db) >= most { throw ConstraintViolation(.usesExhausted(id)) }
        }
    }

    static func usesTaken(of id: GuestAccessID, in db: Database) throws -> Int {
        try db.firstRow("SELECT taken FROM guest_uses WHERE guest_access_id = ?", [id]) { Int($0.integer(0)) } ?? 0
    }

    static func usesTaken(in db: Database) throws -> [GuestAccessID: Int] {
        let taken = try db.rows("SELECT guest_access_id, taken FROM guest_uses WHERE taken > 0") {
            (try $0.value(GuestAccessID.self), try $0.value(Int.self))
        }
        return Dictionary(taken) { $1 }
    }
}

/// Writes and reads the state of the gateway's clock, which is a single row.
enum ClockRow {
    static func apply(_ change: StoredClockChange, in db: Database) throws {
        switch change {
        case .raiseMark(let mark):
            try db.run(
                """
                INSERT INTO clock (id, mark) VALUES (1, ?)
                ON CONFLICT (id) DO UPDATE SET mark = excluded.mark WHERE excluded.mark > mark
                """, [mark.milliseconds])
        case .setMark(let mark):
            try db.run(
                "INSERT INTO clock (id, mark) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET mark = excluded.mark",
                [mark.milliseconds])
        case .setUnconfirmed(let step):
            try db.run(
                "UPDATE clock SET step_before = ?, step_after = ? WHERE id = 1",
                [step?.before.milliseconds, step?.after.milliseconds])
            guard db.changesCount == 1 else { throw ConstraintViolation(.inconsistent("a step of the clock without a mark")) }
        }
    }

    static func storedClock(in db: Database) throws -> StoredClock? {
        try db.firstRow("SELECT mark, step_before, step_after FROM clock WHERE id = 1") { columns in
            var clock = StoredClock(highWaterMark: try columns.value())
            if let before: Timestamp = try columns.optional(), let after: Timestamp = try columns.optional() {
                clock.unconfirmed = ClockStep(before: before, after: after)
            }
            return clock
        }
    }
}

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
        try Pruning.idempotency(before: entry.createdAt.advanced(by: .zero - lifetime), limit: Pruning.rowsPerInsert, in: db)
    }
}

extension IdempotentResult {
    fileprivate var commandID: CommandID? { if case .command(let id) = self { id } else { nil } }
    fileprivate var entityID: EntityID<CreatedEntityTag>? { if case .entity(let id) = self { id } else { nil } }
}
