internal import DoorwardAPI

/// Follows the access log: returns the records that come after those that the caller already has.
///
/// Within a log the order of records is fixed. The order of records of different logs depends on the clock: after a clock step,
/// new records of one log can sort before old records of another log for a long time. So each known log has its own cursor, and
/// one more cursor over all logs discovers new logs.
package struct RecordFollower: Sendable {
    private let query: AccessRecords.Query
    /// The stream over all logs first, then one per log.
    private var streams: [Stream]
    private var logs: Set<String> = []
    private var known: RecentIDs

    /// Records per request.
    private static let pageSize = 100

    /// - Parameters:
    ///   - query: filter of the records.
    ///   - entries: the newest known records, newest first; earlier records are not returned.
    ///   - capacity: the number of ids that are kept to detect a record that two streams return; at least the maximum number of new
    ///     records that one call can return.
    package init(query: AccessRecords.Query, after entries: [AccessRecords.Entry], remembering capacity: Int = 20_000) {
        var query = query
        (query.isOldestFirst, query.limit) = (true, Self.pageSize)
        self.query = query
        known = RecentIDs(capacity: capacity)
        streams = [Stream(query, after: entries.first)]
        for entry in entries.reversed() { known.insert(entry.record.id) }
        for entry in entries { followLog(of: entry) }
    }

    /// Returns the new records, oldest first within each log. After an error no record is lost: the next call returns the records
    /// that this call did not.
    package mutating func next(from records: AccessRecords) async throws -> [AccessRecords.Entry] {
        var follower = self
        var newEntries: [AccessRecords.Entry] = []
        var index = 0
        while index < follower.streams.count {
            // While there is only one log, the stream over all logs is complete and in order.
            if index == 0 || follower.logs.count > 1 {
                for entry in try await follower.streams[index].next(from: records) where follower.known.insert(entry.record.id) {
                    newEntries.append(entry)
                    follower.followLog(of: entry)
                }
            } else if let entry = newEntries.last(where: { $0.record.logId != nil }) {
                follower.streams[index].skip(to: entry)
            }
            index += 1
        }
        self = follower
        return newEntries
    }

    /// Starts a stream for the record's log after this record, if there is none. A record in a reduced view has no `logId`.
    private mutating func followLog(of entry: AccessRecords.Entry) {
        guard let log = entry.record.logId, logs.insert(log).inserted else { return }
        var query = query
        query.logID = log
        streams.append(Stream(query, after: entry))
    }
}

extension AccessRecords {
    /// Fetches the newest records, after which a `RecordFollower` is to begin.
    ///
    /// - Parameter count: the number of records to display; `nil` for all. More may be fetched,
    ///   because the `RecordFollower` learns from them which logs to follow.
    package func newest(_ query: Query, toFollowShowing count: Int?) async throws -> Response<[Entry]> {
        try await newest(query, limit: count.map { max($0, WireLimits.recordPageSize.upperBound) })
    }
}

/// A query in ascending order, with the position up to which it has been read.
private struct Stream: Sendable {
    private var query: AccessRecords.Query
    /// The cursor of the last page, which is read again because it may have grown. `nil` if the last page is the first one.
    private var cursor: String?
    /// The record after which the stream begins; `nil` once the page at `cursor` begins after that record.
    private var startEntry: AccessRecords.Entry?
    /// The last record read.
    private var last: AccessRecords.Entry?
    /// Ids of the records of the last page, to skip them when it is read again.
    private var pageIDs: Set<String> = []

    init(_ query: AccessRecords.Query, after entry: AccessRecords.Entry?) {
        self.query = query
        (startEntry, last) = (entry, entry)
        if let entry { self.query.from = entry.record.at }
    }

    /// Continues after a record that another stream has returned.
    mutating func skip(to entry: AccessRecords.Entry) { self = Stream(query, after: entry) }

    /// Returns every record after the start entry that this stream has not returned yet. Another stream
    /// may have returned the same record.
    mutating func next(from records: AccessRecords) async throws -> [AccessRecords.Entry] {
        do {
            return try await read(from: records)
        } catch ClientError.refused(let error) where error.status == 400 && cursor != nil {
            // The gateway rejects the cursor, because the gateway's keys or database have changed.
            self = Stream(query, after: last)
            return try await read(from: records)
        }
    }

    private mutating func read(from records: AccessRecords) async throws -> [AccessRecords.Entry] {
        var found: [AccessRecords.Entry] = []
        while true {
            let page = try await records.page(query, cursor: cursor)
            let pageEntries = page.entries
            let entries = entriesAfterStart(pageEntries)
            found += entries.filter { !pageIDs.contains($0.record.id) }
            pageIDs = Set(pageEntries.map(\.record.id))
            last = entries.last ?? last
            guard let next = page.content.nextCursor else { return found }
            cursor = next
            // The next page begins after the start entry.
            if !entries.isEmpty || pageEntries.last?.record.id == startEntry?.record.id { startEntry = nil }
        }
    }

    /// The records of a page that follow the start entry.
    private func entriesAfterStart(_ entries: [AccessRecords.Entry]) -> ArraySlice<AccessRecords.Entry> {
        guard let startEntry else { return entries[...] }
        if let place = entries.firstIndex(where: { $0.record.id == startEntry.record.id }) { return entries[(place + 1)...] }
        return entries.drop { $0.record.at == startEntry.record.at }
    }
}

/// The most recent ids: at least the last `capacity` ids, and fewer than twice as many.
private struct RecentIDs: Sendable {
    private let capacity: Int
    private var ids: Set<String> = []
    private var insertionOrder: [String] = []

    init(capacity: Int) { self.capacity = capacity }

    /// - Returns: whether the id was new.
    @discardableResult
    mutating func insert(_ id: String) -> Bool {
        guard ids.insert(id).inserted else { return false }
        insertionOrder.append(id)
        if insertionOrder.count >= 2 * capacity {
            ids.subtract(insertionOrder.prefix(capacity))
            insertionOrder.removeFirst(capacity)
        }
        return true
    }
}
