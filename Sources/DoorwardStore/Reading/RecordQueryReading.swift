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
            guard !isBeyond(entry.at) else { return RecordPage(records: records, next: nil) }
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

    /// Whether an entry lies behind the filter's instant at which the page's order ends. The streams may reach a few entries
    /// beyond it.
    private func isBeyond(_ at: Timestamp) -> Bool {
        isAscending ? query.filter.until.map { at >= $0 } ?? false : query.filter.from.map { at < $0 } ?? false
    }

    /// The positions of a log between the filter's instants, from the cursor on. Only where the reading begins is looked up exactly:
    /// at its end the time marks are enough.
    private mutating func range(of log: StoredLog) throws -> Range<Int64> {
        if let known = ranges[log.key] { return known }
        var range = log.range
        let time = LogTime(log, in: db)
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
        let (next, isNever) = place.at.milliseconds.addingReportingOverflow(1)
        guard log.name < name else { return try LogTime(log, in: db).firstPosition(at: place.at) }
        return isNever ? log.range.upperBound : try LogTime(log, in: db).firstPosition(at: Timestamp(milliseconds: next))
    }
}

/// Finds entries of a log by their time, in whose order they stand.
private struct LogTime {
    private let log: StoredLog
    private let db: Database

    init(_ log: StoredLog, in db: Database) { (self.log, self.db) = (log, db) }

    /// The position of the first entry that is not before the instant, or the end of the log.
    func firstPosition(at instant: Timestamp) throws -> Int64 {
        let bounds = try bounds(of: instant)
        var (low, high) = (bounds.lowerBound, bounds.upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            if try time(of: middle) < instant { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The first entry that is not before the instant lies in this range or at its end; found by the time marks alone, for few pages
    /// of a large log lie on the way to them.
    func bounds(of instant: Timestamp) throws -> Range<Int64> {
        let step = Int64(Projector.entriesPerMark)
        let (start, end) = (Int64(min(log.firstSeq, log.size)), Int64(log.size))
        // Marks of the records that are left.
        let marks = (start + step - 1) / step..<(end + step - 1) / step
        let mark = try firstMark(of: marks, at: instant)
        return position(max(start, (mark - 1) * step))..<position(mark == marks.upperBound ? end : mark * step)
    }

    /// The first mark that is not before the instant, or the end of the range.
    ///
    /// Guesses by the times at the ends of the range that is left, and reads a mark on either side of the guess: where records come
    /// evenly, they enclose it, and lie on one page. Each round also halves the range at least.
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
            // Records at random instants lie within two margins of the guess, as a rule.
            let (guess, margin) = (before.mark + Int64(width * share), Int64(max(16, width.squareRoot() / 4)))
            let middle = before.mark + (after.mark - before.mark) / 2
            for mark in [guess - margin, guess + margin, middle] where before.mark < mark && mark < after.mark {
                let at = try time(ofMark: mark)
                if at < instant { before = (mark, at) } else { after = (mark, at) }
            }
        }
        return after.mark
    }

    private func position(_ seq: Int64) -> Int64 { Position(logKey: log.key, seq: UInt64(seq)).rawValue }

    /// Entries that are not projected have no mark yet: their own times stand for it.
    private func time(ofMark mark: Int64) throws -> Timestamp {
        let position = position(mark * Int64(Projector.entriesPerMark))
        return try time(of: position, in: "time_marks") ?? time(of: position)
    }

    private func time(of position: Int64) throws -> Timestamp {
        guard let at = try time(of: position, in: "entries") else { throw UnreadableColumn(column: "position") }
        return at
    }

    private func time(of position: Int64, in table: String) throws -> Timestamp? {
        var found: Timestamp?
        try db.step("SELECT at FROM \(table) WHERE position = ?", [position]) {
            found = Timestamp(milliseconds: $0.integer(0))
        }
        return found
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
