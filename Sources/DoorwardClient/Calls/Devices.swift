package import DoorwardAPI
internal import NIOHTTP1

/// Locks: finding, attaching, moving.
package struct Devices: Sendable {
    let client: DoorwardClient

    /// All that the caller may see, in the order of their names, page by page.
    package func list(propertyID: String? = nil, unitID: String? = nil) -> Pages<Wire.DevicePage> {
        Pages(
            client: client,
            call: .get("devices", query: [("propertyId", propertyID), ("unitId", unitID), ("sortBy", "name")]))
    }

    /// What was found and could be attached by the caller, in the order of their names, page by page.
    package func discovered() -> Pages<Wire.DiscoveredDevicePage> {
        Pages(client: client, call: .get("devices", "discovered", query: [("sortBy", "name")]))
    }

    /// One of those that the caller may see, whichever; `nil` if there are none.
    package func first() async throws -> Wire.Device? {
        try await client.answer(.get("devices", query: [("limit", "1")]), as: Wire.DevicePage.self).content.devices.first
    }

    /// One lock, with its condition as the gateway knows it.
    package func device(_ id: String) async throws -> Answer<Wire.DeviceAnswer> {
        try await client.answer(.get("devices", id))
    }

    /// What is known of a lock's condition, without asking the lock.
    package func status(_ id: String) async throws -> Answer<Wire.DeviceStatusAnswer> {
        try await client.answer(.get("devices", id, "status"))
    }

    /// Makes a lock known to the gateway.
    package func attach(_ device: Wire.NewDevice) async throws -> Answer<Wire.DeviceAnswer> {
        try await client.answer(.post("devices", body: device))
    }

    /// Ends the gateway's dealings with a lock. Commands that wait for it are denied.
    package func detach(_ id: String) async throws {
        try await client.perform(Call(.DELETE, "devices", id))
    }

    /// Moves the bolt out and waits for the lock to confirm it; see `move`.
    package func lock(_ id: String, _ order: Wire.CommandOrder = .init()) async throws -> Answer<Wire.CommandAnswer> {
        try await move("lock", id, order)
    }

    /// Withdraws the bolt and waits for the lock to confirm it; see `move`.
    package func unlock(_ id: String, _ order: Wire.CommandOrder = .init()) async throws -> Answer<Wire.CommandAnswer> {
        try await move("unlock", id, order)
    }

    /// Draws the latch, so that the door opens, and waits for the lock to confirm it; see `move`.
    package func unlatch(_ id: String, _ order: Wire.CommandOrder = .init()) async throws -> Answer<Wire.CommandAnswer> {
        try await move("unlatch", id, order)
    }

    /// Longer than the gateway lets a command run, so that its word comes first.
    private static let margin = 15_000

    /// The command goes out under a key: should the connection end in the middle, it is asked for once more under the same
    /// one, and the gateway answers with what became of the first. The lock moves once at most.
    ///
    /// - Throws: `ClientError.refused` for every end that is no confirmation, with the command in it. After
    ///   `.noAnswer` nobody knows whether the lock moves.
    private func move(_ word: String, _ id: String, _ order: Wire.CommandOrder) async throws -> Answer<Wire.CommandAnswer> {
        var call = try Call.post("devices", id, word, body: order)
        call.timeLimit = .milliseconds((order.timeoutMs ?? WireLimits.timeoutMs.upperBound) + Self.margin)
        return try await client.answer(call)
    }
}
