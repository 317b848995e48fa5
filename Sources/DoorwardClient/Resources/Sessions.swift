package import DoorwardAPI
internal import NIOHTTP1

/// The caller's own sessions.
package struct Sessions: Sendable {
    let client: DoorwardClient

    /// Lists the caller's valid sessions, oldest first.
    package func list() async throws -> Response<Wire.SessionsAnswer> { try await client.send(.get("users", "me", "sessions")) }

    /// Ends a session. When this returns, the gateway no longer accepts its tokens.
    package func end(_ id: String) async throws { try await client.perform(APIRequest(.DELETE, "users", "me", "sessions", id)) }
}
