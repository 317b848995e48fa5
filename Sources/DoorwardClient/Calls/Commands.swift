package import DoorwardAPI

/// What became of attempts to move locks.
package struct Commands: Sendable {
    let client: DoorwardClient

    /// One's own, or one on a lock whose history one may read.
    package func command(_ id: String) async throws -> Answer<Wire.CommandAnswer> {
        try await client.answer(.get("commands", id))
    }

    /// Newest first.
    package func list(deviceID: String? = nil) -> Pages<Wire.CommandPage> {
        Pages(client: client, call: .get("commands", query: [("deviceId", deviceID), ("sortBy", "-createdAt")]))
    }
}
