internal import DoorwardAudit
internal import DoorwardControl
internal import DoorwardDomain
import FoundationEssentials
import GRDB

/// Removes the oldest records of a log with everything that is derived from them, except the nodes of the log's tree.
///
/// The cost is proportional to the number of removed records, so the caller removes many of them in several transactions.
struct LogCutting {
    private let log: Int64
    private let until: UInt64
    private let db: Database

    init(log: Int64, until: UInt64, in db: Database) { (self.log, self.until, self.db) = (log, until, db) }

    func run() throws {
        var (first, projected): (UInt64, UInt64) = (0, 0)
        try db.step("SELECT first_seq, projected FROM logs WHERE key = ?", [log]) { row in
            (first, projected) = (UInt64(clamping: row.integer(0)), UInt64(clamping: row.integer(1)))
        }
        guard first < until else { return }
        try requireNoOpenCommand()
        let removed = UnprojectedLog(key: log, seqs: first..<until)
        let entries = try removed.entries(in: db)
        guard entries.count == removed.seqs.count else {
            throw ConstraintViolation(.inconsistent("a cut of a log that lacks records"))
        }
        try LogTiles.keepLeaves(log, first..<until, in: db)
        try removeProjections(of: entries.filter { $0.position.seq < projected })
        for (table, column) in [("commands", "intent"), ("entries", "position"), ("time_marks", "position")] {
            try db.run("DELETE FROM \(table) WHERE \(column) >= ? AND \(column) < ?", range(from: 0))
        }
        try db.run("UPDATE logs SET first_seq = ? WHERE key = ?", [Int64(until), log])
        try removeKeysOfDays(from: entries.first?.at)
    }

    private func range(from seq: UInt64) -> [(any Bindable)?] {
        [EntryKey(logKey: log, seq: seq).rawValue, EntryKey(logKey: log, seq: until).rawValue]
    }

    /// A command takes its actor and place from the record of its intent.
    private func requireNoOpenCommand() throws {
        var isOpen = false
        try db.step("SELECT 1 FROM commands WHERE intent >= ? AND intent < ? AND is_ended = 0 LIMIT 1", range(from: 0)) { _ in
            isOpen = true
        }
        if isOpen { throw ConstraintViolation(.inconsistent("a cut of the intent of an open command")) }
    }

    /// Removes the blocks of posting lists that have removed records alone, and takes the removed commands from the counts. Lists
    /// skip the removed records of other blocks.
    private func removeProjections(of entries: [IndexedEntry]) throws {
        var counts: [CommandCounts.Key: Int] = [:]
        for entry in entries { if let key = CommandCounts.Key(entry) { counts[key, default: 0] -= 1 } }
        try CommandCounts.subtract(counts, in: db)
        for list in Set(entries.flatMap { $0.lists.map { BlockList(facet: $0.facet, value: $0.value) } }) {
            try db.run(
                "DELETE FROM postings WHERE facet = ? AND value = ? AND log = ? AND first < ? AND last < ?",
                [list.facet, list.value, log, Int64(until), Int64(until)])
        }
    }

    private struct BlockList: Hashable {
        let facet: Int64
        let value: [UInt8]
    }

    /// Destroys the keys of the days of which no record is left in the log.
    ///
    /// - Parameter first: the time of the first removed record.
    private func removeKeysOfDays(from first: Timestamp?) throws {
        guard let first else { return }
        var kept: Timestamp?
        try db.step(
            "SELECT at FROM entries WHERE position >= ? AND position < ? ORDER BY position LIMIT 1",
            [EntryKey(logKey: log, seq: until).rawValue, EntryKey(logKey: log + 1, seq: 0).rawValue]
        ) { kept = Timestamp(milliseconds: $0.integer(0)) }
        // Later records of the log are not earlier than the last one.
        guard let kept, case .day(let day) = PersonKeyOwner.day(of: kept), PersonKeyOwner.day(of: first) != .day(day) else {
            return
        }
        try db.run(
            "DELETE FROM person_keys WHERE log = ? AND length(owner) = 10 AND owner < ?", [log, Data(day.utf8)])
    }
}
