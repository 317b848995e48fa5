package import DoorwardAPI
internal import NIOHTTP1

/// API keys, with which programs call the gateway.
package struct APIKeys: Sendable {
    let client: DoorwardClient

    /// Lists the keys that the caller may manage, by name.
    package func list() -> Pages<Wire.APIKeyPage> {
        Pages(client: client, request: .get("api-keys", query: [("sortBy", "name")]))
    }

    /// Creates a key. Only this response contains its secret.
    package func create(_ key: Wire.NewAPIKey) async throws -> Response<Wire.NewAPIKeyAnswer> {
        var request = try APIRequest.post("api-keys", body: key)
        // The gateway stores no response that contains a secret.
        request.idempotencyKey = nil
        return try await client.send(request)
    }

    /// Deletes a key. When this returns, the gateway no longer accepts it.
    package func delete(_ id: String) async throws { try await client.perform(APIRequest(.DELETE, "api-keys", id)) }
}
