package import DoorwardAPI
internal import NIOHTTP1

/// API keys, with which programs call the gateway.
package struct APIKeys: Sendable {
    let client: DoorwardClient

    /// Lists the keys that the caller may manage, by name.
    ///
    /// - Parameter search: only those whose name contains this text; `nil` for all.
    package func list(search: String? = nil) -> Pages<Wire.APIKey> {
        Pages(client: client, request: .get("api-keys", query: [("q", search), ("sortBy", "name")]))
    }

    /// Creates a key. Only this response contains its secret.
    package func create(_ key: Wire.NewAPIKey) async throws -> Response<Wire.NewAPIKeyAnswer> {
        var request = try APIRequest.post("api-keys", body: key)
        // The gateway stores no response that contains a secret.
        request.idempotencyKey = nil
        return try await client.send(request)
    }

    /// The deletion of a key, and of the keys that were created with it. When it has been performed, the gateway no longer accepts
    /// them.
    package func deletion(of id: String) -> Deletion { Deletion(client: client, path: ["api-keys", id]) }
}
