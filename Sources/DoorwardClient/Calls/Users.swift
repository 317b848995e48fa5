package import DoorwardAPI

/// Users.
package struct Users: Sendable {
    let client: DoorwardClient

    /// Fetches the caller's own user.
    package func me() async throws -> Response<Wire.UserAnswer> { try await client.answer(.get("users", "me")) }

    /// Lists the users in the caller's scope. The gateway denies this to callers without management
    /// rights.
    package func list() -> Pages<Wire.UserPage> { Pages(client: client, call: .get("users", query: [("sortBy", "name")])) }
}
