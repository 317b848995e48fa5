package import DoorwardAPI
internal import FoundationEssentials
internal import NIOHTTP1

/// Locks: list, attach, detach, operate.
package struct Devices: Sendable {
    let client: DoorwardClient

    /// A lock, and its JSON as the gateway wrote it.
    package struct Entry: Sendable, Equatable {
        /// The lock, with the fields that `Wire.Device` declares.
        package let lock: Wire.Device
        /// One JSON object.
        package let json: [UInt8]
    }

    /// Lists the locks that the caller may see, by name.
    ///
    /// - Parameter search: only those whose name contains this text; `nil` for all.
    package func list(
        propertyID: String? = nil, unitID: String? = nil, search: String? = nil
    ) -> Pages<Wire.Device> {
        let query = [("propertyId", propertyID), ("unitId", unitID), ("q", search), ("sortBy", "name")]
        return Pages(client: client, request: .get("devices", query: query))
    }

    /// Lists the discovered locks that the caller could attach, by name.
    package func discovered() -> Pages<Wire.DiscoveredDevice> {
        Pages(client: client, request: .get("devices", "discovered", query: [("sortBy", "name")]))
    }

    /// Fetches any one lock that the caller may see; `nil` if there are none.
    package func first() async throws -> Wire.Device? {
        try await client.send(.get("devices", query: [("limit", "1")]), as: Wire.Page<Wire.Device>.self).content.items.first
    }

    /// Fetches a lock, with the last state that the gateway received from it.
    package func device(_ id: String) async throws -> Response<Wire.DeviceAnswer> {
        try await client.send(.get("devices", id))
    }

    /// Fetches the known state of a lock, without querying the lock.
    package func status(_ id: String) async throws -> Response<Wire.DeviceStatusAnswer> {
        try await client.send(.get("devices", id, "status"))
    }

    /// Attaches a lock to the gateway.
    package func attach(_ device: Wire.NewDevice) async throws -> Response<Wire.DeviceAnswer> {
        try await client.send(.post("devices", body: device))
    }

    /// Detaches a lock from the gateway. Commands queued for it are denied.
    package func detach(_ id: String) async throws {
        try await client.perform(APIRequest(.DELETE, "devices", id))
    }

    /// Extends the bolt and waits for the lock's confirmation; see `move`.
    package func lock(_ id: String, _ options: Wire.CommandParameters = .init()) async throws -> Response<Wire.CommandAnswer> {
        try await move("lock", id, options)
    }

    /// Withdraws the bolt and waits for the lock's confirmation; see `move`.
    package func unlock(_ id: String, _ options: Wire.CommandParameters = .init()) async throws -> Response<Wire.CommandAnswer> {
        try await move("unlock", id, options)
    }

    /// Withdraws the latch, so that the door opens, and waits for the lock's confirmation; see `move`.
    package func unlatch(_ id: String, _ options: Wire.CommandParameters = .init()) async throws -> Response<Wire.CommandAnswer> {
        try await move("unlatch", id, options)
    }

    /// Milliseconds added to the command's timeout at the gateway, so that the gateway's response arrives before the call times out.
    private static let margin = 15_000

    /// Sends the command with an idempotency key. If the connection breaks, the command is sent once more with the same key, and
    /// the gateway returns the outcome of the first request. The lock moves at most once.
    ///
    /// - Throws: `ClientError.refused`, with the command, for every outcome except a confirmation.
    ///   After `.noResponse` it is unknown whether the lock has moved.
    private func move(_ word: String, _ id: String, _ options: Wire.CommandParameters) async throws -> Response<
        Wire.CommandAnswer
    > {
        var request = try APIRequest.post("devices", id, word, body: options)
        request.timeLimit = .milliseconds((options.timeoutMs ?? WireLimits.timeoutMs.upperBound) + Self.margin)
        return try await client.send(request)
    }
}

/// On the stream, the JSON of a lock has its members in the order of their names.
extension Devices.Entry: LiveNoun {
    /// The type in the stream.
    package static let streamType = StreamType.device
    /// The id of the lock.
    package var id: String { lock.id }

    package init(from decoder: any Decoder) throws {
        lock = try Wire.Device(from: decoder)
        json = try Self.encoded(Wire.Value(from: decoder))
    }

    package func encode(to encoder: any Encoder) throws {
        try JSONDecoder().decode(Wire.Value.self, from: Data(json)).encode(to: encoder)
    }

    /// The status of the lock: one JSON object with the members of a response about a lock's status.
    package var status: [UInt8] {
        get throws {
            guard case .object(var members) = try JSONDecoder().decode(Wire.Value.self, from: Data(json)) else { return [] }
            members = members.filter { Self.statusMembers.contains($0.key) }
            members["deviceId"] = .string(id)
            return try Self.encoded(.object(["status": .object(members)]))
        }
    }

    private static let statusMembers: Set<String> = [
        "state", "stateQuality", "stateAt", "doorState", "batteryLevel", "batteryLow", "isOnline", "lastSeen", "faults",
    ]

    private static func encoded(_ value: Wire.Value) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }
}

extension Response<[Wire.Device]> {
    /// The locks of the list, each with its JSON as the gateway wrote it.
    package var entries: [Devices.Entry] {
        let items = JSONScanner.items(of: JSONScanner.member("devices", of: json) ?? []) ?? []
        return zip(content, items).map { Devices.Entry(lock: $0, json: $1) }
    }
}

extension Response<Wire.DeviceAnswer> {
    /// The lock, with its JSON as the gateway wrote it.
    package var entry: Devices.Entry {
        Devices.Entry(lock: content.device, json: JSONScanner.member("device", of: json) ?? [])
    }
}

/// Commands to locks, and their outcomes.
package struct Commands: Sendable {
    let client: DoorwardClient

    /// Fetches a command: the caller's own, or one for a lock whose history the caller may read.
    package func command(_ id: String) async throws -> Response<Wire.CommandAnswer> {
        try await client.send(.get("commands", id))
    }

    /// Lists commands, newest first.
    package func list(deviceID: String? = nil) -> Pages<Wire.Command> {
        Pages(client: client, request: .get("commands", query: [("deviceId", deviceID), ("sortBy", "-createdAt")]))
    }
}
