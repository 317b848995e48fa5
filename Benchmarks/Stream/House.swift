import BenchmarkFleet
import BenchmarkGateway
import BenchmarkSupport
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardStore
import Foundation
import Logging

/// A database with two portfolios. In the first, all residents of a house see its front door beside the locks of their own unit.
struct House {
    private static let ownerEmail = "owner@example.org"
    private static let passwordCost = 14

    let folder: URL
    let fleet: Fleet
    let frontDoor: LockDevice
    private let owner: User
    private let random = RandomSource()

    private var path: String { folder.appendingPathComponent("doorward.db").path }
    private var configuration: String { folder.appendingPathComponent("doorward.yaml").path }

    /// - Parameter residents: the tenants of the house, and also of each other portfolio.
    init(folder: URL, residents: Int, portfolios: Int = 2, devicesPerUnit: Int = 2) throws {
        self.folder = folder
        fleet = Fleet(portfolios: portfolios, unitsPerPortfolio: residents, devicesPerUnit: devicesPerUnit)
        let now = SystemClock().now()
        guard let first = fleet.devices.first else { throw Failure.noDevices }
        frontDoor = LockDevice(
            id: random.id(at: now), name: "Front door", adapter: first.adapter, address: first.address,
            portfolioID: first.portfolioID, propertyID: first.propertyID, capabilities: .all, createdAt: now, updatedAt: now)
        owner = User(
            id: random.id(at: now), email: Self.ownerEmail, firstName: "Olga", lastName: "Owner", createdAt: now, updatedAt: now)
    }

    enum Failure: Error { case noDevices }

    /// Creates the database, and a configuration file with the limits that an operator sets for this number of streams.
    func write() async throws {
        try """
        http:
          maxConnections: 8192
          maxConnectionsPerAddress: 8192
        auth:
          accessTokenMinutes: 600
          passwordCost: \(Self.passwordCost)
        """.write(toFile: configuration, atomically: true, encoding: .utf8)
        let store = try SQLiteStore.open(path: path, clock: SystemClock(), logger: Logger(label: "stream"))
        var changes: [TenancyChange] = []
        for change in fleet.changes {
            switch change {
            case .putUnit(var unit):
                if unit.portfolioID == frontDoor.portfolioID { unit.commonAreaAccessIDs = [frontDoor.id] }
                changes.append(.putUnit(unit))
            default: changes.append(change)
            }
            if case .putProperty(let property) = change, property.id == frontDoor.propertyID {
                changes.append(.putDevice(frontDoor))
            }
        }
        changes += fleet.ownership(of: owner)
        for start in stride(from: 0, to: changes.count, by: 5_000) {
            _ = try await store.commit(StoreTransaction(changes: Array(changes[start..<min(changes.count, start + 5_000)])))
        }
        let hash = try await PasswordHasher(cost: Self.passwordCost, random: random).hash(Secret(Fleet.password))
        let users = fleet.tenants.prefix(10_000).map(\.user) + [owner]
        _ = try await store.commit(StoreTransaction(credentials: users.map { .setPassword($0.id, hash: hash) }))
        try await store.close()
    }

    func start() throws -> ServedGateway { try ServedGateway.start(database: path, configuration: configuration) }

    /// The access tokens that the benchmarks use. They are valid after a restart of the gateway, too.
    struct Tokens {
        var owner = ""
        /// Those of the house's residents.
        var residents: [String] = []
        /// Those of the first tenants of the other portfolio.
        var others: [String] = []
    }

    /// Signs in the owner and these numbers of tenants.
    func signIn(residents: Int, others: Int, to gateway: ServedGateway) async throws -> Tokens {
        func token(_ email: String) async throws -> String {
            try await SignIn.token(email: email, password: Fleet.password, port: gateway.port)
        }
        var tokens = Tokens(owner: try await token(Self.ownerEmail))
        for tenant in fleet.tenants.prefix(residents) { tokens.residents.append(try await token(tenant.user.email)) }
        for tenant in otherTenants.prefix(others) { tokens.others.append(try await token(tenant.user.email)) }
        return tokens
    }

    /// The tenants of the second portfolio.
    var otherTenants: ArraySlice<Fleet.Tenant> { fleet.tenants.dropFirst(fleet.tenants.count / 2) }
}
