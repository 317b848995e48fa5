internal import DoorwardDomain
internal import DoorwardKernel
import GRDB

/// Updates the posting lists, the time marks and the counts of commands from the log, many entries at a time.
///
/// An acknowledged write is durable in the log. The projections lack at most the last `StoreLimits.entriesPerProjection`
/// entries. Readers take these entries from the log itself, so no result is stale. A `Projector` belongs to one connection, and
/// is discarded with it.
struct Projector {
    /// Unprojected entries, in the order in which they were appended.
    private var entries: [IndexedEntry] = []
    private var isLoaded = false

    /// The number of entries for each time mark: every sixteenth entry of a log has a time mark.
    static let entriesPerMark: UInt64 = 16

    /// Reads the entries that an earlier connection left unprojected, on the first call only.
    mutating func loadIfNeeded(from db: Database) throws {
        guard !isLoaded else { return }
        entries = try StoredLog.unprojected(in: db).flatMap { try $0.entries($0.unprojected, in: db) }
        isLoaded = true
    }

    var count: Int { entries.count }

    // MARK: Savepoints and transactions

    mutating func append(_ entry: IndexedEntry) { entries.append(entry) }

    /// Marks the entry that the open transaction appended at a position as the intent of a new command.
    mutating func markCommand(at position: EntryKey) {
        guard let index = entries.lastIndex(where: { $0.position == position }) else { return }
        entries[index].isCommand = true
    }

    /// Drops the entries after the first `count`. Call it after the database was rolled back.
    mutating func undo(to count: Int) { entries.removeLast(entries.count - count) }

    // MARK: Projecting

    /// Projects all entries, in the order of the `postings` table. The caller must then commit, or drop the connection.
    mutating func project(in db: Database) throws {
        try Self.project(entries, in: db)
        entries.removeAll(keepingCapacity: true)
    }

    private static func project(_ entries: [IndexedEntry], in db: Database) throws {
        var lists: [ListKey: [UInt64]] = [:]
        var counts: [CommandCounts.Key: Int] = [:]
        var sizes: [Int64: UInt64] = [:]
        var firstSeqs: [Int64: UInt64] = [:]
        for entry in entries {
            let (log, seq) = (entry.position.logKey, entry.position.seq)
            sizes[log] = max(sizes[log] ?? 0, seq + 1)
            let first = try firstSeqs[log] ?? StoredLog.find(key: log, in: db)?.firstSeq ?? 0
            firstSeqs[log] = first
            // The retention may have removed a record before it was projected.
            guard seq >= first else { continue }
            for list in entry.lists { lists[ListKey(facet: list.facet, value: list.value, log: log), default: []].append(seq) }
            if entry.isCommand, let key = CommandCounts.Key(entry) { counts[key, default: 0] += 1 }
            if seq.isMultiple(of: Self.entriesPerMark) {
                try db.run(
                    "INSERT INTO time_marks (position, at) VALUES (?, ?)", [entry.position.rawValue, entry.at.milliseconds])
            }
        }
        for (key, seqs) in lists.sorted(by: { $0.key < $1.key }) { try append(seqs, to: key, in: db) }
        try CommandCounts.add(counts, in: db)
        for (log, size) in sizes { try db.run("UPDATE logs SET projected = ? WHERE key = ?", [Int64(size), log]) }
    }

    // MARK: At the start

    /// The maximum number of entries that one transaction projects at the start.
    private static let entriesAtOnce: UInt64 = 4096

    /// Projects entries in transactions of bounded size, until at most `limit` unprojected entries remain. If all posting lists
    /// were deleted, rebuilds them from the log.
    static func catchUp(_ queue: DatabaseQueue, limit: Int) throws {
        try queue.writeWithoutTransaction { db in
            try db.inTransaction(.immediate) {
                try resetIfDeleted(db)
                return .commit
            }
            while true {
                let logs = try StoredLog.unprojected(in: db)
                guard logs.reduce(0, { $0 + $1.unprojected.count }) > limit,
                    let log = logs.first(where: { !$0.unprojected.isEmpty })
                else { return }
                try db.inTransaction(.immediate) {
                    let (start, end) = (log.unprojected.lowerBound, log.unprojected.upperBound)
                    let entries = try log.entries(start..<min(end, start + entriesAtOnce), in: db)
                    // If no entry is found, the file is damaged, and the loop would never end.
                    guard !entries.isEmpty else { throw UnreadableColumn(column: "position") }
                    try project(entries, in: db)
                    return .commit
                }
            }
        }
    }

