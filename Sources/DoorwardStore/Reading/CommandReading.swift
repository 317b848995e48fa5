internal import DoorwardControl
internal import DoorwardDomain
import FoundationEssentials
import GRDB

/// Reads commands: their course from their table, and who gave them and why from the record of the intent.
struct CommandReading {
    private let db: Database
    private var records: RecordReading

    init(_ db: Database) { (self.db, records) = (db, RecordReading(db)) }

    private static let columns = """
        id, device_id, intent, state, rule_id, rule_role, sent, changed, outcome_detail, state_before, state_after,
        requested_at, deadline, dispatched_at, completed_at
        """

    mutating func command(_ id: CommandID) throws -> StoredCommand? {
        try db.firstRow("SELECT \(Self.columns) FROM commands WHERE id = ?", [id.blob]) { try stored(&$0) }
    }

    /// The command, if the query matches it. If not, only the columns that decide it are read.
    mutating func command(_ id: CommandID, within query: CommandQuery) throws -> StoredCommand? {
        guard let (condition, arguments) = try CommandSelection(query, in: db).visibility else { return nil }
        return try db.firstRow(
            "SELECT \(Self.columns) FROM commands WHERE id = ? AND \(condition)", [id.blob] + arguments
        ) { try stored(&$0) }
    }

    /// Those that have not ended, oldest first.
    mutating func openCommands() throws -> [StoredCommand] {
        try db.rows(
            "SELECT \(Self.columns) FROM commands WHERE is_ended = 0 ORDER BY requested_at, id"
        ) { try stored(&$0) }
    }

    /// Newest first. What each index finds is read by itself, a run at a time, and the runs are merged: what is skipped is
    /// passed over and not kept. The cost grows with what is shown and skipped, not with all that ever was.
    ///
    /// - Parameter most: how many may be skipped; more throws `StoreError.pageTooDeep`.
    mutating func commands(
        _ query: CommandQuery, passingOver most: Int = .max
    ) throws -> (commands: [StoredCommand], total: Int) {
        let selection = try CommandSelection(query, in: db)
        let total = try CommandCounts.total(of: selection, in: db)
        let offset = max(0, query.offset)
        guard offset < total, query.limit > 0 else { return ([], total) }
        guard offset <= most else { throw StoreError.pageTooDeep }
        var merge = try CommandMerge(selection, in: db)
        for _ in 0..<offset { _ = try merge.next(in: db) }
        var page: [StoredCommand] = []
        while page.count < query.limit, let id = try merge.next(in: db) {
            if let command = try command(id) { page.append(command) }
        }
        return (page, total)
    }

    private mutating func stored(_ columns: inout ColumnReader) throws -> StoredCommand {
        let (id, deviceID) = (try columns.id() as CommandID, try columns.id() as DeviceID)
        let intent = try records.record(at: Position(rawValue: try columns.value())).body
        guard let operation = intent.operation else { throw UnreadableColumn(column: "intent") }
        let (state, rule) = (try columns.word(CommandState.self), try RuleColumns.read(&columns))
        let command = Command(
            id: id, deviceID: deviceID, operation: operation, state: state, actor: intent.actor, source: intent.source,
            reason: intent.statedReason, override: intent.override, rule: rule, sent: try columns.optional(),
            changed: try columns.optional(), outcomeDetail: try columns.optional(), stateBefore: try columns.optionalWord(),
            stateAfter: try columns.optionalWord(), requestedAt: try columns.instant(), deadline: try columns.instant(),
            dispatchedAt: try columns.optionalInstant(), completedAt: try columns.optionalInstant())
        return StoredCommand(command: command, log: intent.log, device: intent.device ?? DeviceStamp(deviceID: deviceID))
    }
}
