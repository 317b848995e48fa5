internal import DoorwardDomain
internal import DoorwardKernel
import FoundationEssentials
import GRDB

/// Executes a `RecordQuery`: merges streams of entries, one for each log and scope, in the order of (`at`, `logId`, `seq`).
///
/// A log is ordered by time, so the start of a stream is found by binary search. Every examined entry is in a scope of the query.
/// So entries that the reader may not see affect neither the cost of a page nor the point at which a short page ends.
final class RecordQueryReading {
    private let query: RecordQuery
    private let db: Database
    private let keys: PersonKeyFile
    private let isAscending: Bool
    /// The logs looked up so far.
    private var logs: [LogID: StoredLog] = [:]
    /// The positions of each log within the filter's time range and after the cursor, by the beginning of the scope.
    private var ranges: [RangeKey: Range<Int64>] = [:]

    private struct RangeKey: Hashable {
        let log: Int64
        let from: Timestamp?
    }

    /// The maximum number of streams that read records along with their positions.
    private static let streamsWithRecords = 64

    init(_ query: RecordQuery, in db: Database, _ keys: PersonKeyFile) {
        (self.query, self.db, self.keys) = (query, db, keys)
        isAscending = query.order == .oldestFirst
    }

    func page(_ budget: inout ReadBudget) throws -> RecordPage {
        guard query.limit > 0, !query.scopes.isEmpty else { return RecordPage(records: [], next: nil) }
        var merge = try EntryMerge(try streams(budget), isAscending: isAscending, in: db, &budget)
        let reading = RecordReading(db, keys)
        var records: [AccessRecord] = []
        var (last, place): (EntryKey?, RecordPosition?)
        while let entry = try merge.next(in: db, &budget) {
            guard !isBeyond(entry.at) else { return RecordPage(records: records, next: nil) }
            // A record that is in several scopes is returned once for each scope, in a row: keep only the first.
            if entry.isMatch, entry.position != last {
                // Read one record more than the limit, to find out whether there is a next page.
                guard records.count < query.limit else { return RecordPage(records: records, next: place) }
                last = entry.position
                records.append(try reading.record(of: entry))
            }
            place = entry.place
        }
        return RecordPage(records: records, next: merge.isAtEnd ? nil : place)
    }

    /// Counts the records of the query, until the budget is spent.
    func counts(_ query: RecordCountQuery, _ budget: inout ReadBudget) throws -> RecordCounts {
        var counts = RecordCounts(limits: query.limits)
        guard !query.scopes.isEmpty, !counts.buckets.isEmpty else { return counts }
        let streams = try streams(budget, counting: query.grouping)
        var merge = try EntryMerge(streams, isAscending: isAscending, in: db, &budget)
        var (last, examined): (EntryKey?, EntryStream.Entry?)
        while let entry = try merge.next(in: db, &budget) {
            guard !isBeyond(entry.at) else { return counts }
            examined = entry
            // A record that is in several scopes is returned once for each scope, in a row.
            guard entry.isMatch, entry.position != last, let value = entry.value else { continue }
            last = entry.position
            counts.add(value, at: entry.at)
        }
        counts.next = merge.isAtEnd ? nil : examined?.place
        return counts
    }

    // MARK: Streams

    /// - Parameter grouping: the column that is counted; `nil` to read records.
    private func streams(_ budget: ReadBudget, counting grouping: RecordCountQuery.Grouping? = nil) throws -> [EntryStream] {
        var found: [(log: StoredLog, selection: EntrySelection, from: Timestamp?)] = []
        let matches = query.filter.matches
        let condition = grouping.map { " AND +\($0.column) IS NOT NULL" } ?? ""
        for scope in Set(query.scopes) {
            // If the scope is a whole log, read the posting list of the filter's first condition, or the log itself if there is
            // no such list. If the scope is a part of a log, read the scope's own posting list, so that no entries outside the
            // scope are examined.
            let match = scope.match ?? matches.first.flatMap { $0.isIndexed ? $0 : nil }
            let selection = EntrySelection(
                source: match.map { .postings(.entries($0)) } ?? .log, conditions: matches, condition: (condition, []))
            if let log = try log(scope.log) { found.append((log, selection, scope.from)) }
        }
        let count = max(1, found.count)
        let share = count == 1 ? query.limit : max(8, query.limit / count * 2)
        let examined = max(8, min(256, budget.rowsLeft / (2 * count)))
        var unprojected = UnprojectedPositions(db)
        return try found.map { log, selection, from in
            let records = min(share, EntryStream.maxRun - 1) + 1
            // Many streams would together read ahead more records than a page shows. They therefore
            // read only positions, and the page reads the records that it shows.
            let readsRecords = count <= Self.streamsWithRecords
            let content: EntryStream.Content =
                grouping.map { .value(of: $0) } ?? (readsRecords ? .records(records) : .nothing)
            return EntryStream(
                log: log, selection: selection, unprojected: try unprojected.positions(of: selection, in: log.key),
                range: try range(of: log, from: from), isAscending: isAscending,
                run: selection.hasConditions ? examined : records,
                content: content)
        }
    }

