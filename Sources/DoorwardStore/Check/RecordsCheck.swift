internal import DoorwardAudit
internal import DoorwardDomain
internal import DoorwardKernel
import FoundationEssentials
import GRDB

/// Checks every log from its first record to its last: compares the columns, commands and projections with the records.
struct RecordsCheck {
    private static let recordsPerReport: UInt64 = 4096

    let db: Database
    private let keys: PersonKeyFile?
    private(set) var counts = StoreCheckCounts()
    private var commands = CommandsCheck()
    private var projection = ProjectionCheck()

    init(db: Database, keys: PersonKeyFile?) { (self.db, self.keys) = (db, keys) }

    /// - Throws: the first `StoreFault`.
    mutating func run(_ progress: (StoreCheckProgress) -> Void) throws {
        let rows = try db.rows("SELECT \(StoredLog.columns), frontier, last_at FROM logs ORDER BY key") {
            (log: try StoredLog(&$0), frontier: try $0.value([UInt8].self), lastAt: try $0.value(Timestamp.self))
        }
        let logs = rows.map(\.log)
        let total = logs.reduce(0) { $0 + ($1.size - min($1.size, $1.firstSeq)) }
        func report(_ done: UInt64) { progress(StoreCheckProgress(stage: .records, done: done, total: total)) }
        report(0)
        for (log, frontier, lastAt) in rows { try check(log, frontier, lastAt, report) }
        let entries = try db.firstRow("SELECT count(*) FROM entries") { try $0.value(Int.self) } ?? 0
        guard entries == Int(counts.records) else { throw StoreFault(.recordsOutsideLogs(entries - Int(counts.records))) }
        try commands.finish(in: db)
        try projection.finish(logs.map { ($0.key, $0.firstSeq..<max($0.firstSeq, $0.projected)) }, in: db)
        counts.logs.sort { $0.log.description < $1.log.description }
        report(counts.records)
    }

    private mutating func check(_ log: StoredLog, _ frontier: [UInt8], _ lastAt: Timestamp, _ report: (UInt64) -> Void) throws {
        guard log.firstSeq <= log.size else { throw StoreFault(log: log.id, .log(.wrongSize(log.size))) }
        var entries = try EntriesCheck(log, db: db, keys: keys)
        do {
            try goThrough(log, &entries, report)
            guard log.projected <= log.size else { throw StoreFault(log: log.id, .projection("logs")) }
            try entries.finish(frontier: frontier, size: log.size, lastAt: lastAt)
        } catch {
            throw StoreFault(error, log: log.id, seq: entries.seq) ?? error
        }
        counts.logs.append(LogSize(log: log.id, size: log.size))
    }

    private mutating func goThrough(_ log: StoredLog, _ entries: inout EntriesCheck, _ report: (UInt64) -> Void) throws {
        defer { (counts.commands, counts.openCommands) = (commands.count, UInt64(commands.open.count)) }
        let (sql, arguments) = entries.statement
        try db.step(sql, arguments) { columns in
            guard entries.seq < log.size else { throw StoreFault(log: log.id, seq: entries.seq, .beyondEnd) }
            let position = EntryKey(logKey: log.key, seq: entries.seq)
            let body = try entries.check(&columns, &counts)
            do {
                let isCommand = try commands.see(body, at: position, isTruncated: log.firstSeq > 0, in: db)
                if position.seq < log.projected {
                    var entry = IndexedEntry(body, at: position)
                    entry.isCommand = isCommand
                    try projection.see(entry, in: db)
                }
            } catch {
                throw StoreFault(error, log: log.id, seq: position.seq) ?? error
            }
            counts.records += 1
            if counts.records.isMultiple(of: Self.recordsPerReport) { report(counts.records) }
        }
    }
}

/// Compares the posting lists and the time marks with the records that they are derived from. Memory is constant: the postings
/// derived from the records and those in the table are each reduced to a sum of hashes, and the sums are compared.
struct ProjectionCheck {
    /// An order-independent sum. Its two 64-bit hashes detect damage, not forgery.
    private struct Sum: Equatable {
        var (first, second) = (0, 0)

