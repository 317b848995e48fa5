internal import DoorwardDomain
internal import DoorwardKernel
import FoundationEssentials
import GRDB

/// Reads the entries of one log, or the entries of a posting list in one log, in the log's order or its reverse.
///
/// Entries that do not meet the conditions are skipped inside SQLite. The last entry of a run (one read of the stream) is
/// returned even if it does not match, so that a page without a match still ends at a known position.
struct EntryStream {
    /// An entry with the columns that determine its order.
    struct Entry {
        let at: Timestamp
        let position: EntryKey
        let log: StoredLog
        /// Whether the entry is listed. An unlisted entry only marks the end of the examined part of the log.
        let isMatch: Bool
        /// The record, if the stream reads records.
        let record: StoredRecord?
        /// The value of the stream's column as the API writes it, if the stream reads a column.
        let value: String?

        var place: RecordPosition { RecordPosition(log: log.id, seq: position.seq, at: at) }
    }

    private let log: StoredLog
    private let selection: EntrySelection
    private let isAscending: Bool
    private var postings: PostingReading?
    /// The positions still to be read.
    private var range: Range<Int64>
    private var buffer: ArraySlice<Entry> = []
    /// The number of entries that the next run examines.
    private var run: Int
    private let content: Content
    /// The maximum number of records that one run reads; `nil` without records.
    private var records: Int? { if case .records(let most) = content { most } else { nil } }

    /// The data that a stream reads for each entry, in addition to its position and time.
    enum Content {
        case nothing
        /// The record; one run reads at most this many.
        case records(Int)
        /// One column.
        case value(of: RecordCountQuery.Grouping)
    }

    /// The maximum number of entries that one run examines.
    static let maxRun = 4096

    /// - Parameters:
    ///   - unprojected: the positions of the source's posting list that are not yet projected into it, ascending.
    ///   - run: the number of entries that the first run examines; with conditions, each further run examines twice as many.
    ///   - content: what is read of each entry.
    init(
        log: StoredLog, selection: EntrySelection, unprojected: [Int64], range: Range<Int64>, isAscending: Bool, run: Int,
        content: Content = .nothing
    ) {
        (self.log, self.selection, self.range) = (log, selection, range)
        (self.isAscending, self.run, self.content) = (isAscending, run, content)
        if case .postings(let list) = selection.source {
            postings = PostingReading(list, log: log.key, unprojected: unprojected, isAscending: isAscending)
        }
    }

    /// The next buffered entry; `nil` if all were consumed.
    var first: Entry? { buffer.first }

    /// Whether unread entries may remain.
    var hasMore: Bool { !range.isEmpty }

    mutating func skip() { buffer = buffer.dropFirst() }

    /// Reads the next run. Call it when all buffered entries are consumed.
    mutating func fill(from db: Database, _ budget: inout ReadBudget) throws {
        let examined: (entries: [Entry], end: Int64?, count: Int) =
            switch selection.source {
            case .log: try readLog(db)
            case .commands: try read(positions: commandPositions(in: db), db)
            case .postings: try read(positions: postings?.next(run, within: range, in: db) ?? [], db)
            }
        budget.spend(rows: examined.count)
        buffer = examined.entries[...]
        if let end = examined.end {
            range = isAscending ? end + 1..<max(end + 1, range.upperBound) : range.lowerBound..<max(end, range.lowerBound)
        } else {
            range = range.upperBound..<range.upperBound
        }
        // The next run is longer, unless the limit on records ended this one.
        if selection.hasConditions, examined.entries.count != records { run = min(2 * run, Self.maxRun) }
    }

    private var direction: String { isAscending ? "ASC" : "DESC" }

    // MARK: The whole log

