internal import DoorwardDomain
internal import DoorwardKernel
import FoundationEssentials
import GRDB

/// Reads commands. Their progress comes from the `commands` table, their actor and reason from the record of the intent.
struct CommandReading {
    private let db: Database
    private let records: RecordReading

    init(_ db: Database, _ keys: PersonKeyFile) { (self.db, records) = (db, RecordReading(db, keys)) }

    private static let columns = """
        intent, id, state, rule_id, rule_role, sent, changed, outcome_detail, state_before, state_after,
        requested_at, deadline, dispatched_at, completed_at
        """

    func command(_ id: CommandID) throws -> StoredCommand? {
        try db.firstRow("SELECT \(Self.columns) FROM commands WHERE id = ?", [id.blob]) { try stored(&$0) } ?? nil
    }

    /// Returns the command, if the query matches it. For an unknown id, reads the row and the intent of the next existing id,
    /// so that the lookup takes as long as for a command that the query does not match.
    func command(_ id: CommandID, within query: CommandQuery) throws -> StoredCommand? {
        let found = try db.firstRow(
            """
            SELECT id, intent FROM commands WHERE intent = coalesce(
                (SELECT intent FROM commands WHERE id >= ? ORDER BY id LIMIT 1),
                (SELECT intent FROM commands ORDER BY id DESC LIMIT 1))
            """, [id]
        ) { (id: $0.id(0) as CommandID?, intent: EntryKey(rawValue: $0.integer(1))) }
        guard let found else { return nil }
        let log = try StoredLog.find(key: found.intent.logKey, in: db)
        let isCovered = try db.firstRow(
            "SELECT unit_id, property_id, actor_user_id, at FROM entries WHERE position = ?", [found.intent.rawValue]
        ) { row in
            guard let log = log?.id else { throw UnreadableColumn(column: "log_id") }
            let (unit, property, actor): (UnitID?, PropertyID?, UserID?) = (row.id(0), row.id(1), row.id(2))
            let at = Timestamp(milliseconds: row.integer(3))
            // Every scope is examined, so that the lookup takes as long whichever covers the command.
            let scopes = query.scopes.filter { $0.covers(log: log, unitID: unit, propertyID: property, at: at) }
            return !scopes.isEmpty || actor != nil && actor == query.actorUserID
        }
        return found.id == id && isCovered == true ? try command(id) : nil
    }

    /// Returns the open commands, oldest first.
    func openCommands() throws -> [StoredCommand] {
        try db.rows("SELECT \(Self.columns) FROM commands WHERE is_ended = 0 ORDER BY requested_at, id") { try stored(&$0) }
            .compactMap(\.self)
    }

