internal import DoorwardDomain
import FoundationEssentials
import GRDB

/// What stands in one log, or what of it an index finds, in the log's order or the reverse.
///
/// It reads ahead in runs, and so never much more than is taken from it.
struct EntryStream {
    /// An entry as far as it takes to order it and to know who may read it.
    struct Entry {
        let at: Timestamp
        let position: Position
        let log: LogID
        /// The log's id as text, which is how logs are ordered at one instant.
        let logName: String
        let unitID: UnitID?
        let propertyID: PropertyID?
    }

    private let log: StoredLog
    private let selection: EntrySelection
    private let isAscending: Bool
    private let run: Int
    /// The positions that are left to read.
    private var range: Range<Int64>
    private var buffer: ArraySlice<Entry> = []

    init(log: StoredLog, selection: EntrySelection, range: Range<Int64>, isAscending: Bool, run: Int) {
        (self.log, self.selection, self.range) = (log, selection, range)
        (self.isAscending, self.run) = (isAscending, run)
    }

    /// The next entry, left where it is.
    mutating func peek(in db: Database) throws -> Entry? {
        if buffer.isEmpty, !range.isEmpty { try fill(from: db) }
        return buffer.first
    }

    mutating func skip() { buffer = buffer.dropFirst() }

    private mutating func fill(from db: Database) throws {
        let arguments: StatementArguments = [range.lowerBound, range.upperBound] + selection.arguments + [run]
        let log = log
        buffer = try db.rows(
            """
            SELECT position, at, unit_id, property_id FROM entries WHERE position >= ? AND position < ?\(selection.sql)
            ORDER BY position \(isAscending ? "ASC" : "DESC") LIMIT ?
            """, arguments
        ) { columns in
            let position = Position(rawValue: try columns.value())
            return Entry(
                at: try columns.instant(), position: position, log: log.id, logName: log.name,
                unitID: try columns.optionalID(), propertyID: try columns.optionalID())
        }[...]
        guard buffer.count == run, let last = buffer.last?.position.rawValue else {
            return range = range.upperBound..<range.upperBound
        }
        range = isAscending ? last + 1..<range.upperBound : range.lowerBound..<last
    }
}

/// A log as its row in the database has it.
struct StoredLog {
    let key: Int64
    let id: LogID
    let name: String
    let size: UInt64

    /// Every position of the log.
    var range: Range<Int64> {
        Position(logKey: key, seq: 0).rawValue..<Position(logKey: key, seq: size).rawValue
    }
}
