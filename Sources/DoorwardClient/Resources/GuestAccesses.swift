package import DoorwardAPI
internal import NIOHTTP1

/// Guest accesses and their validity.
package struct GuestAccesses: Sendable {
    let client: DoorwardClient

    /// Lists the accesses that the caller holds, granted or may manage, by the beginning of their validity.
    ///
    /// - Parameter hasLink: only those with a link (`true`) or without one (`false`); `nil` for all.
    package func list(deviceID: String? = nil, hasLink: Bool? = nil) -> Pages<Wire.GuestAccess> {
        Pages(
            client: client,
            request: .get(
                "guest-access", query: [("deviceId", deviceID), ("hasLink", hasLink.map { "\($0)" }), ("sortBy", "validFrom")]))
    }

    /// Fetches a guest access, with the `ETag` of its version.
    package func access(_ id: String) async throws -> Response<Wire.GuestAccessAnswer> {
        try await client.send(.get("guest-access", id))
    }

    /// Grants a guest access. If the connection breaks, the request is repeated with the same idempotency key, so that the access
    /// is granted once.
    package func grant(_ access: Wire.NewGuestAccess) async throws -> Response<Wire.GuestAccessAnswer> {
        try await client.send(.post("guest-access", body: access))
    }

    /// Fetches the locks of a guest access by name, also of one whose window has not begun: its guest sees such locks in no list.
    package func locks(of id: String) async throws -> [Wire.NamedLock] {
        let request = APIRequest.get("guest-access", id, query: [("deviceNames", "true")])
        return try await client.send(request, as: Wire.GuestAccessLocks.self).content.devices
    }

    /// Changes a guest access. When this returns, the gateway sends no more commands under a right that the change took away.
    ///
    /// - Parameter etag: the version to change; if the access has changed since, the gateway rejects the change. `nil` for any.
    package func change(
        _ id: String, _ change: Wire.GuestAccessChange, onlyIf etag: String?
    ) async throws -> Response<Wire.GuestAccessAnswer> {
        var request = try APIRequest.put("guest-access", id, body: change)
        if let etag { request.headers.append((name: "If-Match", value: etag)) }
        return try await client.send(request)
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
