internal import DoorwardControl
internal import DoorwardDomain
import FoundationEssentials
import GRDB

/// Answers a `RecordQuery`: streams of entries, one for each log and scope, merged in the order of (`at`, `logId`, `seq`).
///
/// A log is ordered by time, so the start of a stream is found by binary search. Every entry that is examined lies in a scope of
/// the query: neither the cost of a page nor the end of a short one depends on entries that its reader may not see.
struct RecordQueryReading {
    private let query: RecordQuery
    private let db: Database
    private let isAscending: Bool
    /// As far as they were looked up.
    private var logs: [LogID: StoredLog] = [:]
    /// What the filter's instants and the cursor leave of each log.
    private var ranges: [Int64: Range<Int64>] = [:]

    init(_ query: RecordQuery, in db: Database) {
        (self.query, self.db) = (query, db)
        isAscending = query.order == .oldestFirst
    }

    mutating func page(_ budget: inout ReadBudget) throws -> RecordPage {
        guard query.limit > 0, !query.scopes.isEmpty else { return RecordPage(records: [], next: nil) }
        var merge = try EntryMerge(try streams(budget), isAscending: isAscending, in: db, &budget)
        var reading = RecordReading(db)
        var records: [AccessRecord] = []
        var (last, place): (Position?, RecordPlace?)
        while let entry = try merge.next(in: db, &budget) {
            // One entry can lie in several scopes; their streams give it one after the other.
            if entry.isMatch, entry.position != last {
                // One more than the limit, to find out whether there is a next page.
                guard records.count < query.limit else { return RecordPage(records: records, next: place) }
                last = entry.position
                records.append(try reading.record(at: entry.position))
            }
            place = entry.place
        }
        return RecordPage(records: records, next: merge.isAtEnd ? nil : place)
    }

    // MARK: Streams

    private mutating func streams(_ budget: ReadBudget) throws -> [EntryStream] {
        var found: [(log: StoredLog, selection: EntrySelection)] = []
        let matches = query.filter.matches
        for scope in Set(query.scopes) {
            // A whole log is read by what the filter asks for first; a part of one by the index of that part, since others'
            // entries are not examined.
            let driver = scope.match ?? matches.first.flatMap { $0.isIndexed ? $0 : nil }
            let selection = EntrySelection(driver: driver, conditions: matches)
            if let log = try log(scope.log) { found.append((log, selection)) }
        }
        let count = max(1, found.count)
        let share = count == 1 ? query.limit : max(8, query.limit / count * 2)
        let examined = max(8, min(256, budget.rowsLeft / (2 * count)))
        return try found.map { log, selection in
            let run = selection.conditions.isEmpty ? min(share, EntryStream.longestRun - 1) + 1 : examined
            return EntryStream(
                log: log, selection: selection, range: try range(of: log), isAscending: isAscending, run: run)
        }
    }

    // MARK: Logs

    /// `nil` for a log without a record, or one that the filter leaves out.
    private mutating func log(_ id: LogID) throws -> StoredLog? {
        guard query.filter.log.map({ $0 == id }) ?? true else { return nil }
        if let known = logs[id] { return known }
        let found = try db.firstRow("SELECT key, log_id, size FROM logs WHERE log_id = ?", [id.description], read: Self.log)
        logs[id] = found
        return found
    }

    private static func log(_ columns: inout ColumnReader) throws -> StoredLog {
        let (key, name): (Int64, String) = (try columns.value(), try columns.value())
        guard let id = LogID(name) else { throw UnreadableColumn(column: "log_id") }
        return StoredLog(key: key, id: id, name: name, size: UInt64(try columns.value(Int64.self)))
    }

    // MARK: Instants and the cursor

    private mutating func range(of log: StoredLog) throws -> Range<Int64> {
        if let known = ranges[log.key] { return known }
        var range = log.range
        if let from = query.filter.from {
            range = range.clamped(to: try firstPosition(of: log) { $0 >= from }..<range.upperBound)
        }
        if let until = query.filter.until {
            range = range.clamped(to: log.range.lowerBound..<(try firstPosition(of: log) { $0 >= until }))
        }
        if let after = query.after {
            let bound = min(max(try boundary(of: log, at: after), range.lowerBound), range.upperBound)
            range = isAscending ? bound..<range.upperBound : range.lowerBound..<bound
        }
        ranges[log.key] = range
        return range
    }

    /// The position in this log that divides what comes before the cursor's place from what comes after it.
    private func boundary(of log: StoredLog, at place: RecordPlace) throws -> Int64 {
        let name = place.log.description
        if log.name == name {
            return Position(logKey: log.key, seq: min(place.seq, log.size)).rawValue + (isAscending ? 1 : 0)
        }
        // At the cursor's own instant the logs with a smaller id come before its log, the others after it.
        let comesFirst = log.name < name
        return try firstPosition(of: log) { comesFirst ? $0 > place.at : $0 >= place.at }
    }

    /// Where the log's first entry stands whose instant is one of those, or the end of the log. Once one is, all after it are.
    private func firstPosition(of log: StoredLog, where isOne: (Timestamp) -> Bool) throws -> Int64 {
        var range = log.range
        while !range.isEmpty {
            let middle = range.lowerBound + (range.upperBound - range.lowerBound) / 2
            let at = try db.firstRow("SELECT at FROM entries WHERE position = ?", [middle]) { try $0.instant() }
            guard let at else { throw UnreadableColumn(column: "position") }
            range = isOne(at) ? range.lowerBound..<middle : middle + 1..<range.upperBound
        }
        return range.lowerBound
    }
}

extension RecordScope {
    /// What the scope's index is asked for; `nil` for a whole log.
    fileprivate var match: EntrySelection.Match? {
        switch self {
        case .gatewayLog, .portfolioLog: nil
        case .property(let id, _): .property(id)
        case .unit(let id, _): .unit(id)
        }
    }
}