    // MARK: Logs

    /// Returns `nil` for a log without a record, or one that the filter excludes.
    private func log(_ id: LogID) throws -> StoredLog? {
        guard query.filter.log.map({ $0 == id }) ?? true else { return nil }
        if let known = logs[id] { return known }
        let found = try StoredLog.find(id, in: db)
        logs[id] = found
        return found
    }

    // MARK: Instants and the cursor

    /// Returns whether an entry is past the filter's last instant in the page's order. The streams may read a few entries past
    /// that instant.
    private func isBeyond(_ at: Timestamp) -> Bool {
        isAscending ? query.filter.until.map { at >= $0 } ?? false : query.filter.from.map { at < $0 } ?? false
    }

    /// Returns the positions of a log within the filter's time range and after the cursor, and not before the beginning of a
    /// scope. Only that beginning and the position at which reading begins are exact. The end is rounded to a time mark.
    private func range(of log: StoredLog, from beginning: Timestamp?) throws -> Range<Int64> {
        let key = RangeKey(log: log.key, from: beginning)
        if let known = ranges[key] { return known }
        let time = LogTime(log, in: db)
        var range = try beginning.map { try time.positions(from: $0) } ?? log.range
        if let from = query.filter.from {
            let first = try isAscending ? time.firstPosition(at: from) : time.bounds(of: from).lowerBound
            range = range.clamped(to: first..<max(first, range.upperBound))
        }
        if let until = query.filter.until {
            let end = try isAscending ? time.bounds(of: until).upperBound : time.firstPosition(at: until)
            range = range.clamped(to: min(range.lowerBound, end)..<end)
        }
        if let after = query.after {
            let bound = min(max(try boundary(of: log, at: after), range.lowerBound), range.upperBound)
            range = isAscending ? bound..<range.upperBound : range.lowerBound..<bound
        }
        ranges[key] = range
        return range
    }

    /// Returns the position in this log that separates the entries before the cursor from those after it.
    private func boundary(of log: StoredLog, at place: RecordPosition) throws -> Int64 {
        let name = place.log.description
        if log.name == name {
            return EntryKey(logKey: log.key, seq: min(place.seq, log.size)).rawValue + (isAscending ? 1 : 0)
        }
        // At the cursor's own instant, logs with a smaller id come before the cursor's log, and the others after it.
        let (next, isNever) = place.at.milliseconds.addingReportingOverflow(1)
        guard log.name < name else { return try LogTime(log, in: db).firstPosition(at: place.at) }
        return isNever ? log.range.upperBound : try LogTime(log, in: db).firstPosition(at: Timestamp(milliseconds: next))
    }
}

/// Finds entries of a log by their time. A log is ordered by time.
struct LogTime {
    private let log: StoredLog
    private let db: Database

    init(_ log: StoredLog, in db: Database) { (self.log, self.db) = (log, db) }

    /// Returns the positions of the entries at or after the instant.
    func positions(from instant: Timestamp) throws -> Range<Int64> {
        let end = log.range.upperBound
        return min(try firstPosition(at: instant), end)..<end
    }

