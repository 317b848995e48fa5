package import DoorwardAPI
internal import NIOHTTP1

/// Guest accesses and their validity.
package struct GuestAccesses: Sendable {
    let client: DoorwardClient

    /// Lists the accesses that the caller holds, granted or may manage, by the beginning of their validity.
    package func list(deviceID: String? = nil) -> Pages<Wire.GuestAccess> {
        Pages(client: client, request: .get("guest-access", query: [("deviceId", deviceID), ("sortBy", "validFrom")]))
    }

    /// Grants a guest access. If the connection breaks, the request is repeated with the same idempotency key, so that the access
    /// is granted once.
    package func grant(_ access: Wire.NewGuestAccess) async throws -> Response<Wire.GuestAccessAnswer> {
        try await client.send(.post("guest-access", body: access))
    }

    /// Creates the link of a guest access; an earlier one ends.
    package func createLink(of id: String) async throws -> Response<Wire.GuestLinkAnswer> {
        try await client.send(APIRequest(.POST, "guest-access", id, "link"))
    }

    /// Ends the link of a guest access. When this returns, the gateway sends no more commands of its holder.
    package func endLink(of id: String) async throws {
        try await client.perform(APIRequest(.DELETE, "guest-access", id, "link"))
    }

    /// Revokes a guest access. When this returns, the gateway sends no more commands under it.
    package func revoke(_ id: String) async throws {
        try await client.perform(APIRequest(.DELETE, "guest-access", id))
    }
}
