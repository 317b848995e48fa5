package import DoorwardAPI

/// The kinds of locks that the gateway controls.
package struct Adapters: Sendable {
    let client: DoorwardClient

    /// All, with their health, in the order of their kinds; refused to whoever does not run the gateway.
    package func list() async throws -> Response<Wire.AdaptersAnswer> { try await client.answer(.get("adapters")) }
}
