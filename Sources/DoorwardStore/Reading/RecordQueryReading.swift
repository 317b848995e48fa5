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

    /// So many streams at the most read records along with their positions.
    private static let streamsWithRecords = 64

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
                records.append(try reading.record(of: entry))
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
            // A whole log is read by the filter's first match; a part of one by the part's own list, since the entries of
            // others are not examined.
            let match = scope.match ?? matches.first.flatMap { $0.isIndexed ? $0 : nil }
            let selection = EntrySelection(source: match.map { .postings(.entries($0)) } ?? .log, conditions: matches)
            if let log = try log(scope.log) { found.append((log, selection)) }
        }
        let count = max(1, found.count)
        let share = count == 1 ? query.limit : max(8, query.limit / count * 2)
        let examined = max(8, min(256, budget.rowsLeft / (2 * count)))
        var unprojected = UnprojectedPositions(db)
        return try found.map { log, selection in
            let records = min(share, EntryStream.longestRun - 1) + 1
            // Many streams read ahead more than a page shows: they read positions, and the page reads its records.
            let readsRecords = count <= Self.streamsWithRecords
            return EntryStream(
                log: log, selection: selection, unprojected: try unprojected.positions(of: selection, in: log.key),
                range: try range(of: log), isAscending: isAscending, run: selection.hasConditions ? examined : records,
                records: readsRecords ? records : nil)
        }
    }

    // MARK: Logs

    /// `nil` for a log without a record, or one that the filter leaves out.
    private mutating func log(_ id: LogID) throws -> StoredLog? {
        guard query.filter.log.map({ $0 == id }) ?? true else { return nil }
        if let known = logs[id] { return known }
        let found = try StoredLog.find(id, in: db)
        logs[id] = found
        return found
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

    /// The position of the log's first entry whose time meets the condition, or the end of the log. Once one does, all after it
    /// do. The time marks narrow it to a few entries, so that few pages of a large log are read.
    private func firstPosition(of log: StoredLog, where isMet: (Timestamp) -> Bool) throws -> Int64 {
        let step = Projector.entriesPerMark
        let start = min(log.firstSeq, log.size)
        // Marks of the records that are left: the last one that does not meet the condition, and the first one that does.
        let marks = Int64((start + step - 1) / step)..<Int64(max((start + step - 1) / step, log.size / step))
        let firstMark = try Self.partition(marks) { number in
            let position = Position(logKey: log.key, seq: UInt64(number) * step).rawValue
            // A mark that is not projected yet is not needed: the entries behind the last mark are examined themselves.
            return try time(of: position, in: "time_marks").map(isMet) ?? true
        }
        let (low, high) = (max(start, UInt64(max(0, firstMark - 1)) * step), min(log.size, UInt64(firstMark) * step))
        let isBehindMarks = try firstMark == marks.upperBound || isUnprojected(UInt64(firstMark) * step, in: log)
        let range = Int64(low)..<Int64(isBehindMarks ? log.size : high)
        let seq = try Self.partition(range) { seq in
            let position = Position(logKey: log.key, seq: UInt64(seq)).rawValue
            guard let at = try time(of: position, in: "entries") else { throw UnreadableColumn(column: "position") }
            return isMet(at)
        }
        return Position(logKey: log.key, seq: UInt64(seq)).rawValue
    }

    private func isUnprojected(_ seq: UInt64, in log: StoredLog) throws -> Bool {
        try time(of: Position(logKey: log.key, seq: seq).rawValue, in: "time_marks") == nil
    }

    private func time(of position: Int64, in table: String) throws -> Timestamp? {
        var found: Timestamp?
        try db.step("SELECT at FROM \(table) WHERE position = ?", [position]) {
            found = Timestamp(milliseconds: $0.integer(0))
        }
        return found
    }

    /// The first number of a range that meets a condition which all after it meet; the end of the range if none does.
    private static func partition(_ numbers: Range<Int64>, where isMet: (Int64) throws -> Bool) rethrows -> Int64 {
        var range = numbers
        while !range.isEmpty {
            let middle = range.lowerBound + (range.upperBound - range.lowerBound) / 2
            range = try isMet(middle) ? range.lowerBound..<middle : middle + 1..<range.upperBound
        }
        return range.lowerBound
    }
}

/// The positions of posting lists that are not projected, from the logs themselves. Each log is read once, when it is needed.
struct UnprojectedPositions {
    private let db: Database
    private var logs: [Int64: UnprojectedLog]?
    private var entries: [Int64: (positions: [EntrySelection.Source: [Int64]], commands: [CommandCounts.Key])] = [:]

    init(_ db: Database) { self.db = db }

    /// Ascending.
    mutating func positions(of selection: EntrySelection, in log: Int64) throws -> [Int64] {
        guard case .postings = selection.source else { return [] }
        return try read(log).positions[selection.source] ?? []
    }

    /// The keys of the commands in a log that are not counted yet, one for each command.
    mutating func commands(in log: Int64) throws -> [CommandCounts.Key] { try read(log).commands }

    /// The logs that have entries which are not projected.
    mutating func logKeys() throws -> [Int64] { Array(try loadLogs().keys) }

    private mutating func read(
        _ log: Int64
    ) throws -> (positions: [EntrySelection.Source: [Int64]], commands: [CommandCounts.Key]) {
        if let known = entries[log] { return known }
        var found = (positions: [EntrySelection.Source: [Int64]](), commands: [CommandCounts.Key]())
        for entry in try loadLogs()[log]?.entries(in: db) ?? [] {
            for list in entry.lists { found.positions[.postings(list), default: []].append(entry.position.rawValue) }
            if let key = CommandCounts.Key(entry) { found.commands.append(key) }
        }
        entries[log] = found
        return found
    }

    private mutating func loadLogs() throws -> [Int64: UnprojectedLog] {
        if let logs { return logs }
        let found = Dictionary(uniqueKeysWithValues: try UnprojectedLog.all(in: db).map { ($0.key, $0) })
        logs = found
        return found
    }
}

extension RecordScope {
    /// What entries of the scope have in common; `nil` for a whole log.
    fileprivate var match: EntrySelection.Match? {
        switch self {
        case .gatewayLog, .portfolioLog: nil
        case .property(let id, _): .property(id)
        case .unit(let id, _): .unit(id)
        }
    }
}
