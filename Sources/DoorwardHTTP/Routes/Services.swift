internal import Crypto
internal import DoorwardControl
internal import DoorwardDomain
internal import Logging
internal import Metrics
internal import Synchronization

/// The services that every route uses. A class, so that each request retains one reference to it.
final class Services: Sendable {
    let control: GatewayControl
    let tokens: AccessTokens
    let authenticator: Authenticator
    let repeats: IdempotencyKeys
    let cursors: Cursors
    let guestNonces: GuestNonces
    let streamPositions: StreamPositions
    /// The memory of the responses that are being sent.
    let responseMemory = ResponseMemory()
    let runningBulks = RunningBulks()
    /// The document of the API.
    let document = ServedDocument()
    let simulator: (any SimulatorControl)?
    /// The values of a device's `adapter`.
    let adapterKinds: [String]
    /// The digest of the token that reads `/metrics`; `nil` for none.
    let metricsToken: SHA256Digest?
    let proxies: TrustedProxies
    let connections: ConnectionTable
    /// The URL with which links begin: the configured one, or the address that the server listens on.
    var publicURL: String { settings.publicURL ?? settings.ownAddress(port: port.load(ordering: .relaxed)) }
    /// The port that the server listens on; the configured one, which can be 0, before the server listens.
    let port: Atomic<Int>
    let settings: HTTPSettings
    let logger: Logger
    /// `nil` if nothing is measured.
    let metrics: MetricsPage?

    /// The registry in which the routes record metrics.
    var metricsFactory: any MetricsFactory { metrics?.metrics ?? NOOPMetricsHandler.instance }

    init(
        control: GatewayControl, settings: HTTPSettings, tokenKey: TokenKey, simulator: (any SimulatorControl)?, logger: Logger,
        metrics: MetricsPage? = nil, connections: ConnectionTable? = nil
    ) async throws {
        self.metrics = metrics
        (self.control, self.simulator, self.logger) = (control, simulator, logger)
        self.settings = settings
        port = Atomic(settings.port)
        adapterKinds = settings.adapterKinds ?? control.adapters.kinds
        metricsToken = settings.metricsToken.map { SHA256.hash(data: Array($0.reveal().utf8)) }
        tokens = await AccessTokens(
            key: tokenKey, issuer: settings.gatewayName, lifetime: settings.accessTokenLifetime,
            random: control.random)
        authenticator = Authenticator(control: control, tokens: tokens)
        repeats = IdempotencyKeys(key: tokenKey.derivedKey(for: "doorward/idempotency/1"))
        cursors = Cursors(key: tokenKey.derivedKey(for: "doorward/cursor/2"), random: control.random)
        streamPositions = StreamPositions(key: tokenKey.derivedKey(for: "doorward/stream/1"), random: control.random)
        guestNonces = GuestNonces(key: tokenKey.derivedKey(for: "doorward/guest-nonce/1"), random: control.random)
        proxies = try TrustedProxies(settings.trustedProxies)
        self.connections =
            connections ?? ConnectionTable(ConnectionLimits(settings), proxies: proxies, clock: control.clock, logger: logger)
    }
}

extension StringProtocol {
    /// The host of an authority (RFC 3986, section 3.2): in small letters, without the port and the brackets of an IPv6 address.
    /// `nil` if a bracket is not closed, or if anything but a port follows it.
    var hostOfAuthority: String? {
        guard hasPrefix("[") else { return prefix { $0 != ":" }.lowercased() }
        let parts = dropFirst().split(separator: "]", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].isEmpty || parts[1].hasPrefix(":") else { return nil }
        return parts[0].lowercased()
    }
}
