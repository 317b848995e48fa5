internal import Crypto
internal import DoorwardControl
internal import Logging
internal import Metrics

/// What every route works with. A class, so that each request counts one reference to it.
final class Services: Sendable {
    let control: GatewayControl
    let tokens: AccessTokens
    let authenticator: Authenticator
    let repeats: Repeats
    let cursors: Cursors
    /// Of the responses that are being sent.
    let responseMemory = ResponseMemory()
    let simulator: (any SimulatorControl)?
    /// What a command has until its deadline when the request does not say.
    let commandTimeout: Duration
    let proxies: TrustedProxies
    let connections: ConnectionTable
    /// What links begin with.
    let publicURL: String
    let logger: Logger
    /// `nil` where nothing is measured.
    let metrics: MetricsPage?

    /// Where the routes record.
    var metricsFactory: any MetricsFactory { metrics?.metrics ?? NOOPMetricsHandler.instance }

    init(
        control: GatewayControl, settings: HTTPSettings, tokenKey: TokenKey, simulator: (any SimulatorControl)?, logger: Logger,
        metrics: MetricsPage? = nil, connections: ConnectionTable? = nil
    ) async throws {
        self.metrics = metrics
        (self.control, self.simulator, self.logger) = (control, simulator, logger)
        publicURL = settings.publicURL ?? settings.ownAddress(port: settings.port)
        commandTimeout = settings.commandTimeout
        tokens = await AccessTokens(
            key: tokenKey, issuer: settings.tokenIssuer, lifetime: settings.accessTokenLifetime,
            random: control.random)
        authenticator = Authenticator(control: control, tokens: tokens)
        repeats = Repeats(key: tokenKey.derivedKey(for: "doorward/idempotency/1"))
        cursors = Cursors(key: tokenKey.derivedKey(for: "doorward/cursor/2"))
        proxies = try TrustedProxies(settings.trustedProxies)
        self.connections =
            connections ?? ConnectionTable(ConnectionLimits(settings), proxies: proxies, clock: control.clock, logger: logger)
    }
}