    /// Reads a run of the whole log. Every position of a log has an entry, so the end of the run is known in advance.
    ///
    /// - Returns: in `end`, the position at which the run ends; `nil` for the last run.
    private func readLog(_ db: Database) throws -> (entries: [Entry], end: Int64?, count: Int) {
        let count = min(run, range.count)
        let part = isAscending ? range.prefix(count) : range.suffix(count)
        guard let lowest = part.first, let highest = part.last else { return ([], nil, 0) }
        let end = isAscending ? highest : lowest
        var found = try db.rows(
            """
            SELECT \(columns) FROM entries WHERE position >= ? AND position <= ?\(selection.sql)
            ORDER BY position \(direction) LIMIT ?
            """, [lowest, highest] + selection.arguments + [records ?? -1]
        ) { entry($0, isMatch: true) }
        if found.count == records, let last = found.last?.position.rawValue {
            return (found, last, Int(isAscending ? last - lowest : highest - last) + 1)
        }
        let isLast = count == range.count
        if !isLast, found.last?.position.rawValue != end { found += try unlisted(end, in: db) }
        return (found, isLast ? nil : end, count)
    }

    // MARK: Positions

    /// Returns the positions of the intents of the log's next commands.
    private func commandPositions(in db: Database) throws -> [Int64] {
        try db.rows(
            "SELECT intent FROM commands WHERE intent >= ? AND intent < ? ORDER BY intent \(direction) LIMIT ?",
            [range.lowerBound, range.upperBound, run]
        ) { $0.integer(0) }
    }

    /// Returns the entries at these positions, in the given order. Omits entries that do not meet the conditions.
    private mutating func read(positions: [Int64], _ db: Database) throws -> (entries: [Entry], end: Int64?, count: Int) {
        guard let end = positions.last else { return ([], nil, 0) }
        let list = "[" + positions.map(String.init).joined(separator: ",") + "]"
        var found = try db.rows(
            """
            SELECT \(columns) FROM json_each(?) CROSS JOIN entries ON position = value WHERE true\(selection.sql) LIMIT ?
            """, [list] + selection.arguments + [records ?? -1]
        ) { entry($0, isMatch: true) }
        if found.count == records, let last = found.last?.position.rawValue {
            postings?.rewind()
            return (found, last, (positions.firstIndex(of: last) ?? positions.count - 1) + 1)
        }
        let isLast = positions.count < run
        if !isLast, found.last?.position.rawValue != end { found += try unlisted(end, in: db) }
        return (found, isLast ? nil : end, positions.count)
    }

    /// Returns an entry that was examined but is not listed.
    private func unlisted(_ position: Int64, in db: Database) throws -> [Entry] {
        try db.rows("SELECT position, at FROM entries WHERE position = ?", [position]) { entry($0, isMatch: false) }
    }

    private var columns: String {
        switch content {
        case .nothing: "position, at"
        case .records: "position, at, bytes, sealed"
        case .value(let grouping): "position, at, \(grouping.column)"
        }
    }

    private func entry(_ row: ColumnReader, isMatch: Bool) -> Entry {
        var (record, value): (StoredRecord?, String?)
        switch content {
        case .records where isMatch: record = StoredRecord(bytes: row.bytes(2), sealed: row.bytes(3))
        case .value(let grouping) where isMatch: value = grouping.value(in: row, at: 2)
        case .nothing, .records, .value: break
        }
        return Entry(
            at: Timestamp(milliseconds: row.integer(1)), position: EntryKey(rawValue: row.integer(0)), log: log, isMatch: isMatch,
            record: record, value: value)
    }
}

/// A row of `logs`.
struct StoredLog {
    let key: Int64
    let id: LogID
    /// The id as text. It determines the order of records with the same instant in different logs.
    let name: String
    /// The `seq` of the first record that was not removed.
    let firstSeq: UInt64
    /// The `seq` of the next record.
    let size: UInt64
    /// The number of records, from the first of the log, that the posting lists and counts include.
    let projected: UInt64

    /// The positions of all records of the log.
    var range: Range<Int64> {
        EntryKey(logKey: key, seq: min(firstSeq, size)).rawValue..<EntryKey(logKey: key, seq: size).rawValue
    }

    /// The `seq`s of the records that were not removed and are not projected yet.
    var unprojected: Range<UInt64> { min(max(projected, firstSeq), size)..<size }

    /// The columns that `init(_:)` reads, in this order.
    static let columns = "key, log_id, first_seq, size, projected"

    /// Returns all logs, or those that an SQL condition selects, which an order may follow.
    static func all(where condition: String = "true", in db: Database) throws -> [StoredLog] {
        try db.rows("SELECT \(columns) FROM logs WHERE \(condition)") { try StoredLog(&$0) }
    }