    /// Returns the position of the first entry at or after the instant, or the end of the log.
    func firstPosition(at instant: Timestamp) throws -> Int64 {
        let bounds = try bounds(of: instant)
        var (low, high) = (bounds.lowerBound, bounds.upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            if try time(of: middle) < instant { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns a range that contains, or ends at, the first entry at or after the instant. Only the time marks are searched, so
    /// few pages are read even for a large log.
    func bounds(of instant: Timestamp) throws -> Range<Int64> {
        let step = Int64(Projector.entriesPerMark)
        let (start, end) = (Int64(min(log.firstSeq, log.size)), Int64(log.size))
        // The marks of records that were not removed.
        let marks = (start + step - 1) / step..<(end + step - 1) / step
        let mark = try firstMark(of: marks, at: instant)
        return position(max(start, (mark - 1) * step))..<position(mark == marks.upperBound ? end : mark * step)
    }

    /// Returns the first mark at or after the instant, or the end of the range.
    ///
    /// Interpolates between the times at the ends of the remaining range, and reads a mark on either side of the guess. If
    /// records are evenly spaced, these two marks enclose the result and are on one page. Each round at least halves the range.
    private func firstMark(of marks: Range<Int64>, at instant: Timestamp) throws -> Int64 {
        guard let first = marks.first, let last = marks.last else { return marks.upperBound }
        var before = (mark: first, at: try time(ofMark: first))
        guard before.at < instant else { return first }
        var after = (mark: last, at: try time(ofMark: last))
        guard after.at >= instant else { return marks.upperBound }
        while after.mark - before.mark > 1 {
            let width = Double(after.mark - before.mark)
            let elapsed = Double(instant.milliseconds) - Double(before.at.milliseconds)
            let share = elapsed / (Double(after.at.milliseconds) - Double(before.at.milliseconds))
            // For records at random instants, the result is usually within two margins of the guess.
            let (guess, margin) = (before.mark + Int64(width * share), Int64(max(16, width.squareRoot() / 4)))
            let middle = before.mark + (after.mark - before.mark) / 2
            for mark in [guess - margin, guess + margin, middle] where before.mark < mark && mark < after.mark {
                let at = try time(ofMark: mark)
                if at < instant { before = (mark, at) } else { after = (mark, at) }
            }
        }
        return after.mark
    }

    private func position(_ seq: Int64) -> Int64 { EntryKey(logKey: log.key, seq: UInt64(seq)).rawValue }

    /// Returns the time of a mark. An unprojected entry has no mark yet, so the entry's own time is read.
    private func time(ofMark mark: Int64) throws -> Timestamp {
        let position = position(mark * Int64(Projector.entriesPerMark))
        return try time(of: position, in: "time_marks") ?? time(of: position)
    }

    private func time(of position: Int64) throws -> Timestamp {
        guard let at = try time(of: position, in: "entries") else { throw UnreadableColumn(column: "position") }
        return at
    }

    private func time(of position: Int64, in table: String) throws -> Timestamp? {
        try db.firstRow("SELECT at FROM \(table) WHERE position = ?", [position]) { Timestamp(milliseconds: $0.integer(0)) }
    }
}

/// The positions that are not projected into the posting lists yet, computed from the logs. Each log is read once, on first use.
struct UnprojectedPositions {
    private let db: Database
    private var logs: [Int64: StoredLog]?
    private var entries: [Int64: (positions: [EntrySelection.Source: [Int64]], commands: [CommandCounts.Key])] = [:]

    init(_ db: Database) { self.db = db }

    /// Returns the unprojected positions of the selection in a log, ascending.
    mutating func positions(of selection: EntrySelection, in log: Int64) throws -> [Int64] {
        guard case .postings = selection.source else { return [] }
        return try read(log).positions[selection.source] ?? []
    }

    /// Returns the keys of the commands in a log that are not counted yet, one key for each command.
    mutating func commands(in log: Int64) throws -> [CommandCounts.Key] { try read(log).commands }

    /// Returns the logs with unprojected entries.
    mutating func logKeys() throws -> [Int64] { Array(try loadLogs().keys) }

    private mutating func read(
        _ log: Int64
    ) throws -> (positions: [EntrySelection.Source: [Int64]], commands: [CommandCounts.Key]) {
        if let known = entries[log] { return known }
        var found = (positions: [EntrySelection.Source: [Int64]](), commands: [CommandCounts.Key]())
        for entry in try loadLogs()[log].map({ try $0.entries($0.unprojected, in: db) }) ?? [] {
            for list in entry.lists { found.positions[.postings(list), default: []].append(entry.position.rawValue) }
            if let key = CommandCounts.Key(entry) { found.commands.append(key) }
        }
        entries[log] = found
        return found
    }

    private mutating func loadLogs() throws -> [Int64: StoredLog] {
        if let logs { return logs }
        let found = Dictionary(uniqueKeysWithValues: try StoredLog.unprojected(in: db).map { ($0.key, $0) })
        logs = found
        return found
    }
}

extension RecordScope {
    /// The condition that all entries of the scope meet; `nil` for a whole log.
    fileprivate var match: EntrySelection.Match? {
        switch self {
        case .gatewayLog, .portfolioLog: nil
        case .property(let id, _): .property(id)
        case .unit(let id, _, _): .unit(id)
        }
    }
}
