internal import DoorwardControl
internal import DoorwardDomain
import FoundationEssentials
import GRDB

/// Puts commands into their table. What a command shares with the record of its intent (who, what, why) is kept there
/// alone, and the table points at it.
enum CommandWriting {
    /// - Parameter records: the transaction's records, and where each came to stand.
    static func apply(
        _ change: CommandChange, records: [PendingRecord], appended: [AppendedRecord], in db: Database
    ) throws {
        switch change {
        case .begin(let command, let log):
            guard let index = records.firstIndex(where: { isIntent($0.body, of: command, in: log) }) else {
                throw Refusal(.intentMissing)
            }
            try insert(command, intent: records[index].body, at: appended[index].position, in: db)
        case .update(let command):
            guard !command.state.isEnd else { throw Refusal(.refused("not_an_update")) }
            try update(command, in: db)
        case .end(let command):
            guard command.state.isEnd else { throw Refusal(.refused("not_an_end")) }
            try update(command, in: db)
        }
    }

    private static func isIntent(_ body: RecordBody, of command: Command, in log: LogID) -> Bool {
        body.kind == .commandIntent && body.commandID == command.id && body.log == log && body.operation == command.operation
            && body.device?.deviceID == command.deviceID && body.actor == command.actor
    }

    private static func insert(_ command: Command, intent: RecordBody, at position: Position, in db: Database) throws {
        let isTenants = intent.log != .gateway
        do {
            try db.run(
                """
                INSERT INTO commands (id, device_id, intent, state, is_ended, rule_id, rule_role, sent, changed, outcome_detail,
                    state_before, state_after, requested_at, deadline, dispatched_at, completed_at,
                    log, unit_id, property_id, actor_user_id)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    command.id, command.deviceID, position.rawValue, command.state.rawValue, command.state.isEnd,
                    RuleColumns.id(of: command.rule), command.rule.role.rawValue, command.sent, command.changed,
                    command.outcomeDetail, command.stateBefore?.rawValue, command.stateAfter?.rawValue,
                    command.requestedAt.milliseconds, command.deadline.milliseconds, command.dispatchedAt?.milliseconds,
                    command.completedAt?.milliseconds, position.logKey, isTenants ? intent.unitID : nil,
                    isTenants ? intent.propertyID : nil, intent.actor.userID,
                ])
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_PRIMARYKEY {
            throw Refusal(.commandExists)
        }
        try CommandCounts.add(
            command.deviceID, log: position.logKey, property: isTenants ? intent.propertyID : nil,
            unit: isTenants ? intent.unitID : nil, actor: intent.actor.userID, in: db)
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
            throw Refusal(isKnown ? .commandEnded : .commandUnknown)
        }
    }
}

/// A rule in two columns: its id and its role, which tells its kind.
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
