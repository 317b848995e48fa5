package import DoorwardAPI
internal import FoundationEssentials

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
        /// Maximum number of records per request, 1 to 500.
        package var limit: Int

        package init(
            deviceID: String? = nil, userID: String? = nil, decision: String? = nil, from: String? = nil, limit: Int = 200
        ) {
            (self.deviceID, self.userID, self.decision) = (deviceID, userID, decision)
            (self.from, self.limit) = (from, limit)
        }

        /// The same filters on the stream.
        package var live: LiveQuery<Doorward.AccessRecord> {
            let filters = ["deviceId": deviceID, "userId": userID, "decision": decision, "from": from]
            return LiveQuery(filters: filters.compactMapValues(\.self))
        }
    }

    /// A record, and its JSON as the gateway wrote it.
    package struct Entry: Sendable, Equatable {
        /// The decoded record; unknown members are left out.
        package let record: Wire.AccessRecord
        /// The record as one JSON object.
        package let json: [UInt8]

        init(record: Wire.AccessRecord, json: [UInt8]) { (self.record, self.json) = (record, json) }

        /// A record that was followed.
        ///
        /// - Throws: `DecodingError`.
        package init(_ followed: FollowedRecord) throws {
            self.init(record: try JSONDecoder().decode(Wire.AccessRecord.self, from: Data(followed.json)), json: followed.json)
        }
    }

    /// Fetches the newest records, newest first: at most `count`, or all if `count` is `nil`. The
    /// JSON of the result has the form of `data` in one response of the gateway.
    package func newest(_ query: Query, limit count: Int?) async throws -> Response<[Entry]> {
        var query = query
        var (entries, cursor): ([Entry], String?) = ([], nil)
        repeat {
            query.limit = min(count.map { $0 - entries.count } ?? .max, WireLimits.recordPageSize.upperBound)
            let page = try await page(query, cursor: cursor)
            entries += page.entries
            cursor = page.content.nextCursor
        } while cursor != nil && entries.count < count ?? .max
        let list = entries.map(\.json).joined(separator: Array(",".utf8))
        let next = cursor.map { "\"\($0)\"" } ?? "null"
        return Response(
            content: entries, json: Array("{\"accessRecords\":[".utf8) + list + Array("],\"nextCursor\":\(next)}".utf8))
    }

    /// Fetches the newest records, newest first, and the position after them.
    ///
    /// - Parameter count: the number of records to show; `nil` for all. More may be fetched, because the position contains the logs of
    ///   all fetched records.
    package func newest(
        _ query: Query, toFollowShowing count: Int?
    ) async throws -> (entries: [Entry], cursor: RecordCursor) {
        let limit = count.map { max($0, WireLimits.recordPageSize.upperBound) }
        let entries = try await newest(query, limit: limit).content
        let records = try entries.map { try JSONDecoder().decode(Doorward.AccessRecord.self, from: Data($0.json)) }
        let hasEarlier = limit.map { entries.count >= $0 } ?? false
        let since = query.from.flatMap { Doorward.Instant($0) }
        return (entries, RecordCursor(after: records, hasEarlier: hasEarlier, since: since))
    }

    /// - Parameter cursor: the `nextCursor` of the previous page of the same query; `nil` for the first page.
    package func page(_ query: Query, cursor: String? = nil) async throws -> Response<Wire.AccessRecordPage> {
        try await client.send(
            .get(
                "access-records",
                query: [
                    ("deviceId", query.deviceID), ("userId", query.userID), ("decision", query.decision),
                    ("from", query.from),
                    ("limit", String(query.limit)), ("cursor", cursor),
                ]))
    }
}

extension Response<Wire.AccessRecordPage> {
    /// The records of the page, each with its JSON.
    package var entries: [AccessRecords.Entry] {
        let items = JSONScanner.items(of: JSONScanner.member("accessRecords", of: json) ?? []) ?? []
        return zip(content.accessRecords, items).map { AccessRecords.Entry(record: $0, json: $1) }
    }
}
