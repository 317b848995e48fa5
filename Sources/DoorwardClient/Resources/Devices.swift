internal import DoorwardAPI
internal import FoundationEssentials
internal import NIOHTTP1

/// Locks: attach, detach, operate.
extension Resource<Doorward.LockDevice> {
    /// Lists the discovered locks that the caller could attach, by name.
    package func discovered() -> Pages<Doorward.DiscoveredDevice> {
        Pages(client: client, path: ["devices", "discovered"], query: [("sortBy", "name")])
    }

    /// Fetches any one lock that the caller may see; `nil` if there are none.
    package func first() async throws -> Doorward.LockDevice? {
        try await client.send(.get("devices", query: [("limit", "1")]), as: Page<Doorward.LockDevice>.self).content.items.first
    }

    /// Fetches the JSON of the known state of a lock, without querying the lock: `{"status":{…}}`.
    package func status(_ id: String) async throws -> [UInt8] {
        try await client.send(.get("devices", id, "status"), as: Doorward.JSONValue.self).json
    }

    /// Detaches a lock from the gateway. Commands queued for it are denied.
    package func detach(_ id: String) async throws { try await deletion(of: id).perform() }

    /// Milliseconds added to the command's timeout at the gateway, so that the gateway's response arrives before the call times out.
    private static var margin: Int { 15_000 }

    /// Sends a command and waits for the lock's confirmation. The command has an idempotency key: if the connection breaks, it is sent
    /// once more with the same key, and the gateway returns the outcome of the first request. The lock moves at most once.
    ///
    /// - Parameter action: `lock`, `unlock` or `unlatch`.
    /// - Throws: `ClientError.refused`, with the command, for every outcome except a confirmation.
    ///   After `.noResponse` it is unknown whether the lock has moved.
    package func move(
        _ action: Doorward.Action, _ id: String, _ options: Doorward.CommandParameters = .init()
    ) async throws -> Response<Doorward.EndedCommand> {
        var request = try APIRequest.post("devices", id, action.rawValue.lowercased(), body: options)
        request.timeLimit = .milliseconds((options.timeoutMs ?? WireLimits.timeoutMs.upperBound) + Self.margin)
        return try await client.send(request)
    }
}

extension Verbatim<Doorward.LockDevice> {
    /// The status of the lock: one JSON object with the members of a response about a lock's status.
    package var status: [UInt8] {
        get throws {
            guard case .object(var members)? = Doorward.JSONValue(json: String(decoding: json, as: UTF8.self)) else { return [] }
            members = members.filter { Self.statusMembers.contains($0.key) }
            members["deviceId"] = .string(id)
            return try Doorward.JSONValue.object(["status": .object(members)]).sortedJSON()
        }
    }

    private static var statusMembers: Set<String> {
        ["state", "stateQuality", "stateAt", "doorState", "batteryLevel", "batteryLow", "isOnline", "lastSeen", "faults"]
    }
}

/// Guest accesses and their validity.
extension Resource<Doorward.GuestAccess> {
    /// Fetches the locks of a guest access by name, even if its window has not begun: before that, no list of locks shows them to the
    /// guest.
    package func locks(of id: String) async throws -> [Doorward.NamedLock] {
        try await client.send(.get("guest-access", id, query: [("deviceNames", "true")]), member: "devices").content
    }

    /// Creates the link of a guest access; an earlier one ends.
    package func createLink(of id: String) async throws -> Response<Doorward.GuestLink> {
        try await client.send(APIRequest(.POST, "guest-access", id, "link"), member: "link")
    }

    /// Ends the link of a guest access. When this returns, the gateway sends no more commands of its holder.
    package func endLink(of id: String) async throws {
        try await client.perform(APIRequest(.DELETE, "guest-access", id, "link"))
    }
}

extension Response<Doorward.GuestAccess> {
    /// After a change, a sentence if the link of the access has ended with it.
    package var warning: String? {
        JSONScanner.member("warning", of: json).flatMap { try? JSONDecoder().decode(String.self, from: Data($0)) }
    }
}
