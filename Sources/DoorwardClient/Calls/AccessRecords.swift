package import DoorwardAPI

/// The access log, as far as the caller may read it.
package struct AccessRecords: Sendable {
    let client: DoorwardClient

    /// Which records are asked for. Everything that is `nil` leaves nothing out.
    package struct Query: Sendable, Equatable {
        package var deviceID: String?
        package var userID: String?
        /// `ALLOWED` or `DENIED`.
        package var decision: String?
        /// RFC 3339; the instant itself is in.
        package var from: String?
        /// Oldest first instead of newest first.
        package var isOldestFirst = false
        /// The most records that one call brings, 1 to 500.
        package var limit: Int

        package init(
            deviceID: String? = nil, userID: String? = nil, decision: String? = nil, from: String? = nil, limit: Int = 200
        ) {
            (self.deviceID, self.userID, self.decision) = (deviceID, userID, decision)
            (self.from, self.limit) = (from, limit)
        }
    }

    /// - Parameter cursor: where the stretch begins, from the one before of the same query.
    package func page(_ query: Query, cursor: String? = nil) async throws -> Answer<Wire.AccessRecordPage> {
        try await client.answer(
            .get(
                "access-records",
                query: [
                    ("deviceId", query.deviceID), ("userId", query.userID), ("decision", query.decision), ("from", query.from),
                    ("order", query.isOldestFirst ? "asc" : nil), ("limit", String(query.limit)), ("cursor", cursor),
                ]))
    }
}
