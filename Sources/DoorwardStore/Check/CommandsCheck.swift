internal import DoorwardDomain
import FoundationEssentials
import GRDB

/// Checks the commands against the records. A command begins with one intent and can have further intents while it is open. It
/// has at most one outcome, which follows the intents in the same log. The `commands` table must agree with the records.
struct CommandsCheck {
    /// Commands that have begun.
    private(set) var count: UInt64 = 0
    /// The commands without an outcome so far, with the positions of their first intents. The size is bounded by the number of
    /// commands open at one time.
    private(set) var open: [CommandID: EntryKey] = [:]

    private struct CommandRow {
        let intent: EntryKey
        let state: CommandState
        let isEnded: Bool
    }

    /// Checks the next record of a log.
    ///
    /// - Parameter isCut: whether records were removed from the log. An outcome's intent may be one of them.
    /// - Returns: whether the record is the intent of a new command.
    mutating func see(_ body: RecordBody, at position: EntryKey, isCut: Bool, in db: Database) throws -> Bool {
        guard let id = body.commandID else { return false }
        switch body.kind {
        case .commandIntent where open[id] == nil:
            let row = try row(of: id, in: db)
            guard let row, row.intent == position else { throw StoreFault(.command(id), body, position) }
            count += 1
            open[id] = position
            return true
        case .commandOutcome where isCut && open[id] == nil:
            // The command's row may have been removed with its intent.
            guard let row = try row(of: id, in: db) else { break }
            guard row.isEnded, row.state == body.outcome, row.intent < position else {
                throw StoreFault(.command(id), body, position)
            }
        case .commandOutcome:
            guard let intent = open.removeValue(forKey: id), intent.logKey == position.logKey else {
                throw StoreFault(.outcomeWithoutIntent(id), body, position)
            }
            let row = try row(of: id, in: db)
            guard let row, row.isEnded, row.state == body.outcome else { throw StoreFault(.command(id), body, position) }
        default: break
        }
        return false
    }

    /// Compares the open commands and the number of commands with the table. Call it after the last record of the last log.
    func finish(in db: Database) throws {
        let openRows = Set(try db.rows("SELECT id FROM commands WHERE is_ended = 0\(kept)") { try $0.id() as CommandID })
        if let id = openRows.symmetricDifference(open.keys).min() { throw StoreFault(.command(id)) }
        let rows = try db.firstRow("SELECT count(*) FROM commands WHERE true\(kept)") { try $0.value(Int64.self) } ?? 0
        guard UInt64(rows) == count else { throw StoreFault(.commandCount) }
        try checkCounts(in: db)
    }

    /// An SQL condition on `commands` that excludes the rows of commands whose intent was removed from its log.
    private let kept =
        " AND NOT EXISTS (SELECT 1 FROM logs WHERE key = intent >> 40 AND intent & 1099511627775 < first_seq)"

    /// Compares the stored counts with the projected commands.
    private func checkCounts(in db: Database) throws {
        let commands = """
            SELECT device_id, key, coalesce(property_id, x''), coalesce(unit_id, x''), coalesce(actor_user_id, x''), count(*)
            FROM commands JOIN entries ON position = intent JOIN logs ON key = intent >> 40
            WHERE intent & 1099511627775 < projected GROUP BY 1, 2, 3, 4, 5
            """
        let counts = "SELECT device_id, log, property_id, unit_id, actor_user_id, commands FROM command_counts"
        let sums = "SELECT log, property_id, sum(commands) FROM command_counts GROUP BY 1, 2"
        let totals = "SELECT log, property_id, commands FROM command_totals"
        for (one, other) in [(commands, counts), (counts, commands), (sums, totals), (totals, sums)] {
            let differs = try db.firstRow("\(one) EXCEPT \(other) LIMIT 1") { _ in true } ?? false
            if differs { throw StoreFault(.keptCount) }
        }
    }

    private func row(of id: CommandID, in db: Database) throws -> CommandRow? {
        try db.firstRow(
            "SELECT intent, state, is_ended, rule_id, rule_role, state_before, state_after FROM commands WHERE id = ?", [id.blob]
        ) { columns in
            let row = CommandRow(
                intent: EntryKey(rawValue: try columns.value()), state: try columns.word(),
                isEnded: try columns.value())
            // These columns are not copies of record fields, so the check only verifies that they can be read.
            _ = try RuleColumns.read(&columns)
            for _ in 0..<2 { _ = try columns.optionalWord(LockState.self) }
            return row
        }
    }
}

extension StoreFault {
    fileprivate init(_ problem: Problem, _ body: RecordBody, _ position: EntryKey) {
        self.init(log: body.log, seq: position.seq, problem)
    }
}
