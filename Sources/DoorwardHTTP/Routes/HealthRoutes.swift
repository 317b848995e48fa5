internal import DoorwardControl
internal import HTTPTypes

/// Liveness and readiness of the process, for monitoring. The paths are outside `/api/v1`.
enum HealthRoutes {
    static let all: [Route] = [
        .open(.get, "/healthz", health),
        .open(.get, "/readyz", readiness),
    ]

    private static func health(_ call: OpenCall) -> APIResponse {
        .success { $0.field("alive", true) }
    }

    /// Reports the gateway as ready while the store can write and the adapters have been started.
    private static func readiness(_ call: OpenCall) async throws(GatewayError) -> APIResponse {
        guard await call.control.isReadyToServe else { throw .unavailable }
        return .success { $0.field("ready", true) }
    }
}
