internal import DoorwardControl
internal import DoorwardDomain
import FoundationEssentials
import GRDB

/// Answers a `RecordQuery`: streams of entries, one for each log and scope, merged in the order of (`at`, `logId`, `seq`).
///
/// A log is ordered by time in itself, so the place where a stream begins is found by halving the log.
struct RecordQueryReading {
    private let query: RecordQuery
    private let db: Database
    private let isAscending: Bool

    init(_ query: RecordQuery, in db: Database) {
        (self.query, self.db) = (query, db)
        isAscending = query.order == .oldestFirst
    }

    func records() throws -> [AccessRecord] {
        guard query.limit > 0, !query.scopes.isEmpty else { return [] }
        var streams = try self.streams()
        var reading = RecordReading(db)
        var records: [AccessRecord] = []
        var last: Position?
        while records.count < query.limit, let entry = try next(of: &streams) {
            // One entry can lie in several scopes; they name it one after the other.
            guard entry.position != last, isVisible(entry) else { continue }
            last = entry.position
            records.append(try reading.record(at: entry.position))
        }
        return records
    }

    // MARK: Merging

    private func next(of streams: inout [EntryStream]) throws -> EntryStream.Entry? {
        var first: (entry: EntryStream.Entry, index: Int)?
        for index in streams.indices {
            guard let entry = try streams[index].peek(in: db) else { continue }
            if let found = first, !precedes(entry, found.entry) { continue }
            first = (entry, index)
        }
        guard let first else { return nil }
        streams[first.index].skip()
        return first.entry
    }

    private func precedes(_ a: EntryStream.Entry, _ b: EntryStream.Entry) -> Bool {
        let (left, right) = isAscending ? (a, b) : (b, a)
        return (left.at, left.logName, left.position) < (right.at, right.logName, right.position)
    }

    /// Streams that an index finds in whole logs hold more than the caller's scopes cover.
    private func isVisible(_ entry: EntryStream.Entry) -> Bool {
        query.scopes.contains { $0.covers(log: entry.log, unitID: entry.unitID, propertyID: entry.propertyID) }
    }

    // MARK: Streams

    /// What a person or a device did is looked for wherever it stands; what is seldom, in the logs that the scopes lie in;
    /// without either, each scope is a stream of its own.
    private func streams() throws -> [EntryStream] {
        let matches = query.filter.matches
        guard let first = matches.first else { return try scopeStreams(matches) }
        let selection = EntrySelection(driver: first, conditions: matches)
        switch first {
        case .actor, .device, .unit, .property:
            return try logs(with: first).filter(mayRead).map { try stream($0, selection, run: query.limit) }
        case .denied, .kind, .operation, .reason, .outcome:
            guard first.isRare else { return try scopeStreams(matches) }
            return try scopeLogs().map { try stream($0, selection, run: query.limit) }
        }
    }

    private func scopeStreams(_ matches: [EntrySelection.Match]) throws -> [EntryStream] {
        let scopes = Array(Set(query.scopes))
        let run = scopes.count == 1 ? query.limit : max(8, query.limit / scopes.count * 2)
        return try scopes.flatMap { scope in
            // What is common is met soon on the way through the scope.
            let selection = EntrySelection(driver: scope.match, conditions: matches)
            return try logs(of: scope).map { try stream($0, selection, run: run) }
        }
    }

    // MARK: Logs

    /// The logs in which something lies that a scope covers, each once.
    private func scopeLogs() throws -> [StoredLog] {
        var logs: [Int64: StoredLog] = [:]
        for scope in Set(query.scopes) { for log in try self.logs(of: scope) { logs[log.key] = log } }
        return Array(logs.values)
    }

    private func logs(of scope: RecordScope) throws -> [StoredLog] {
        switch scope {
        case .gatewayLog: try log(.gateway).map { [$0] } ?? []
        case .portfolioLog(let id): try log(.portfolio(id)).map { [$0] } ?? []
        case .property(let id): try logs(with: .property(id))
        case .unit(let id): try logs(with: .unit(id))
        }
    }

    /// Whether anything in the log can be visible: without a property or a unit among the scopes, these name the logs.
    private func mayRead(_ log: StoredLog) -> Bool {
        query.scopes.contains { scope in
            switch scope {
            case .gatewayLog: log.id == .gateway
            case .portfolioLog(let id): log.id == .portfolio(id)
            case .property, .unit: log.id != .gateway
            }
        }
    }

    private func log(_ id: LogID) throws -> StoredLog? {
        guard query.filter.log.map({ $0 == id }) ?? true else { return nil }
        return try db.firstRow("SELECT key, log_id, size FROM logs WHERE log_id = ?", [id.description], read: Self.log)
    }

    /// The logs that have an entry which says this: found by going from log to log in the index.
    private func logs(with match: EntrySelection.Match) throws -> [StoredLog] {
        var logs: [StoredLog] = []
        var from: Int64 = 0
        let sql = "SELECT position FROM entries WHERE \(match.column) = ? AND position >= ? ORDER BY position LIMIT 1"
        while let position = try db.firstRow(sql, [match.value, from], read: { Position(rawValue: try $0.value()) }) {
            let log = try db.firstRow("SELECT key, log_id, size FROM logs WHERE key = ?", [position.logKey], read: Self.log)
            guard let log else { throw UnreadableColumn(column: "position") }
            if query.filter.log.map({ $0 == log.id }) ?? true { logs.append(log) }
            from = Position(logKey: position.logKey + 1, seq: 0).rawValue
        }
        return logs
    }

    private static func log(_ columns: inout ColumnReader) throws -> StoredLog {
        let (key, name): (Int64, String) = (try columns.value(), try columns.value())
        guard let id = LogID(name) else { throw UnreadableColumn(column: "log_id") }
        return StoredLog(key: key, id: id, name: name, size: UInt64(try columns.value(Int64.self)))
    }

    private func stream(_ log: StoredLog, _ selection: EntrySelection, run: Int) throws -> EntryStream {
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
        return EntryStream(log: log, selection: selection, range: range, isAscending: isAscending, run: run)
    }

    // MARK: The cursor

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
        case .property(let id): .property(id)
        case .unit(let id): .unit(id)
        }
    }
}
