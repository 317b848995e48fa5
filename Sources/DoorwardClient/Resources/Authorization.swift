package import DoorwardAPI
internal import NIOHTTP1

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
