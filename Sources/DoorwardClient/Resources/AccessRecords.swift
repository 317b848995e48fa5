internal import DoorwardAPI

/// The calls that read the access log. They return only records that the caller may read.
package struct AccessRecords: Sendable {
    let client: DoorwardClient

    /// Selects records by filters.
    package typealias Query = LiveQuery<Doorward.AccessRecord>
    /// A record, and its JSON as the gateway wrote it.
    package typealias Entry = Verbatim<Doorward.AccessRecord>

    /// Fetches the newest records, newest first: at most `count`.
    package func newest(_ query: Query, limit count: Int) async throws -> [Entry] {
        var entries: [Entry] = []
        try await eachPage(query, limit: count) { page, _ in
            entries += page
            return true
        }
        return entries
    }

    /// Fetches records page by page. Only one page is kept in memory.
    ///
    /// - Parameters:
    ///   - isOldestFirst: whether the oldest records come first.
    ///   - count: the maximum number of records; `nil` for all.
    ///   - body: receives each page before the next one is requested, and the cursor after it, `nil` at the end of the records. It
    ///     returns false to stop.
    package func eachPage(
        _ query: Query, oldestFirst isOldestFirst: Bool = false, limit count: Int? = nil,
        _ body: (_ page: [Entry], _ next: String?) async throws -> Bool
    ) async throws {
        var (left, cursor): (Int, String?) = (count ?? .max, nil)
        repeat {
            let limit = min(left, WireLimits.recordPageSize.upperBound)
            let position = [("order", isOldestFirst ? "asc" : nil), ("limit", "\(limit)"), ("cursor", cursor)]
            let page = try await client.send(.get("access-records", query: query.items + position), as: AccessRecordPage.self)
            let texts = JSONScanner.items(of: JSONScanner.member("accessRecords", of: page.json) ?? []) ?? []
            let entries = zip(page.content.accessRecords, texts).map { Entry($0, json: $1) }
            cursor = page.content.nextCursor
            left -= entries.count
            guard try await body(entries, cursor) else { return }
        } while cursor != nil && left > 0
    }

    /// Fetches the newest records, newest first, and the position after them.
    ///
    /// - Parameter count: the number of records to show. More may be fetched, because the position contains the logs of all fetched
    ///   records.
    package func newest(_ query: Query, toFollowShowing count: Int) async throws -> (entries: [Entry], cursor: RecordCursor) {
        let limit = max(count, WireLimits.recordPageSize.upperBound)
        let entries = try await newest(query, limit: limit)
        let cursor = RecordCursor(after: entries.map(\.value), hasEarlier: entries.count >= limit, since: start(of: query))
        return (entries, cursor)
    }

    /// Fetches all records, oldest first, page by page, and returns the position from which the log can be followed. Only one page is kept
    /// in memory.
    ///
    /// - Parameter body: receives each page before the next one is requested. It returns false to stop.
    /// - Returns: the position after the records; `nil` if `body` stopped.
    package func eachPage(toFollow query: Query, _ body: (_ page: [Entry]) async throws -> Bool) async throws -> RecordCursor? {
        var (cursor, isOpen) = (RecordCursor(after: [], hasEarlier: false, since: start(of: query)), true)
        try await eachPage(query, oldestFirst: true) { page, _ in
            for entry in page { _ = cursor.insert(entry.value) }
            isOpen = try await body(page)
            return isOpen
        }
        return isOpen ? cursor : nil
    }

    private func start(of query: Query) -> Doorward.Instant? { query.filters["from"].flatMap { Doorward.Instant($0) } }
}

/// `data` of a page of access records.
package struct AccessRecordPage: Decodable, Sendable {
    /// The records in the requested order.
    package var accessRecords: [Doorward.AccessRecord]
    /// The cursor of the next page; `nil` at the end.
    package var nextCursor: String?
}
