internal import DoorwardControl
internal import DoorwardDomain
import FoundationEssentials
import GRDB

/// The entries of one log, or those that an index finds in it, in the log's order or the reverse.
///
/// Where each entry has to fulfil further conditions, entries that do not are passed over inside SQLite; one that does not ends
/// each run, so that a page without a match still ends at a place.
struct EntryStream {
    /// An entry as far as it takes to order it.
    struct Entry {
        let at: Timestamp
        let position: Position
        let log: StoredLog
        /// Whether the entry is listed. The others only say how far the log was examined.
        let isMatch: Bool

        var place: RecordPlace { RecordPlace(log: log.id, seq: position.seq, at: at) }
    }

    private let log: StoredLog
    private let selection: EntrySelection
    private let isAscending: Bool
    /// The positions that are left to read.
    private var range: Range<Int64>
    private var buffer: ArraySlice<Entry> = []
    /// Entries that the next run examines.
    private var run: Int

    /// The most entries that one run examines.
    static let longestRun = 4096

    /// - Parameter run: entries that the first run examines; where there are conditions, each further one examines twice as many.
    init(log: StoredLog, selection: EntrySelection, range: Range<Int64>, isAscending: Bool, run: Int) {
        (self.log, self.selection, self.range) = (log, selection, range)
        (self.isAscending, self.run) = (isAscending, run)
    }

    /// The next entry that was read; `nil` when all of them were consumed.
    var first: Entry? { buffer.first }

    /// Whether there may be entries that were not read.
    var hasMore: Bool { !range.isEmpty }

    mutating func skip() { buffer = buffer.dropFirst() }

    /// Reads the next run. Called when all entries that were read are consumed.
    mutating func fill(from db: Database, _ budget: inout ReadBudget) throws {
        let last = selection.conditions.isEmpty ? nil : try lastOfRun(in: db)
        var part = range
        if let last {
            part = isAscending ? part.lowerBound..<last.position.rawValue + 1 : last.position.rawValue..<part.upperBound
        }
        let arguments: StatementArguments = [part.lowerBound, part.upperBound] + selection.arguments + [run]
        var found = try db.rows(
            """
            SELECT position, at FROM entries WHERE position >= ? AND position < ?\(selection.sql)
            ORDER BY position \(direction) LIMIT ?
            """, arguments
        ) { try entry(&$0, isMatch: true) }
        budget.spend(rows: selection.conditions.isEmpty ? found.count : run)
        if let last, found.last?.position != last.position { found.append(last) }
        let isCut = last != nil || (selection.conditions.isEmpty && found.count == run)
        buffer = found[...]
        guard isCut, let end = found.last?.position.rawValue else {
            range = range.upperBound..<range.upperBound
            return
        }
        range = isAscending ? end + 1..<range.upperBound : range.lowerBound..<end
        if !selection.conditions.isEmpty { run = min(2 * run, Self.longestRun) }
    }

    /// The last entry that the next run examines, found without looking at its conditions; `nil` when the run reaches the end.
    private func lastOfRun(in db: Database) throws -> Entry? {
        guard range.count > run else { return nil }
        let (low, high) = (range.lowerBound, range.upperBound)
        // Without an index every position is an entry.
        let (part, offset) =
            selection.driver != nil
            ? (range, run - 1) : (isAscending ? low + Int64(run) - 1..<high : low..<high - Int64(run) + 1, 0)
        return try db.firstRow(
            """
            SELECT position, at FROM entries WHERE position >= ? AND position < ?\(selection.driverSQL)
            ORDER BY position \(direction) LIMIT 1 OFFSET ?
            """, [part.lowerBound, part.upperBound] + selection.driverArguments + [offset]
        ) { try entry(&$0, isMatch: false) }
    }

    private func entry(_ columns: inout ColumnReader, isMatch: Bool) throws -> Entry {
        let position = Position(rawValue: try columns.value())
        return Entry(at: try columns.instant(), position: position, log: log, isMatch: isMatch)
    }

    private var direction: String { isAscending ? "ASC" : "DESC" }
}

/// A log as its row in the database has it.
struct StoredLog {
    let key: Int64
    let id: LogID
    /// The id as text, which is how logs are ordered at one instant.
    let name: String
    let size: UInt64

    /// Every position of the log.
    var range: Range<Int64> {
        Position(logKey: key, seq: 0).rawValue..<Position(logKey: key, seq: size).rawValue
    }
}
