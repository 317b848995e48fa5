package import DoorwardAPI

/// The gateway's adapters, one for each kind of lock.
package struct Adapters: Sendable {
    let client: DoorwardClient

    /// Lists all adapters with their health, sorted by kind. Only super admins may do this.
    package func list() async throws -> Response<Wire.AdaptersAnswer> { try await client.send(.get("adapters")) }
}
