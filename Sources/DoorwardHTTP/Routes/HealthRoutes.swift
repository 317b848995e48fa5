internal import DoorwardControl
internal import HTTPTypes

/// Whether the process lives and whether it can serve. Outside `/api/v1`, for whoever keeps it running.
enum HealthRoutes {
    static let all: [Route] = [
        .open(.get, "/healthz", health),
        .open(.get, "/readyz", readiness),
    ]

    private static func health(_ call: OpenCall) -> Answer {
        .success { $0.field("alive", true) }
    }

    /// Ready while the store can write and the adapters have been started.
    private static func readiness(_ call: OpenCall) async throws(GatewayError) -> Answer {
        guard await call.control.isReadyToServe else { throw .unavailable }
        return .success { $0.field("ready", true) }
    }
}
