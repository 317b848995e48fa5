package import DoorwardControl
internal import Glibc
internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdTLS
package import Logging
internal import NIOCore
internal import NIOSSL
internal import Synchronization

/// The HTTP server of one gateway.
///
/// `run` has the form that `Service` of ServiceLifecycle requires: when the task is cancelled or the group shuts down, it
/// completes the responses in progress and returns.
package struct GatewayServer: Sendable {
    /// Distributes changes to the streams.
    private static let distribution = SeparateExecutor("stream.changes")

    private let services: @Sendable () async throws -> Services
    private let streams: LiveStreams
    private let settings: HTTPSettings
    let connections: ConnectionTable
    private let logger: Logger
    private let onServerRunning: @Sendable (Int) async -> Void
    /// The routes to serve; tests replace them.
    var routes: [Route]

    /// - Parameters:
    ///   - control: the use cases; started before `run` is called.
    ///   - tokenKey: signs access tokens; the keys of idempotency fingerprints and of cursors are derived from it.
    ///   - simulator: `nil` if there is no simulator adapter.
    ///   - metrics: the content of `/metrics`; `nil` if nothing is measured.
    ///   - demoSignIns: the links that sign in the people of a demo; `nil` for any other gateway, which has no route for them.
    ///   - onServerRunning: called with the port once connections are accepted.
    /// - Throws: if an entry of `settings.trustedProxies` is neither an address nor a range.
    package init(
        control: GatewayControl, settings: HTTPSettings, tokenKey: TokenKey, simulator: (any SimulatorControl)?,
        logger: Logger, metrics: MetricsPage? = nil, demoSignIns: DemoSignInLinks? = nil,
        onServerRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) throws {
        let connections = ConnectionTable(
            ConnectionLimits(settings), proxies: try TrustedProxies(settings.trustedProxies), clock: control.clock, logger: logger
        )
        self.connections = connections
        routes = RouteTable.routes + (demoSignIns.map(DemoSignInRoutes.all) ?? [])
        streams = control.streams
        (self.settings, self.logger, self.onServerRunning) = (settings, logger, onServerRunning)
        services = {
            try await Services(
                control: control, settings: settings, tokenKey: tokenKey, simulator: simulator, logger: logger, metrics: metrics,
                connections: connections)
        }
    }

    /// Serves until the task is cancelled or the group shuts down.
    ///
    /// - Throws: `ListenFailure` if the address cannot be bound; another error if the TLS files cannot be read.
    package func run() async throws {
        let services = try await services()
        let renewal = settings.tls.map { CertificateRenewal($0, clock: services.control.clock, logger: logger) }
        let application = Application(
            responder: RouteTable.responder(services, routes: routes), server: try transport(renewal),
            configuration: ApplicationConfiguration(
                address: .hostname(settings.host, port: settings.port), serverName: nil,
                availableConnectionsDelegate: DescriptorBound(connections.limits)),
            onServerRunning: { [connections, onServerRunning, logger] channel in
                do {
                    try await channel.eventLoop.submit {
                        let pipeline = channel.pipeline.syncOperations
                        try pipeline.addHandler(AcceptPauseHandler(connections, logger), position: .first)
                        // SwiftNIO gives this name to the handler that sets up accepted connections and reports failed ones.
                        let accept = try pipeline.context(name: "AcceptHandler")
                        try pipeline.addHandler(AcceptErrorHandler(logger), position: .after(accept.handler))
                        // Accept one connection for each call of the handler's `read`.
                        try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
                    }.get()
                } catch ChannelError.ioOnClosedChannel {
                    // The server was stopped before it accepted a connection.
                } catch {
                    // The server continues without these handlers: normally the limit on connections makes both unnecessary.
                    logger.error("accepting is not guarded against failures", metadata: ["error": "\(error)"])
                }
                let port = channel.localAddress?.port ?? 0
                services.port.store(port, ordering: .relaxed)
                await onServerRunning(port)
            },
            logger: Logger(label: logger.label) { _ in DeferredLogHandler(logger) })
        let timekeeper = Task { [connections] in await connections.enforceTimeLimits() }
        let streaming = Task(executorPreference: Self.distribution) { [streams] in await streams.run() }
        let renewing = renewal.map { renewal in Task(executorPreference: CertificateRenewal.executor) { await renewal.run() } }
        defer {
            renewing?.cancel()
            timekeeper.cancel()
            streaming.cancel()
        }
        do {
            try await application.run()
        } catch {
            throw ListenFailure(error, host: settings.host, port: settings.port) ?? error
        }
    }

    private func transport(_ renewal: CertificateRenewal?) throws -> HTTPServerBuilder {
        let plain = HTTPServerBuilder { [connections] responder in
            LimitedHTTPChannel(
                base: HTTP1Channel(responder: responder, configuration: Self.channelConfiguration()), table: connections)
        }
        guard let renewal else { return plain }
        return try .tls(plain, tlsConfiguration: try renewal.configuration())
    }

    static func channelConfiguration() -> HTTP1Channel.Configuration {
        .init(
            additionalChannelHandlers: [DisconnectionHandler()],
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: HTTPSettings.maxHeaderBytes, maxHeaderListSize: HTTPSettings.maxHeaderListBytes,
                maxHeaderFieldCount: HTTPSettings.maxHeaders))
    }
}

/// Why the gateway cannot listen on its address, in one sentence with the next step.
package struct ListenFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The sentence, with the host or the port, and without a full stop.
    package let description: String

    /// - Returns: `nil` for an error that has nothing to do with the address.
    init?(_ error: any Error, host: String, port: Int) {
        switch error {
        case is SocketAddressError.UnknownHost:
            description = "the name `\(host)` has no address on this machine; choose another http.host"
        case let error as IOError:
            guard let sentence = Self.sentence(error.errnoCode, host, port) else { return nil }
            description = sentence
        default: return nil
        }
    }

    private static func sentence(_ code: Int32, _ host: String, _ port: Int) -> String? {
        switch code {
        case EADDRINUSE:
            "port \(port) of \(host) is taken by another program, which `ss -ltnp 'sport = :\(port)'` shows; stop it, or choose "
                + "another port, 0 for any free one (http.port; --port for the demo)"
        case EACCES, EPERM:
            "this user may not listen on port \(port) of \(host); choose an http.port from 1024, or give the program the right "
                + "CAP_NET_BIND_SERVICE (AmbientCapabilities= of a systemd unit)"
        case EADDRNOTAVAIL:
            "this machine does not have the address \(host); choose one that `ip address` shows as http.host"
        case EAFNOSUPPORT: "this machine does not support addresses such as \(host); choose another http.host"
        default: nil
        }
    }
}