    /// Returns the commands that match the query, in the order of their intents' records, newest
    /// first. The list of each scope is read in batches (runs), and the lists are merged, so the
    /// cost grows with the number of shown and skipped commands, not with the total.
    ///
    /// - Parameter most: the maximum number of skipped commands; a larger offset throws `StoreError.pageTooDeep`.
    func commands(_ query: CommandQuery, passingOver most: Int = .max) throws -> (commands: [StoredCommand], total: Int) {
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

    private func command(at intent: EntryKey) throws -> StoredCommand? {
        try db.firstRow("SELECT \(Self.columns) FROM commands WHERE intent = ?", [intent.rawValue]) { try stored(&$0) } ?? nil
    }

    /// Returns `nil` if the intent was removed from its log: the intent contained the command's actor, unit and property.
    private func stored(_ columns: inout ColumnReader) throws -> StoredCommand? {
        let position = EntryKey(rawValue: try columns.value())
        guard let intent = try records.recordIfKept(at: position)?.body else { return nil }
        let id: CommandID = try columns.value()
        guard let operation = intent.operation, let device = intent.device else { throw UnreadableColumn(column: "intent") }
        let (state, rule) = (try columns.value(CommandState.self), try RuleColumns.read(&columns))
        let command = Command(
            id: id, deviceID: device.deviceID, operation: operation, state: state, actor: intent.actor, source: intent.source,
            reason: intent.statedReason, override: intent.override, rule: rule, sent: try columns.optional(),
            changed: try columns.optional(), outcomeDetail: try columns.optional(), stateBefore: try columns.optional(),
            stateAfter: try columns.optional(), requestedAt: try columns.value(), deadline: try columns.value(),
            dispatchedAt: try columns.optional(), completedAt: try columns.optional())
        return StoredCommand(command: command, log: intent.log, device: device)
    }
}

/// The commands that a query matches, selected by the entries of their intents.
struct CommandSelection {
    /// The logs that may contain matching commands, by key. A command matches if its log is in `wholeLogs`, its property in
    /// `properties` or its unit in `units`, or if `actor` sent it.
    private(set) var logs: [Int64: StoredLog] = [:]
    private(set) var wholeLogs: Set<Int64> = []
    private(set) var properties: [Int64: Set<PropertyID>] = [:]
    /// The units with the instant from which their commands match.
    private(set) var units: [Int64: [UnitID: Timestamp]] = [:]
    let actor: UserID?
    /// If set, only commands of this device match.
    let device: DeviceID?
    /// The logs that the scopes cover.
    private(set) var scopeLogs: Set<Int64> = []
    /// The logs with commands of the actor. If `device` is set, only commands on that device count.
    private(set) var actorLogs: Set<Int64> = []

    init(_ query: CommandQuery, _ unprojected: inout UnprojectedPositions, in db: Database) throws {
        (actor, device) = (query.actorUserID, query.deviceID)
        for id in Set(query.scopes.map(\.log)) {
            if let log = try StoredLog.find(id, in: db) { logs[log.key] = log }
        }
        let keys = Dictionary(uniqueKeysWithValues: logs.values.map { ($0.id, $0.key) })
        scopeLogs = Set(keys.values)
        for scope in query.scopes {
            // A log without a row has no record.
            guard let log = keys[scope.log] else { continue }
            switch scope {
            case .gatewayLog, .portfolioLog: wholeLogs.insert(log)
            case .property(let id, _): properties[log, default: []].insert(id)
            case .unit(let id, _, let from): units[log, default: [:]].merge([id: from], uniquingKeysWith: min)
            }
        }
        guard let actor else { return }
        actorLogs = try CommandCounts.logs(of: actor, device: device, in: db)
        for log in try unprojected.logKeys() {
            let commands = try unprojected.commands(in: log)
            if commands.contains(where: { $0.actor == actor && (device == nil || $0.device == device) }) { actorLogs.insert(log) }
        }
        for key in actorLogs where logs[key] == nil { logs[key] = try StoredLog.find(key: key, in: db) }
    }

    /// Whether some commands match only from an instant on, so that the stored counts do not tell how many match.
    var hasBeginning: Bool { !wholeLogs.isSuperset(of: units.keys) }

    /// Returns whether the query matches commands of every actor in this log or property. Units, which match from an instant on
    /// only, are not considered.
    func hasScope(log: Int64, property: PropertyID?) -> Bool {
        wholeLogs.contains(log) || property.map { properties[log]?.contains($0) ?? false } ?? false
    }

    func matches(_ key: CommandCounts.Key) -> Bool {
        guard device == nil || device == key.device else { return false }
        return hasScope(log: key.log, property: key.property) || (actor != nil && actor == key.actor)
    }