    /// Returns `nil` for a log without a record.
    static func find(_ id: LogID, in db: Database) throws -> StoredLog? {
        try db.firstRow("SELECT \(columns) FROM logs WHERE log_id = ?", [id.description]) { try StoredLog(&$0) }
    }

    static func find(key: Int64, in db: Database) throws -> StoredLog? {
        try db.firstRow("SELECT \(columns) FROM logs WHERE key = ?", [key]) { try StoredLog(&$0) }
    }

    init(_ columns: inout ColumnReader) throws {
        (key, id) = (try columns.value(), try columns.log())
        name = id.description
        (firstSeq, size, projected) = (try columns.seq(), try columns.seq(), try columns.seq())
    }
}

extension RecordCountQuery.Grouping {
    /// The column of `entries`.
    var column: String {
        switch self {
        case .outcome: "outcome"
        case .reason: "reason"
        case .device: "device_id"
        }
    }

    /// Returns the value of the column as the API writes it.
    fileprivate func value(in row: ColumnReader, at column: CInt) -> String? {
        switch self {
        case .outcome: (row.word(column) as CommandState?)?.rawValue
        case .reason: (row.word(column) as DenialReason?)?.rawValue
        case .device: (row.id(column) as DeviceID?)?.description
        }
    }
}

/// Reads the positions of a posting list in one log, in the log's order or its reverse. Unprojected positions are read from
/// memory, the others block by block.
struct PostingReading {
    private let list: PostingList
    private let log: Int64
    private let isAscending: Bool
    /// Unprojected positions, ascending. All of them are after the positions in the blocks.
    private let unprojected: [Int64]
    /// The remaining positions of the last block read, in reading order.
    private var block: ArraySlice<Int64> = []

    init(_ list: PostingList, log: Int64, unprojected: [Int64], isAscending: Bool) {
        (self.list, self.log, self.unprojected, self.isAscending) = (list, log, unprojected, isAscending)
    }

    /// Returns the next positions in `range`: `count` of them, or fewer at the end of the range. The range of each call begins
    /// where the positions of the previous call ended. After a `rewind`, the range may begin earlier.
    mutating func next(_ count: Int, within range: Range<Int64>, in db: Database) throws -> [Int64] {
        let recent = unprojected.filter(range.contains)
        if !isAscending {
            let found = Array(recent.reversed().prefix(count))
            return try found + projected(count - found.count, range, in: db)
        }
        let found = try projected(count, range, in: db)
        return found + recent.prefix(count - found.count)
    }

    /// Discards the positions read ahead, so that the next call may begin before the end of the previous one.
    mutating func rewind() { block = [] }

    private mutating func projected(_ count: Int, _ range: Range<Int64>, in db: Database) throws -> [Int64] {
        var (found, rest): ([Int64], Range<Int64>) = ([], range)
        while found.count < count, !rest.isEmpty {
            block = block.drop { !rest.contains($0) }
            if block.isEmpty { block = try nextBlock(rest, in: db) }
            guard !block.isEmpty else { break }
            let taken = block.prefix(count - found.count).prefix { rest.contains($0) }
            guard let last = taken.last else { break }
            found += taken
            block = block.dropFirst(taken.count)
            rest = isAscending ? last + 1..<rest.upperBound : rest.lowerBound..<last
        }
        return found
    }

    /// Selects the start of the last block that begins at or before a `seq`. That block may contain the `seq`.
    private static let blockBefore =
        "(SELECT max(first) FROM postings WHERE facet = ? AND value = ? AND log = ? AND first <= ?)"

