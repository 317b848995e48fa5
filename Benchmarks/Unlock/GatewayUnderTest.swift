import AdapterSimulator
import BenchmarkFleet
import BenchmarkGateway
import DoorwardControl
import DoorwardDomain
import DoorwardHTTP
import DoorwardStore
import Foundation
import Logging

/// A whole gateway, composed like `doorward serve`: SQLite in a real file, the simulator, HTTP on a free loopback port.
struct GatewayUnderTest {
    let fleet: Fleet
    let control: GatewayControl
    let store: SQLiteStore
    let watch: WriterWatch
    let port: Int
    private let server: Task<Void, any Error>

    /// A low cost, because passwords are not measured.
    private static let passwordCost = 10

    static func start(folder: URL, fleet: Fleet) async throws -> GatewayUnderTest {
        let (clock, watch, logger) = (SystemClock(), WriterWatch(), quietLogger)
        let store = try SQLiteStore.open(
            path: folder.appendingPathComponent("gateway.db").path, clock: clock, logger: logger, hooks: watch.hooks)
        let hash = try await PasswordHasher(cost: passwordCost, random: RandomSource()).hash(Secret(Fleet.password))
        _ = try await store.commit(fleet.transaction(passwordHash: hash))
        var limits = GatewayControl.Limits()
        limits.passwordCost = passwordCost
        let control = GatewayControl(
            store: store, adapters: [SimulatorAdapter(clock: clock)], clock: clock, random: RandomSource(), limits: limits,
            logger: logger)
        try await control.start()
        var settings = HTTPSettings()
        settings.port = 0
        let (ports, opened) = AsyncStream.makeStream(of: Int.self)
        let server = try GatewayServer(
            control: control, settings: settings, tokenKey: try TokenKey(random: RandomSource()), simulator: nil, logger: logger,
            onServerRunning: { opened.yield($0) })
        let running = Task { try await server.run() }
        let port = await ports.first { _ in true } ?? 0
        return GatewayUnderTest(fleet: fleet, control: control, store: store, watch: watch, port: port, server: running)
    }

    /// Stops the server and closes the store.
    func stop() async {
        server.cancel()
        _ = await server.result
        await control.stop()
    }

    // MARK: Requests

    /// Signs in every tenant over HTTP.
    ///
    /// - Returns: for each tenant, the requests that unlock their devices.
    func unlocks(withIdempotencyKey: Bool = false) async throws -> [[String]] {
        var requests: [[String]] = []
        for tenant in fleet.tenants {
            let token = try await SignIn.token(email: tenant.user.email, password: Fleet.password, port: port)
            let key = withIdempotencyKey ? "Idempotency-Key: \(LoadPlan.numberMark)\r\n" : ""
            requests.append(
                tenant.devices.map { LoadPlan.order("unlock", $0, token: token, port: port, headers: key) })
        }
        return requests
    }
}

/// Logs only errors, because log lines about each connection are not measured.
var quietLogger: Logger {
    var logger = Logger(label: "benchmark") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .error
    return logger
}
