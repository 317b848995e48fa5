package import DoorwardAPI
internal import NIOHTTP1

/// The gateway's adapters, one for each kind of lock.
package struct Adapters: Sendable {
    let client: DoorwardClient

    /// Lists all adapters with their health, sorted by kind. Only super admins may do this.
    package func list() async throws -> Response<Wire.AdaptersAnswer> { try await client.send(.get("adapters")) }
}

/// The gateway's clock. Only super admins may read and accept it.
package struct Clock: Sendable {
    let client: DoorwardClient

    /// Reads whether the clock is trusted.
    package func status() async throws -> Response<Wire.ClockAnswer> { try await client.send(.get("clock")) }

    /// Confirms that the clock shows the right time.
    ///
    /// - Parameter loweringMark: whether the latest trusted time is lowered to the clock's if it is later.
    package func accept(loweringMark: Bool) async throws -> Response<Wire.ClockAnswer> {
        try await client.send(.post("clock", "accept", body: ["lowerMark": loweringMark]))
    }
}

/// Events of simulated locks.
package struct Simulator: Sendable {
    let client: DoorwardClient

    /// Triggers an event at a simulated lock.
    ///
    /// - Parameter event: an event name of the simulator, such as `jam`.
    package func trigger(_ event: String, on deviceID: String) async throws -> Response<Wire.DeviceAnswer> {
        var request = try APIRequest.post("simulator", "devices", deviceID, "events", body: ["event": event])
        // The gateway does not store responses of this request.
        request.idempotencyKey = nil
        return try await client.send(request)
    }
}

/// The gateway's database.
package struct Store: Sendable {
    let client: DoorwardClient

    /// Time limit of a backup, enough for a big database.
    private static let backupTimeLimit = Duration.seconds(3600)

    /// Makes the gateway write a copy of its database while it keeps running.
    ///
    /// - Parameter file: an absolute path on the gateway's host; the file must not exist yet.
    package func backUp(to file: String) async throws -> Response<Wire.BackupAnswer> {
        var request = try APIRequest.post("store", "backup", body: ["file": file])
        // A repeated request would fail, as the first one may have created the file.
        request.idempotencyKey = nil
        request.timeLimit = Self.backupTimeLimit
        return try await client.send(request)
    }
}

/// Who may do what to a lock. Nothing is done and nothing is recorded.
package struct Authorization: Sendable {
    let client: DoorwardClient

    /// Decides an operation without doing it. A denial is a decision, not an error.
    package func decide(_ request: Wire.AuthorizationRequest) async throws -> Response<Wire.AuthorizationAnswer> {
        try await client.send(APIRequest(.POST, parts: ["authorize"], body: request))
    }

    /// Decides each operation of the caller on a lock.
    package func permissions(on deviceID: String) async throws -> Response<Wire.PermissionsAnswer> {
        try await client.send(.get("devices", deviceID, "permissions"))
    }

    /// Lists everyone who may perform an operation on a lock, by name.
    ///
    /// - Parameter instant: the time of the operation, not in the past; `nil` for now.
    package func whoCan(
        _ operation: String, on deviceID: String, at instant: String? = nil
    ) -> Pages<Wire.PermittedPrincipal> {
        Pages(
            client: client,
            request: .get("devices", deviceID, "who-can", query: [("operation", operation), ("at", instant), ("sortBy", "name")]))
    }
}