    /// Finds the first block, in reading order, that has positions in `range`, and returns these positions.
    private func nextBlock(_ range: Range<Int64>, in db: Database) throws -> ArraySlice<Int64> {
        let (low, high) = (EntryKey(rawValue: range.lowerBound).seq, EntryKey(rawValue: range.upperBound - 1).seq)
        let key: [(any Bindable)?] = [list.facet, list.value, log]
        let (sql, arguments): (String, [(any Bindable)?]) =
            isAscending
            ? (
                "first >= coalesce(\(Self.blockBefore), 0) AND first <= ? AND last >= ? ORDER BY first LIMIT 1",
                key + [Int64(low), Int64(high), Int64(low)]
            )
            : ("first <= ? ORDER BY first DESC LIMIT 1", [Int64(high)])
        let positions = try db.firstRow(
            "SELECT first, last, count, deltas FROM postings WHERE facet = ? AND value = ? AND log = ? AND \(sql)",
            key + arguments
        ) { row in
            let seqs = PostingBlock.seqs(first: row.integer(0), last: row.integer(1), count: row.integer(2), deltas: row.bytes(3))
            guard let seqs else { throw UnreadableColumn(column: "deltas") }
            return seqs.map { EntryKey(logKey: log, seq: $0).rawValue }.filter(range.contains)
        }
        guard let positions else { return [] }
        return isAscending ? positions[...] : positions.reversed()[...]
    }
}

/// Merges several streams of entries in the order of (`at`, `logId`, `seq`) or its reverse.
///
/// All streams have been examined up to the last entry returned, so a page can end at any entry and the next page can continue
/// after it.
struct EntryMerge {
    private let isAscending: Bool
    /// Streams with a buffered entry, in the reverse order of their first entries: the last stream contains the next entry.
    private var streams: [EntryStream] = []
    /// The stream of the last returned entry, if its next run must be read before the next entry is returned.
    private var unread: EntryStream?

    /// Reads the first run of each stream, regardless of the budget.
    init(_ streams: [EntryStream], isAscending: Bool, in db: Database, _ budget: inout ReadBudget) throws {
        self.isAscending = isAscending
        var filled: [EntryStream] = []
        for var stream in streams where stream.hasMore {
            try stream.fill(from: db, &budget)
            if stream.first != nil { filled.append(stream) }
        }
        filled.sort { a, b in
            guard let first = a.first, let second = b.first else { return b.first != nil }
            return Self.precedes(second, first, isAscending)
        }
        self.streams = filled
    }

    /// Whether every entry has been returned.
    var isAtEnd: Bool { streams.isEmpty && unread == nil }

    /// Returns the next entry; `nil` at the end, or if the budget is spent.
    mutating func next(in db: Database, _ budget: inout ReadBudget) throws -> EntryStream.Entry? {
        while var stream = unread {
            guard !budget.isSpent else { return nil }
            try stream.fill(from: db, &budget)
            unread = stream.first == nil && stream.hasMore ? stream : nil
            insert(stream)
        }
        guard var stream = streams.popLast(), let entry = stream.first else { return nil }
        stream.skip()
        if stream.first == nil, stream.hasMore { unread = stream } else { insert(stream) }
        return entry
    }

    private mutating func insert(_ stream: EntryStream) {
        guard let first = stream.first else { return }
        var range = 0..<streams.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            let isLater = streams[middle].first.map { Self.precedes(first, $0, isAscending) } ?? true
            range = isLater ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        streams.insert(stream, at: range.lowerBound)
    }

    private static func precedes(_ a: EntryStream.Entry, _ b: EntryStream.Entry, _ isAscending: Bool) -> Bool {
        let (left, right) = isAscending ? (a, b) : (b, a)
        return (left.at, left.log.name, left.position) < (right.at, right.log.name, right.position)
    }
}

/// The rows and the time that one page of a list may still use.
struct ReadBudget {
    /// Rows that may still be examined.
    private(set) var rowsLeft: Int
    private let end: (at: MonotonicInstant, clock: any GatewayClock)?

    init(rows: Int, endsAt: MonotonicInstant, clock: any GatewayClock) { (rowsLeft, end) = (rows, (endsAt, clock)) }

    private init() { (rowsLeft, end) = (.max, nil) }

    /// A budget without limits, for a page that cannot end early. The number of entries that such a page skips is limited
    /// instead.
    static let unlimited = ReadBudget()

    /// Whether the page must end with the results found so far.
    var isSpent: Bool { rowsLeft <= 0 || end.map { $0.clock.monotonicNow() >= $0.at } ?? false }

    mutating func spend(rows: Int) { rowsLeft -= rows }
}
