package import DoorwardAPI

/// What can be made to happen to simulated locks.
package struct Simulator: Sendable {
    let client: DoorwardClient

    /// - Parameter event: a word of the simulator, such as `jam`.
    package func trigger(_ event: String, on deviceID: String) async throws -> Answer<Wire.DeviceAnswer> {
        var call = try Call.post("simulator", "devices", deviceID, "events", body: ["event": event])
        // No call that the gateway remembers.
        call.idempotencyKey = nil
        return try await client.answer(call)
    }
}