        mutating func add(facet: Int64, value: [UInt8], position: Int64) {
            var hasher = Hasher()
            hasher.combine(facet)
            hasher.combine(value)
            hasher.combine(position)
            var other = hasher
            other.combine(true)
            (first, second) = (first &+ hasher.finalize(), second &+ other.finalize())
        }
    }

    private var expected = Sum()
    private var marks = 0

    /// Adds a projected entry.
    mutating func see(_ entry: IndexedEntry, in db: Database) throws {
        for list in entry.lists { expected.add(facet: list.facet, value: list.value, position: entry.position.rawValue) }
        guard entry.position.seq.isMultiple(of: Projector.entriesPerMark) else { return }
        let at = try db.firstRow("SELECT at FROM time_marks WHERE position = ?", [entry.position.rawValue]) { $0.integer(0) }
        guard at == entry.at.milliseconds else { throw StoreFault(.projection("time_marks")) }
        marks += 1
    }

    /// Compares the sums with the tables. Call it after the last record of the last log.
    ///
    /// - Parameter logs: the key of each log, and the range of its projected records. Postings of removed records are ignored,
    ///   as lists ignore them too.
    func finish(_ logs: [(key: Int64, projected: Range<UInt64>)], in db: Database) throws {
        let projected = Dictionary(uniqueKeysWithValues: logs.map { ($0.key, $0.projected) })
        var found = Sum()
        try db.step("SELECT facet, value, log, first, last, count, deltas FROM postings", []) { row in
            let log = row.integer(2)
            let seqs = PostingBlock.seqs(first: row.integer(3), last: row.integer(4), count: row.integer(5), deltas: row.bytes(6))
            guard let seqs, let last = seqs.last, let range = projected[log], last < range.upperBound else {
                throw StoreFault(.projection("postings"))
            }
            for seq in seqs where seq >= range.lowerBound {
                found.add(facet: row.integer(0), value: row.bytes(1), position: EntryKey(logKey: log, seq: seq).rawValue)
            }
        }
        guard found == expected else { throw StoreFault(.projection("postings")) }
        var stored = try db.firstRow("SELECT count(*) FROM time_marks") { try $0.value(Int.self) } ?? 0
        for (log, range) in logs where range.lowerBound > 0 {
            let removed: [(any Bindable)?] = [
                EntryKey(logKey: log, seq: 0).rawValue, EntryKey(logKey: log, seq: range.lowerBound).rawValue,
            ]
            try db.step("SELECT count(*) FROM time_marks WHERE position >= ? AND position < ?", removed) {
                stored -= Int($0.integer(0))
            }
        }
        guard stored == marks else { throw StoreFault(.projection("time_marks")) }
    }
}

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
    /// - Parameter isTruncated: whether records were removed from the log. An outcome's intent may be one of them.
    /// - Returns: whether the record is the intent of a new command.
    mutating func see(_ body: RecordBody, at position: EntryKey, isTruncated: Bool, in db: Database) throws -> Bool {
        guard let id = body.commandID else { return false }
        switch body.kind {
        case .commandIntent where open[id] == nil:
            let row = try row(of: id, in: db)
            guard let row, row.intent == position else { throw StoreFault(.command(id), body, position) }
            count += 1
            open[id] = position
            return true
        case .commandOutcome where isTruncated && open[id] == nil:
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
        let openRows = Set(try db.rows("SELECT id FROM commands WHERE is_ended = 0\(kept)") { try $0.value() as CommandID })
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
            if try db.hasRow("\(one) EXCEPT \(other) LIMIT 1") { throw StoreFault(.keptCount) }
        }
    }

    private func row(of id: CommandID, in db: Database) throws -> CommandRow? {
        try db.firstRow(
            "SELECT intent, state, is_ended, rule_id, rule_role, state_before, state_after FROM commands WHERE id = ?", [id.blob]
        ) { columns in
            let row = CommandRow(
                intent: EntryKey(rawValue: try columns.value()), state: try columns.value(),
                isEnded: try columns.value())
            // These columns are not copies of record fields, so the check only verifies that they can be read.
            _ = try RuleColumns.read(&columns)
            for _ in 0..<2 { _ = try columns.optional(LockState.self) }
            return row
        }
    }
}

extension StoreFault {
    fileprivate init(_ problem: Problem, _ body: RecordBody, _ position: EntryKey) {
        self.init(log: body.log, seq: position.seq, problem)
    }
}
