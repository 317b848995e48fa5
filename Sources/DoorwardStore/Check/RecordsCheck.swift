internal import DoorwardAudit
internal import DoorwardControl
internal import DoorwardDomain
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
        let logs = try logRows()
        let total = logs.reduce(0) { $0 + ($1.size - min($1.size, $1.firstSeq)) }
        progress(StoreCheckProgress(stage: .records, done: 0, total: total))
        for log in logs {
            try check(log) { done in progress(StoreCheckProgress(stage: .records, done: done, total: total)) }
        }
        let rows = try db.firstRow("SELECT count(*) FROM entries") { try $0.value(Int.self) } ?? 0
        guard rows == Int(counts.records) else { throw StoreFault(.recordsOutsideLogs(rows - Int(counts.records))) }
        try commands.finish(in: db)
        try projection.finish(logs.map { ($0.key, $0.firstSeq..<max($0.firstSeq, $0.projected)) }, in: db)
        counts.logs.sort { $0.log.description < $1.log.description }
        progress(StoreCheckProgress(stage: .records, done: counts.records, total: total))
    }

    /// A row of `logs`.
    private struct LogRow {
        let key: Int64
        let id: LogID
        let size: UInt64
        let frontier: [UInt8]
        let lastAt: Timestamp
        let projected: UInt64
        /// The `seq` of the first record that was not removed.
        let firstSeq: UInt64
    }

    private func logRows() throws -> [LogRow] {
        try db.rows("SELECT key, log_id, size, frontier, last_at, projected, first_seq FROM logs ORDER BY key") { columns in
            let key: Int64 = try columns.value()
            guard let id = LogID(try columns.value(String.self)) else { throw UnreadableColumn(column: "log_id") }
            return LogRow(
                key: key, id: id, size: UInt64(clamping: try columns.value(Int64.self)), frontier: try columns.bytes(),
                lastAt: try columns.instant(), projected: UInt64(clamping: try columns.value(Int64.self)),
                firstSeq: UInt64(clamping: try columns.value(Int64.self)))
        }
    }

    private mutating func check(_ log: LogRow, _ report: (UInt64) -> Void) throws {
        guard log.firstSeq <= log.size else { throw StoreFault(log: log.id, .log(.wrongSize(log.size))) }
        var entries = try EntriesCheck(
            log: log.id, key: log.key, firstSeq: log.firstSeq, db: db, keys: keys)
        do {
            try goThrough(log, &entries, report)
            guard log.projected <= log.size else { throw StoreFault(log: log.id, .projection("logs")) }
            try entries.finish(frontier: log.frontier, size: log.size, lastAt: log.lastAt)
        } catch {
            throw StoreFault(error, log: log.id, seq: entries.seq) ?? error
        }
        counts.logs.append(LogSize(log: log.id, size: log.size))
    }

    private mutating func goThrough(_ log: LogRow, _ entries: inout EntriesCheck, _ report: (UInt64) -> Void) throws {
        defer {
            counts.personalValues += entries.opened
            counts.erasedValues += entries.erased
            counts.unverifiedValues += entries.unverified
            (counts.commands, counts.openCommands) = (commands.count, UInt64(commands.open.count))
        }
        let rows = try entries.rows()
        while let row = try rows.next() {
            guard entries.seq < log.size else { throw StoreFault(log: log.id, seq: entries.seq, .beyondEnd) }
            let position = EntryKey(logKey: log.key, seq: entries.seq)
            let body = try entries.check(row)
            do {
                let isCommand = try commands.see(body, at: position, isCut: log.firstSeq > 0, in: db)
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
