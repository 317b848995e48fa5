import BenchmarkFleet
import BenchmarkGateway
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardStore
import Foundation
import Logging

/// A database with attached locks of one broker, and the configuration with that broker.
struct GatewayFixture {
    /// The name of the broker in addresses and in the configuration.
    static let brokerName = "measured"
    static let operatorEmail = "operator@example.org"
    private static let passwordCost = 14
    private static let changesPerTransaction = 5_000

    let fleet: Fleet
    let database: String
    let configuration: String

    /// Writes the database and the configuration into `folder`.
    ///
    /// - Parameter discovery: the configured discovery of the broker; `nil` for none.
    static func write(_ fleet: Fleet, folder: URL, brokerPort: Int, discovery: String? = nil) async throws -> GatewayFixture {
        let fixture = GatewayFixture(
            fleet: fleet, database: folder.appendingPathComponent("gateway.db").path,
            configuration: folder.appendingPathComponent("doorward.yaml").path)
        let lines =
            ["mqtt:", "  - name: \(brokerName)", "    url: mqtt://127.0.0.1:\(brokerPort)"]
            + (discovery.map { ["    profiles: [\($0)]", "    discovery: true"] } ?? [])
        try (lines.joined(separator: "\n") + "\n").write(toFile: fixture.configuration, atomically: true, encoding: .utf8)
        try await fixture.writeTenancy()
        return fixture
    }

    func serve() throws -> ServedGateway { try ServedGateway.start(database: database, configuration: configuration) }

    private func writeTenancy() async throws {
        let store = try SQLiteStore.open(path: database, clock: SystemClock(), logger: Logger(label: "benchmark"))
        let (random, now) = (RandomSource(), SystemClock().now())
        let hash = try await PasswordHasher(cost: Self.passwordCost, random: random).hash(Secret(Fleet.password))
        // The user who may read the number of available locks.
        let gatewayOperator = User(
            id: random.id(at: now), email: Self.operatorEmail, firstName: "Otto", lastName: "Operator", isSuperAdmin: true,
            createdAt: now, updatedAt: now)
        let changes = fleet.changes + [.putUser(gatewayOperator)]
        for first in stride(from: 0, to: changes.count, by: Self.changesPerTransaction) {
            let some = changes[first..<min(changes.count, first + Self.changesPerTransaction)]
            _ = try await store.commit(StoreTransaction(changes: Array(some)))
        }
        let people = [gatewayOperator] + fleet.tenants.map(\.user)
        _ = try await store.commit(StoreTransaction(credentials: people.map { .setPassword($0.id, hash: hash) }))
        try await store.close()
    }

    /// Signs some tenants in, and returns their requests.
    ///
    /// - Parameter commands: `unlock` and `lock`. Each command is sent to all devices of a tenant before the next command.
    /// - Returns: the requests of each tenant.
    func commandRequests(_ commands: [String], tenants: Int, on gateway: ServedGateway) async throws -> [[String]] {
        var requests: [[String]] = []
        for tenant in fleet.tenants.prefix(tenants) {
            let token = try await SignIn.token(email: tenant.user.email, password: Fleet.password, port: gateway.port)
            requests.append(
                commands.flatMap { command in
                    tenant.devices.map { LoadPlan.order(command, $0, token: token, port: gateway.port) }
                })
        }
        return requests
    }
}
