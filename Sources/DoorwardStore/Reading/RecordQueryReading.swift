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
        guard query.limit > 0 else { return [] }
        var streams = try query.deviceID.map(deviceStreams) ?? scopeStreams()
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

    /// A device's entries lie in every log that it ever hung in; of these the caller sees what their scopes cover.
    private func isVisible(_ entry: EntryStream.Entry) -> Bool {
        query.deviceID == nil
            || query.scopes.contains { scope in
                switch scope {
                case .gatewayLog: entry.log == .gateway
                case .portfolioLog(let id): entry.log == .portfolio(id)
                case .property(let id): entry.propertyID == id
                case .unit(let id): entry.unitID == id
                }
            }
    }

    // MARK: Streams

    private func deviceStreams(_ device: DeviceID) throws -> [EntryStream] {
        guard !query.scopes.isEmpty else { return [] }
        return try streams(.device(device), index: "device_id", id: device.blob, run: query.limit)
    }

    private func scopeStreams() throws -> [EntryStream] {
        let scopes = Array(Set(query.scopes))
        let run = scopes.count == 1 ? query.limit : max(8, 2 * query.limit / max(1, scopes.count))
        return try scopes.flatMap { scope in
            switch scope {
            case .gatewayLog: try logStream(.gateway, run: run)
            case .portfolioLog(let id): try logStream(.portfolio(id), run: run)
            case .property(let id): try streams(.property(id), index: "property_id", id: id.blob, run: run)
            case .unit(let id): try streams(.unit(id), index: "unit_id", id: id.blob, run: run)
            }
        }
    }

    private func logStream(_ id: LogID, run: Int) throws -> [EntryStream] {
        let log = try db.firstRow("SELECT key, log_id, size FROM logs WHERE log_id = ?", [id.description], read: Self.log)
        return try log.map { [try stream($0, .all, run: run)] } ?? []
    }

    /// One stream for each log that has an entry under this id: found by going from log to log in the index.
    private func streams(_ selection: EntryStream.Selection, index: String, id: Data, run: Int) throws -> [EntryStream] {
        var streams: [EntryStream] = []
        var from: Int64 = 0
        let sql = "SELECT position FROM entries WHERE \(index) = ? AND position >= ? ORDER BY position LIMIT 1"
        while let position = try db.firstRow(sql, [id, from], read: { Position(rawValue: try $0.value()) }) {
            let log = try db.firstRow("SELECT key, log_id, size FROM logs WHERE key = ?", [position.logKey], read: Self.log)
            guard let log else { throw UnreadableColumn(column: "position") }
            streams.append(try stream(log, selection, run: run))
            from = Position(logKey: position.logKey + 1, seq: 0).rawValue
        }
        return streams
    }

    private static func log(_ columns: inout ColumnReader) throws -> StoredLog {
        let (key, name): (Int64, String) = (try columns.value(), try columns.value())
        guard let id = LogID(name) else { throw UnreadableColumn(column: "log_id") }
        return StoredLog(key: key, id: id, name: name, size: UInt64(try columns.value(Int64.self)))
    }

    private func stream(_ log: StoredLog, _ selection: EntryStream.Selection, run: Int) throws -> EntryStream {
        let all = log.range
        var range = all
        if let after = query.after {
            let bound = min(max(try boundary(of: log, at: after), all.lowerBound), all.upperBound)
            range = isAscending ? bound..<all.upperBound : all.lowerBound..<bound
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
        let first = log.name < name ? Timestamp(milliseconds: place.at.milliseconds + 1) : place.at
        return try firstPosition(of: log, notBefore: first)
    }

    /// Where the log's first entry at or after `instant` stands, or the end of the log.
    private func firstPosition(of log: StoredLog, notBefore instant: Timestamp) throws -> Int64 {
        var range = log.range
        while !range.isEmpty {
            let middle = range.lowerBound + (range.upperBound - range.lowerBound) / 2
            let at = try db.firstRow("SELECT at FROM entries WHERE position = ?", [middle]) { try $0.instant() }
            guard let at else { throw UnreadableColumn(column: "position") }
            range = at < instant ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}
