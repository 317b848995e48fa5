internal import DoorwardControl
internal import DoorwardDomain
import FoundationEssentials
import GRDB

/// Reads commands. Their progress comes from the `commands` table, their actor and reason from the record of the intent.
struct CommandReading {
    private let db: Database
    private var records: RecordReading

    init(_ db: Database, _ keys: PersonKeyFile) { (self.db, records) = (db, RecordReading(db, keys)) }

    private static let columns = """
        intent, id, state, rule_id, rule_role, sent, changed, outcome_detail, state_before, state_after,
        requested_at, deadline, dispatched_at, completed_at
        """

    mutating func command(_ id: CommandID) throws -> StoredCommand? {
        try db.firstRow("SELECT \(Self.columns) FROM commands WHERE id = ?", [id.blob]) { try stored(&$0) } ?? nil
    }

    /// Returns the command, if the query matches it. For an unknown id, reads the row and the intent of the next existing id,
    /// so that the lookup takes as long as for a command that the query does not match.
    mutating func command(_ id: CommandID, within query: CommandQuery) throws -> StoredCommand? {
        var found: (id: CommandID?, intent: EntryKey)?
        try db.step(
            """
            SELECT id, intent FROM commands WHERE intent = coalesce(
                (SELECT intent FROM commands WHERE id >= ? ORDER BY id LIMIT 1),
                (SELECT intent FROM commands ORDER BY id DESC LIMIT 1))
            """, [id]
        ) { found = ($0.id(0), EntryKey(rawValue: $0.integer(1))) }
        guard let found else { return nil }
        var scopes: [RecordScope] = []
        var actor: UserID?
        let log = try StoredLog.find(key: found.intent.logKey, in: db)
        try db.step("SELECT unit_id, property_id, actor_user_id, at FROM entries WHERE position = ?", [found.intent.rawValue]) {
            row in
            guard let log = log?.id else { throw UnreadableColumn(column: "log_id") }
            let (unit, property): (UnitID?, PropertyID?) = (row.id(0), row.id(1))
            let at = Timestamp(milliseconds: row.integer(3))
            scopes = query.scopes.filter { $0.covers(log: log, unitID: unit, propertyID: property, at: at) }
            actor = row.id(2)
        }
        let isOwn = actor != nil && actor == query.actorUserID
        return found.id == id && (isOwn || !scopes.isEmpty) ? try command(id) : nil
    }

    /// Returns the open commands, oldest first.
    mutating func openCommands() throws -> [StoredCommand] {
        try db.rows("SELECT \(Self.columns) FROM commands WHERE is_ended = 0 ORDER BY requested_at, id") { try stored(&$0) }
            .compactMap(\.self)
    }

    /// Returns the commands that match the query, in the order of their intents' records, newest
    /// first. The list of each scope is read in batches (runs), and the lists are merged, so the
    /// cost grows with the number of shown and skipped commands, not with the total.
    ///
    /// - Parameter most: the maximum number of skipped commands; a larger offset throws `StoreError.pageTooDeep`.
    mutating func commands(
        _ query: CommandQuery, passingOver most: Int = .max
    ) throws -> (commands: [StoredCommand], total: Int) {
        var unprojected = UnprojectedPositions(db)
        let selection = try CommandSelection(query, &unprojected, in: db)
        // Counts are stored without instants, so the commands since an instant are counted one by one.
        let all = selection.hasBeginning ? try intents(of: selection, &unprojected, upTo: .max) : nil
        let total = try all?.count ?? CommandCounts.total(of: selection, &unprojected, in: db)
        let offset = max(0, query.offset)
        guard offset < total, query.limit > 0 else { return ([], total) }
        guard offset <= most else { throw StoreError.pageTooDeep }
        let end = offset + min(query.limit, total - offset)
        let newest = try all ?? intents(of: selection, &unprojected, upTo: end)
        return (try newest.prefix(end).dropFirst(offset).compactMap { try command(at: $0) }, total)
    }

    /// Returns the newest matching intents, newest first, but at most `most`.
    private func intents(
        of selection: CommandSelection, _ unprojected: inout UnprojectedPositions, upTo most: Int
    ) throws -> [EntryKey] {
        let found = try selection.streams(in: db)
        let run = max(16, min(256, Self.readAhead / max(1, found.count)))
        let streams = try found.map { log, selection, range in
            EntryStream(
                log: log, selection: selection, unprojected: try unprojected.positions(of: selection, in: log.key),
                range: range, isAscending: false, run: run)
        }
        var budget = ReadBudget.unlimited
        var merge = try EntryMerge(streams, isAscending: false, in: db, &budget)
        var intents: [EntryKey] = []
        while intents.count < most, let entry = try merge.next(in: db, &budget) {
            // One command can be in several lists, which return it one after the other.
            if entry.isMatch, entry.position != intents.last { intents.append(entry.position) }
        }
        return intents
    }

    /// The approximate number of commands that all streams together read ahead.
    private static let readAhead = 4096

    private mutating func command(at intent: EntryKey) throws -> StoredCommand? {
        try db.firstRow("SELECT \(Self.columns) FROM commands WHERE intent = ?", [intent.rawValue]) { try stored(&$0) } ?? nil
    }

    /// Returns `nil` if the intent was removed from its log: the intent contained the command's actor, unit and property.
    private mutating func stored(_ columns: inout ColumnReader) throws -> StoredCommand? {
        let position = EntryKey(rawValue: try columns.value())
        guard let intent = try records.recordIfKept(at: position)?.body else { return nil }
        let id: CommandID = try columns.id()
        guard let operation = intent.operation, let device = intent.device else { throw UnreadableColumn(column: "intent") }
        let (state, rule) = (try columns.word(CommandState.self), try RuleColumns.read(&columns))
        let command = Command(
            id: id, deviceID: device.deviceID, operation: operation, state: state, actor: intent.actor, source: intent.source,
            reason: intent.statedReason, override: intent.override, rule: rule, sent: try columns.optional(),
            changed: try columns.optional(), outcomeDetail: try columns.optional(), stateBefore: try columns.optionalWord(),
            stateAfter: try columns.optionalWord(), requestedAt: try columns.instant(), deadline: try columns.instant(),
            dispatchedAt: try columns.optionalInstant(), completedAt: try columns.optionalInstant())
        return StoredCommand(command: command, log: intent.log, device: device)
    }
}
