package import DoorwardAPI
internal import NIOHTTP1

/// Guests and their windows of time.
package struct GuestAccesses: Sendable {
    let client: DoorwardClient

    /// Those that the caller holds, granted or may manage, by the beginning of their windows.
    package func list(deviceID: String? = nil) -> Pages<Wire.GuestAccessPage> {
        Pages(client: client, call: .get("guest-access", query: [("deviceId", deviceID), ("sortBy", "validFrom")]))
    }

    /// Lets somebody in. Asked twice because the connection ended, it grants once.
    package func grant(_ access: Wire.NewGuestAccess) async throws -> Answer<Wire.GuestAccessAnswer> {
        try await client.answer(.post("guest-access", body: access))
    }

    /// Ends it. When this returns, nothing leaves the gateway under it any more.
    package func revoke(_ id: String) async throws {
        try await client.perform(Call(.DELETE, "guest-access", id))
    }
}