    /// Resets the projections if records are projected but no posting list exists. The lists must
    /// then have been deleted, because every record is in at least one list.
    private static func resetIfDeleted(_ db: Database) throws {
        guard try db.hasRow("SELECT 1 FROM logs WHERE projected > 0 LIMIT 1"), try !db.hasRow("SELECT 1 FROM postings LIMIT 1")
        else { return }
        try db.execute(
            sql: """
                UPDATE logs SET projected = 0;
                DELETE FROM time_marks;
                DELETE FROM command_counts;
                DELETE FROM command_totals;
                """)
    }

    /// The key of a posting list in one log, in the order of the table.
    private struct ListKey: Hashable, Comparable {
        let facet: Int64
        let value: [UInt8]
        let log: Int64

        static func < (a: Self, b: Self) -> Bool {
            if a.facet != b.facet { return a.facet < b.facet }
            if a.value != b.value { return a.value.lexicographicallyPrecedes(b.value) }
            return a.log < b.log
        }
    }

    /// Fills the list's last block, then adds blocks. An unreadable last block is left unchanged; `store check` reports it.
    private static func append(_ seqs: [UInt64], to key: ListKey, in db: Database) throws {
        var rest = seqs[...]
        var filled: (first: Int64, last: Int64, count: Int64, deltas: [UInt8])?
        try db.step(
            "SELECT first, last, count, deltas FROM postings WHERE facet = ? AND value = ? AND log = ? ORDER BY first DESC LIMIT 1",
            [key.facet, key.value, key.log]
        ) { row in
            let (first, last, count, deltas) = (row.integer(0), row.integer(1), row.integer(2), row.bytes(3))
            let room = PostingBlock.capacity - Int(clamping: count)
            guard room > 0, let next = rest.first, last < Int64(next),
                PostingBlock.seqs(first: first, last: last, count: count, deltas: deltas) != nil
            else { return }
            let added = rest.prefix(room)
            rest = rest.dropFirst(room)
            filled = (
                first, Int64(added.last ?? 0), count + Int64(added.count),
                deltas + PostingBlock.deltas(of: [UInt64(last)] + added)
            )
        }
        if let filled {
            try db.run(
                "UPDATE postings SET last = ?, count = ?, deltas = ? WHERE facet = ? AND value = ? AND log = ? AND first = ?",
                [filled.last, filled.count, filled.deltas, key.facet, key.value, key.log, filled.first])
        }
        while !rest.isEmpty {
            let added = rest.prefix(PostingBlock.capacity)
            rest = rest.dropFirst(PostingBlock.capacity)
            guard let first = added.first, let last = added.last else { return }
            try db.run(
                "INSERT INTO postings (facet, value, log, first, last, count, deltas) VALUES (?, ?, ?, ?, ?, ?, ?)",
                [key.facet, key.value, key.log, Int64(first), Int64(last), added.count, PostingBlock.deltas(of: added)])
        }
    }
}

extension StoredLog {
    /// Returns all logs with unprojected entries. An index that contains only these logs finds them.
    static func unprojected(in db: Database) throws -> [StoredLog] { try all(where: "projected < size", in: db) }

    /// Returns entries of the log, in order.
    func entries(_ seqs: Range<UInt64>, in db: Database) throws -> [IndexedEntry] {
        return try db.rows(
            """
            SELECT \(IndexedEntry.columns), EXISTS (SELECT 1 FROM commands WHERE intent = position)
            FROM entries WHERE position >= ? AND position < ? ORDER BY position
            """,
            [EntryKey(logKey: key, seq: seqs.lowerBound).rawValue, EntryKey(logKey: key, seq: seqs.upperBound).rawValue]
        ) { row in
            var entry = IndexedEntry(row)
            entry.isCommand = row.integer(10) == 1
            return entry
        }
    }
}