    /// The lists to merge. Without a device, each log has one list for each scope and one for the actor. With a device, each
    /// log that a scope covers has one list for the device. Each other log with commands of the actor on the device has one
    /// list for the actor. No other log is read, so a device whose commands are only in other logs costs the same as an unknown
    /// device. Several lists can return the same command.
    func streams(in db: Database) throws -> [(log: StoredLog, selection: EntrySelection, range: Range<Int64>)] {
        var found: [(log: StoredLog, selection: EntrySelection, range: Range<Int64>)] = []
        func add(
            _ key: Int64, _ source: EntrySelection.Source, _ condition: (String, [(any Bindable)?]) = ("", []),
            from: Timestamp? = nil
        ) throws {
            guard let log = logs[key] else { return }
            let range = try from.map { try LogTime(log, in: db).positions(from: $0) } ?? log.range
            found.append((log, EntrySelection(source: source, condition: condition), range))
        }
        if let device {
            for log in scopeLogs { try add(log, .postings(.commands(.device(device))), visibility(in: log)) }
            guard let actor else { return found }
            for log in actorLogs.subtracting(scopeLogs) {
                try add(log, .postings(.commands(.actor(actor))), (" AND +device_id = ?", [device]))
            }
            return found
        }
        for log in wholeLogs { try add(log, .commands) }
        for (log, ids) in properties { for id in ids { try add(log, .postings(.commands(.property(id)))) } }
        for (log, ids) in units { for (id, from) in ids { try add(log, .postings(.commands(.unit(id))), from: from) } }
        if let actor { for log in actorLogs { try add(log, .postings(.commands(.actor(actor)))) } }
        return found
    }

    /// Returns the SQL condition that the matching intents of a log meet, whichever list contains them.
    private func visibility(in log: Int64) -> (String, [(any Bindable)?]) {
        guard !wholeLogs.contains(log) else { return ("", []) }
        let (properties, units) = (self.properties[log] ?? [], self.units[log] ?? [:])
        var terms: [String] = []
        var arguments: [(any Bindable)?] = []
        if !properties.isEmpty {
            terms.append("+property_id IN (\(Self.marks(properties.count)))")
            arguments += properties.map { $0 }
        }
        if !units.isEmpty {
            // NULL, which is not true, for every other unit.
            terms.append("+at >= CASE unit_id \(String(repeating: "WHEN ? THEN ? ", count: units.count))END")
            for (id, from) in units { arguments += [id, from.milliseconds] }
        }
        if let actor {
            terms.append("+actor_user_id = ?")
            arguments.append(actor)
        }
        return (" AND (\(terms.joined(separator: " OR ")))", arguments)
    }

    private static func marks(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }
}

/// The numbers of commands by log, device, property, unit and user. They are stored together with the posting lists, so that
/// command lists do not have to count commands.
enum CommandCounts {
    /// The columns that commands are counted by.
    struct Key: Hashable {
        let log: Int64
        let device: DeviceID
        var property: PropertyID?
        var unit: UnitID?
        var actor: UserID?

        init(log: Int64, device: DeviceID, property: PropertyID? = nil, unit: UnitID? = nil, actor: UserID? = nil) {
            (self.log, self.device, self.property, self.unit, self.actor) = (log, device, property, unit, actor)
        }

        /// Returns `nil` for an entry that is not the intent of a new command.
        init?(_ entry: IndexedEntry) {
            guard entry.isCommand else { return nil }
            var (device, property, unit, actor): (DeviceID?, PropertyID?, UnitID?, UserID?) = (nil, nil, nil, nil)
            for match in entry.matches {
                switch match {
                case .device(let id): device = id
                case .property(let id): property = id
                case .unit(let id): unit = id
                case .actor(let id): actor = id
                case .denied, .kind, .operation, .reason, .outcome: break
                }
            }
            guard let device else { return nil }
            self.init(log: entry.position.logKey, device: device, property: property, unit: unit, actor: actor)
        }
    }

    /// The value that represents a missing id in primary key columns.
    private static let none: [UInt8] = []

    /// Adds negative `counts`, and removes the rows that are 0 afterwards, as if these commands had never existed.
    static func subtract(_ counts: [Key: Int], in db: Database) throws {
        guard !counts.isEmpty else { return }
        try add(counts, in: db)
        for key in counts.keys {
            try db.run(
                """
                DELETE FROM command_counts
                WHERE device_id = ? AND log = ? AND property_id = ? AND unit_id = ? AND actor_user_id = ? AND commands = 0
                """, [key.device, key.log, key.property ?? none, key.unit ?? none, key.actor ?? none])
            try db.run(
                "DELETE FROM command_totals WHERE log = ? AND property_id = ? AND commands = 0", [key.log, key.property ?? none])
        }
    }

