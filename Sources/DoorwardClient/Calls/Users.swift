package import DoorwardAPI

/// People.
package struct Users: Sendable {
    let client: DoorwardClient

    /// Whoever calls.
    package func me() async throws -> Answer<Wire.UserAnswer> { try await client.answer(.get("users", "me")) }

    /// Those of the caller's scope; refused to whoever manages nothing.
    package func list() -> Pages<Wire.UserPage> { Pages(client: client, call: .get("users", query: [("sortBy", "name")])) }
}
