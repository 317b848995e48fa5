internal import NIOHTTP1

extension DoorwardClient {
    /// Lists all adapters with their health, sorted by kind. Only super admins may do this.
    package func adapters() async throws -> Response<[Doorward.Adapter]> {
        try await send(.get("adapters"), member: "adapters")
    }

    /// Reads whether the clock is trusted.
    package func clock() async throws -> Response<Doorward.ClockState> { try await send(.get("clock"), member: "clock") }

    /// Confirms that the clock shows the right time.
    ///
    /// - Parameter loweringMark: whether the latest trusted time is lowered to the clock's if it is later.
    package func acceptClock(loweringMark: Bool) async throws -> Response<Doorward.ClockState> {
        try await send(.post("clock", "accept", body: ["lowerMark": loweringMark]), member: "clock")
    }

    /// Triggers an event at a simulated lock.
    ///
    /// - Parameter event: an event name of the simulator, such as `jam`.
    package func trigger(_ event: String, on deviceID: String) async throws -> Response<Doorward.LockDevice> {
        // Without an idempotency key: the gateway does not store responses of this request.
        let request = try APIRequest(.POST, ["simulator", "devices", deviceID, "events"], body: ["event": event])
        return try await send(request, member: "device")
    }

    /// Time limit of a backup, enough for a big database.
    private static let backupTimeLimit = Duration.seconds(3600)

    /// Makes the gateway write a copy of its database while it keeps running.
    ///
    /// - Parameter file: an absolute path on the gateway's host; the file must not exist yet.
    package func backUp(to file: String) async throws -> Response<Doorward.Backup> {
        // Without an idempotency key: a repeated request would fail, as the first one may have created the file.
        var request = try APIRequest(.POST, ["store", "backup"], body: ["file": file])
        request.timeLimit = Self.backupTimeLimit
        return try await send(request, member: "backup")
    }

    /// Decides an operation without doing it. A denial is a decision, not an error.
    ///
    /// - Parameters:
    ///   - userID: the person who would perform it; `nil` for the caller.
    ///   - instant: the time, not in the past; `nil` for now.
    package func decide(
        _ operation: Doorward.Action, on deviceID: String, by userID: String? = nil, at instant: String? = nil
    ) async throws -> Response<Doorward.Decision> {
        let body = ["deviceId": deviceID, "operation": operation.rawValue, "userId": userID, "at": instant]
        return try await send(APIRequest(.POST, ["authorize"], body: body.compactMapValues(\.self)), member: "decision")
    }

    /// Lists everyone who may perform an operation on a lock, by name.
    ///
    /// - Parameter instant: the time of the operation, not in the past; `nil` for now.
    package func whoCan(
        _ operation: Doorward.Action, on deviceID: String, at instant: String? = nil
    ) -> Pages<Doorward.PermittedPrincipal> {
        Pages(
            client: self, path: ["devices", deviceID, "who-can"],
            query: [("operation", operation.rawValue), ("at", instant), ("sortBy", "name")])
    }
}
