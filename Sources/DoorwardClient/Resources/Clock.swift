package import DoorwardAPI

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
