package import DoorwardAPI

/// Commands to locks, and their outcomes.
package struct Commands: Sendable {
    let client: DoorwardClient

    /// Fetches a command: the caller's own, or one for a lock whose history the caller may read.
    package func command(_ id: String) async throws -> Response<Wire.CommandAnswer> {
        try await client.send(.get("commands", id))
    }

    /// Lists commands, newest first.
    package func list(deviceID: String? = nil) -> Pages<Wire.Command> {
        Pages(client: client, request: .get("commands", query: [("deviceId", deviceID), ("sortBy", "-createdAt")]))
    }
}
