package import DoorwardAPI

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
