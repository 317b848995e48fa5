import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardHTTP
import DoorwardStore
import Logging
import Metrics
import ServiceLifecycle

/// One gateway: the store, the use cases, the adapters and the HTTP server. `run` runs the gateway until it is stopped.
struct Gateway: Service {
    let control: GatewayControl
    /// The adapters in the order of `ShippedAdapters`.
    let adapters: [any LockAdapter]
    private let store: SQLiteStore
    private let server: GatewayServer
    private let backups: ScheduledBackups?
    private let address: String
    private let logger: Logger

    /// How long a lock may take to confirm a command that was sent before the stop was requested.
    private static let gracePeriod = Duration.seconds(10)

    /// Opens the store and creates everything that uses it. Nothing is sent, and no port is opened yet.
    ///
    /// - Parameters:
    ///   - demoSignIns: the links that sign in the people of a demo; `nil` for any other gateway.
    ///   - onListening: called with the address once connections are accepted: `http://127.0.0.1:8080`.
    ///   - onSetup: called after `onListening` with the address of the set-up page, if there is no super admin; `nil` for a gateway that
    ///     offers no set-up.
    /// - Throws: one of the errors that `CommandFailure` has words for.
    static func open(
        _ configuration: GatewayConfiguration, logger: Logger, demoSignIns: DemoSignInLinks? = nil,
        onListening: @escaping @Sendable (String) -> Void, onSetup: (@Sendable (Secret<String>) -> Void)? = nil
    ) async throws -> Gateway {
        try configuration.checkTLSFiles()
        var settings = configuration.http
        settings.adapterKinds = ShippedAdapters.kinds
        settings.purchaseVerifier = try configuration.purchaseVerifier()
        settings.metricsToken = try configuration.metricsToken()
        let clock = SystemClock()
        let metrics = PrometheusMetrics()
        let store = try configuration.openStore(clock: clock, logger: logger, metrics: metrics)
        do {
            let random = RandomSource()
            let storeGuard = StoreGuard(store: store, logger: logger)
            let tokenKey = try TokenKey(
                rawRepresentation: try await SigningKeyFile.accessTokens(configuration).seed(knownTo: storeGuard, random: random))
            let audit = try await AuditSetup.open(configuration, storeGuard, random: random)
            let adapters = try ConfiguredAdapters(configuration).make(AdapterEnvironment(clock: clock, random: random))
            let control = GatewayControl(
                store: store, adapters: adapters, clock: clock, random: random,
                lockCodeKey: tokenKey.derivedBytes(for: "doorward/lock-codes/1"),
                limits: configuration.limits, audit: audit, logger: logger, version: DoorwardCommand.version, metrics: metrics,
                synchronisedTime: SystemClock.synchronisedTime)
            let backups = configuration.scheduledBackups(of: control, logger: logger, metrics: metrics)
            let page = MetricsPage(
                metrics, version: DoorwardCommand.version,
                samplers: [{ control.sampleMetrics() }, { await store.sampleMetrics() }, { backups?.sampleMetrics() }])
            let server = try GatewayServer(
                control: control, settings: settings, tokenKey: tokenKey,
                simulator: adapters.lazy.compactMap { $0 as? any SimulatorControl }.first,
                logger: logger, metrics: page, demoSignIns: demoSignIns,
                onServerRunning: { [settings] port in
                    let address = settings.ownAddress(port: port)
                    onListening(address)
                    guard let onSetup, let offer = control.setup.offer() else { return }
                    onSetup(offer.url(under: settings.publicURL ?? address))
                })
            return Gateway(
                control: control, adapters: adapters, store: store, server: server, backups: backups,
                address: settings.ownAddress(), logger: logger)
        } catch {
            try? await store.close()
            throw error
        }
    }

    /// Recovers the commands that an earlier process left open, and serves until a graceful
    /// shutdown. It then stops in this order: queued commands are ended, commands already sent get
    /// time for their confirmation, and all requests are answered before the store closes.
    ///
    /// - Throws: one of the errors that `CommandFailure` has words for.
    func run() async throws {
        do {
            try await control.start()
        } catch let error as RollbackError {
            await control.stop()
            throw error
        } catch {
            let reason = await cancelWhenGracefulShutdown { () async -> String in await self.reason(of: error) }
            await control.stop()
            throw CommandFailure("the gateway could not start: \(reason)")
        }
        let clockWatch = Task { await control.clockWatch.run() }
        defer { clockWatch.cancel() }
        let retention = Task { await control.logRetention.run() }
        // A stop ends a backup: the store stops the copy when it closes, and the next start removes what was written.
        let backingUp = Task { await backups?.run() }
        let ending: Result<Void, any Error>
        do {
            try await serve()
            ending = .success(())
        } catch {
            ending = .failure(error as? ListenFailure ?? CommandFailure("the HTTP server at \(address) failed: \(error)"))
        }
        backingUp.cancel()
        retention.cancel()
        await retention.value
        await control.stop(gracePeriod: Self.gracePeriod)
        try ending.get()
    }

    /// The reason why the gateway did not start, with the place of a value that it cannot read if it was reading the database.
    private func reason(of error: any Error) async -> String {
        var reasons: [String] = []
        switch error {
        case StoreError.failed(let reason): reasons.append(reason)
        case GatewayError.unavailable: break
        case is GatewayError, is StoreError: reasons.append("\(error)")
        default: return "\(error)"
        }
        if let damage = await store.damage() {
            reasons.append("the database is damaged: \(damage) Restore a backup; `doorward store check` checks the whole file")
        }
        return reasons.isEmpty ? "the database could not be read" : reasons.joined(separator: "; ")
    }

    private func serve() async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { try await server.run() }
            group.addTask {
                try? await gracefulShutdown()
                // The server waits for responses in progress; end the streams now, because their responses would not end otherwise.
                control.streams.stop()
                await control.locks.stop(gracePeriod: Self.gracePeriod)
            }
            try await group.next()
            // If one of the two tasks ends, the other must end too: without a server no command can be requested. In a graceful
            // shutdown nothing is cancelled, so that the server can send the last responses.
            if !Task.isShuttingDownGracefully { group.cancelAll() }
            try await group.waitForAll()
        }
    }
}

extension GatewayConfiguration {
    /// Opens the store. No other process may have it open.
    func openStore(
        clock: any GatewayClock, logger: Logger, metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) throws(StoreOpenError) -> SQLiteStore {
        try SQLiteStore.open(path: store.path, personKeyFile: personKeyPath, clock: clock, logger: logger, metrics: metrics)
    }

    /// Opens the store of a stopped gateway for `body`, and closes it.
    func withStore<Result>(clock: any GatewayClock, _ body: (SQLiteStore) async throws -> Result) async throws -> Result {
        let store = try openStore(clock: clock, logger: .errorsOnly)
        do {
            let result = try await body(store)
            try await store.close()
            return result
        } catch {
            try? await store.close()
            throw error
        }
    }
}