    /// Adds `counts` to the stored counts.
    static func add(_ counts: [Key: Int], in db: Database) throws {
        var totals: [Key: Int] = [:]
        for (key, count) in counts {
            try db.run(
                """
                INSERT INTO command_counts (device_id, log, property_id, unit_id, actor_user_id, commands) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET commands = commands + excluded.commands
                """,
                [key.device, key.log, key.property ?? none, key.unit ?? none, key.actor ?? none, count])
            // Totals are stored by log and property alone.
            totals[Key(log: key.log, device: DeviceID(high: 0, low: 0), property: key.property), default: 0] += count
        }
        for (key, count) in totals {
            try db.run(
                """
                INSERT INTO command_totals (log, property_id, commands) VALUES (?, ?, ?)
                ON CONFLICT DO UPDATE SET commands = commands + excluded.commands
                """, [key.log, key.property ?? none, count])
        }
    }

    /// Returns the logs that contain commands of an actor, or commands of the actor on one device.
    static func logs(of actor: UserID, device: DeviceID?, in db: Database) throws -> Set<Int64> {
        let logs = try db.rows("SELECT log, device_id FROM command_counts WHERE actor_user_id = ?", [actor]) { row in
            device == nil || row.id(1) == device ? row.integer(0) : nil
        }
        return Set(logs.compactMap(\.self))
    }

    /// Returns the number of commands that a selection without a beginning matches, each counted once. The cost grows with the
    /// number of scopes and devices, not with the number of commands.
    static func total(of selection: CommandSelection, _ unprojected: inout UnprojectedPositions, in db: Database) throws -> Int {
        var total = 0
        for log in try unprojected.logKeys() where selection.logs[log] != nil {
            total += try unprojected.commands(in: log).count(where: selection.matches)
        }
        if let device = selection.device { return try total + counted(on: device, selection, in: db) }
        for log in selection.wholeLogs {
            try db.step("SELECT commands FROM command_totals WHERE log = ?", [log]) { total += Int($0.integer(0)) }
        }
        // Leave out the commands that a wider scope has already counted.
        for (log, ids) in selection.properties where !selection.wholeLogs.contains(log) {
            for id in ids {
                try db.step("SELECT commands FROM command_totals WHERE log = ? AND property_id = ?", [log, id]) {
                    total += Int($0.integer(0))
                }
            }
        }
        if let actor = selection.actor {
            total += try sum("actor_user_id = ?", [actor], in: db) {
                !selection.hasScope(log: $0.log, property: $0.property)
            }
        }
        return total
    }

    /// Counts the matching commands of a device: in the logs of the scopes, all of them; in other logs, only those of the actor.
    private static func counted(on device: DeviceID, _ selection: CommandSelection, in db: Database) throws -> Int {
        var total = 0
        for log in selection.scopeLogs {
            total += try sum("device_id = ? AND log = ?", [device, log], in: db, where: selection.matches)
        }
        guard let actor = selection.actor else { return total }
        return try total
            + sum("actor_user_id = ?", [actor], in: db) { $0.device == device && !selection.scopeLogs.contains($0.log) }
    }

    /// Returns the sum of the counts that match the SQL condition and satisfy `isCounted`.
    private static func sum(
        _ condition: String, _ arguments: [(any Bindable)?], in db: Database, where isCounted: (Key) -> Bool
    ) throws -> Int {
        var total = 0
        try db.step(
            "SELECT log, device_id, property_id, unit_id, actor_user_id, commands FROM command_counts WHERE \(condition)",
            arguments
        ) { row in
            guard let device: DeviceID = row.id(1) else { throw UnreadableColumn(column: "device_id") }
            let key = Key(log: row.integer(0), device: device, property: row.id(2), unit: row.id(3), actor: row.id(4))
            if isCounted(key) { total += Int(row.integer(5)) }
        }
        return total
    }
}
