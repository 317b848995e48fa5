internal import DoorwardAPI

/// The calls that read the access log. They return only records that the caller may read.
package struct AccessRecords: Sendable {
    let client: DoorwardClient

    /// Filter and order of the requested records. A `nil` filter excludes nothing.
    package struct Query: Sendable, Equatable {
        /// Only records of this lock.
        package var deviceID: String?
        /// Only records of this person's actions.
        package var userID: String?
        /// `ALLOWED` or `DENIED`.
        package var decision: String?
        /// RFC 3339; inclusive.
        package var from: String?
        /// Whether the oldest records come first.
        package var isOldestFirst = false
        /// Maximum number of records per request, 1 to 500.
        package var limit: Int

        package init(
            deviceID: String? = nil, userID: String? = nil, decision: String? = nil, from: String? = nil, limit: Int = 200
        ) {
            (self.deviceID, self.userID, self.decision) = (deviceID, userID, decision)
            (self.from, self.limit) = (from, limit)
        }

        /// The instant of `from`.
        var start: Doorward.Instant? { from.flatMap { Doorward.Instant($0) } }

        /// The same filters on the stream.
        package var live: LiveQuery<Doorward.AccessRecord> {
            let filters = ["deviceId": deviceID, "userId": userID, "decision": decision, "from": from]
            return LiveQuery(filters: filters.compactMapValues(\.self))
        }
    }

    /// A record, and its JSON as the gateway wrote it.
    package typealias Entry = Verbatim<Doorward.AccessRecord>

    /// Fetches the newest records, newest first: at most `count`, or all if `count` is `nil`. The
    /// JSON of the result has the form of `data` in one response of the gateway.
    package func newest(_ query: Query, limit count: Int?) async throws -> Response<[Entry]> {
        var (entries, cursor): ([Entry], String?) = ([], nil)
        try await eachPage(query, limit: count) { page, next in
            entries += page
            cursor = next
            return true
        }
        let list = entries.map(\.json).joined(separator: Array(",".utf8))
        let next = cursor.map { "\"\($0)\"" } ?? "null"
        return Response(
            content: entries, json: Array("{\"accessRecords\":[".utf8) + list + Array("],\"nextCursor\":\(next)}".utf8))
    }

    /// Fetches records page by page. Only one page is kept in memory.
    ///
    /// - Parameters:
    ///   - count: the maximum number of records; `nil` for all.
    ///   - body: receives each page before the next one is requested, and the cursor after it, `nil` at the end of the records. It
    ///     returns false to stop.
    package func eachPage(
        _ query: Query, limit count: Int? = nil, _ body: (_ page: [Entry], _ next: String?) async throws -> Bool
    ) async throws {
        var query = query
        var (left, cursor): (Int, String?) = (count ?? .max, nil)
        repeat {
            query.limit = min(left, WireLimits.recordPageSize.upperBound)
            let page = try await page(query, cursor: cursor)
            cursor = page.next
            left -= page.entries.count
            guard try await body(page.entries, cursor) else { return }
        } while cursor != nil && left > 0
    }

    /// Fetches the newest records, newest first, and the position after them.
    ///
    /// - Parameter count: the number of records to show. More may be fetched, because the position contains the logs of all fetched
    ///   records.
    package func newest(
        _ query: Query, toFollowShowing count: Int
    ) async throws -> (entries: [Entry], cursor: RecordCursor) {
        let limit = max(count, WireLimits.recordPageSize.upperBound)
        let entries = try await newest(query, limit: limit).content
        let cursor = RecordCursor(
            after: entries.map(\.value), hasEarlier: entries.count >= limit, since: query.start)
        return (entries, cursor)
    }

    /// Fetches all records, oldest first, page by page, and returns the position from which the log can be followed. Only one page is kept
    /// in memory.
    ///
    /// - Parameter body: receives each page before the next one is requested. It returns false to stop.
    /// - Returns: the position after the records; `nil` if `body` stopped.
    package func eachPage(
        toFollow query: Query, _ body: (_ page: [Entry]) async throws -> Bool
    ) async throws -> RecordCursor? {
        var (query, cursor, isOpen) = (query, RecordCursor(after: [], hasEarlier: false, since: query.start), true)
        query.isOldestFirst = true
        try await eachPage(query) { page, _ in
            for entry in page { _ = cursor.insert(entry.value) }
            isOpen = try await body(page)
            return isOpen
        }
        return isOpen ? cursor : nil
    }

    /// - Parameter cursor: the `nextCursor` of the previous page of the same query; `nil` for the first page.
    private func page(_ query: Query, cursor: String?) async throws -> (entries: [Entry], next: String?) {
        let request = APIRequest.get(
            "access-records",
            query: [
                ("deviceId", query.deviceID), ("userId", query.userID), ("decision", query.decision),
                ("from", query.from), ("order", query.isOldestFirst ? "asc" : nil),
                ("limit", String(query.limit)), ("cursor", cursor),
            ])
        let page = try await client.send(request, as: AccessRecordPage.self)
        let items = JSONScanner.items(of: JSONScanner.member("accessRecords", of: page.json) ?? []) ?? []
        return (zip(page.content.accessRecords, items).map { Entry($0, json: $1) }, page.content.nextCursor)
    }
}

/// `data` of a page of access records.
package struct AccessRecordPage: Decodable, Sendable {
    /// The records in the requested order.
    package var accessRecords: [Doorward.AccessRecord]
    /// The cursor of the next page; `nil` at the end.
    package var nextCursor: String?
}

extension Verbatim<Doorward.AccessRecord> {
    /// A record that was followed.
    package init(_ followed: FollowedRecord) { self.init(followed.record, json: followed.json) }
}
