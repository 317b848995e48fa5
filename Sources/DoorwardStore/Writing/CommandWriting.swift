internal import DoorwardControl
internal import DoorwardDomain
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

    private static func insert(_ command: Command, intent: EntryKey, in db: Database) throws {
        do {
            try db.run(
                """
                INSERT INTO commands (intent, id, state, is_ended, rule_id, rule_role, sent, changed, outcome_detail,
                    state_before, state_after, requested_at, deadline, dispatched_at, completed_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    intent.rawValue, command.id, command.state.rawValue, command.state.isEnd,
                    RuleColumns.id(of: command.rule), command.rule.role.rawValue, command.sent, command.changed,
                    command.outcomeDetail, command.stateBefore?.rawValue, command.stateAfter?.rawValue,
                    command.requestedAt.milliseconds, command.deadline.milliseconds, command.dispatchedAt?.milliseconds,
                    command.completedAt?.milliseconds,
                ])
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
            """,
            [
                command.state.rawValue, command.state.isEnd, RuleColumns.id(of: command.rule), command.rule.role.rawValue,
                command.sent, command.changed, command.outcomeDetail, command.stateBefore?.rawValue,
                command.stateAfter?.rawValue, command.dispatchedAt?.milliseconds, command.completedAt?.milliseconds,
                command.id,
            ])
        guard db.changesCount == 1 else {
            let isKnown = try db.firstRow("SELECT 1 FROM commands WHERE id = ?", [command.id.blob]) { _ in true } ?? false
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
        let id: EntityID<Rule>? = try columns.optionalID()
        let role: Role = try columns.word()
        switch (role, id) {
        case (.superAdmin, nil): return .superAdmin
        case (.guest, let id?): return .guestAccess(id.cast())
        case (_, let id?): return .association(id.cast(), role)
        case (_, nil): throw UnreadableColumn(column: "rule_id")
        }
    }
}
