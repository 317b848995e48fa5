import BenchmarkFleet
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardStore
import Foundation
import Logging
import NIOHTTP1

/// A database with two portfolios, each with commands and their records for every lock. The callers
/// belong to the first portfolio, and the requested ids to the second.
struct TwoPortfolios {
    private static let commandsPerDevice = 50

    let path: String
    private let fleet = Fleet(portfolios: 2)
    private let owner: User
    private let commands: [Command]
    private let random = RandomSource()

    init(path: String) {
        self.path = path
        let (random, now) = (RandomSource(), SystemClock().now())
        owner = User(
            id: random.id(at: now), email: "owner@example.org", firstName: "Olga", lastName: "Owner", createdAt: now,
            updatedAt: now)
        commands = fleet.tenants.flatMap { tenant in
            tenant.devices.flatMap { device in
                (0..<Self.commandsPerDevice).map { _ in
                    Command(
                        id: random.id(at: now), deviceID: device, operation: .unlock, actor: RecordActor(tenant.user),
                        source: .api,
                        reason: nil, override: nil, rule: .superAdmin, stateBefore: .locked, requestedAt: now,
                        deadline: now.advanced(by: .seconds(10)))
                }
            }
        }
    }

    /// A tenant and an owner of the first portfolio.
    var askers: [(name: String, email: String)] {
        [("a tenant", fleet.tenants.first?.user.email ?? ""), ("an owner", owner.email)]
    }

    private var portfolios: [PortfolioID] {
        fleet.changes.compactMap { if case .putPortfolio(let portfolio) = $0 { portfolio.id } else { nil } }
    }

    var calls: [AskedCall] {
        let others = fleet.tenants.suffix(fleet.tenants.count / 2)
        let devices = others.flatMap(\.devices)
        let stamps = devices.compactMap { fleet.allDevices[$0] }
        func call(
            _ name: String, _ status: UInt, _ ids: [some CustomStringConvertible], _ path: @escaping (String) -> String
        ) -> AskedCall {
            let (random, now) = (random, SystemClock().now())
            return AskedCall(
                name: name, method: name.hasPrefix("POST") ? .POST : .GET, status: status, path: path,
                others: ids.map(\.description), nobodys: { (random.id(at: now) as DeviceID).description })
        }
        return [
            call("POST /devices/:id/unlock", 403, devices) { "/devices/\($0)/unlock" },
            call("GET /commands/:id", 403, commands.filter { devices.contains($0.deviceID) }.map(\.id)) { "/commands/\($0)" },
            call("GET /access-records?deviceId", 200, devices) { "/access-records?deviceId=\($0)" },
            call("GET /access-records?unitId", 200, stamps.compactMap(\.unitID)) { "/access-records?unitId=\($0)" },
            call("GET /access-records?propertyId", 200, stamps.compactMap(\.propertyID)) { "/access-records?propertyId=\($0)" },
            call("GET /access-records?userId", 200, others.map(\.user.id)) { "/access-records?userId=\($0)" },
            call("GET /commands?deviceId", 200, devices) { "/commands?deviceId=\($0)" },
        ]
    }

    func write() async throws {
        let store = try SQLiteStore.open(path: path, clock: SystemClock(), logger: Logger(label: "times"))
        let now = SystemClock().now()
        let hash = try await PasswordHasher(cost: 14, random: random).hash(Secret(Fleet.password))
        _ = try await store.commit(fleet.transaction(passwordHash: hash))
        var changes: [TenancyChange] = [.putUser(owner)]
        if let first = portfolios.first {
            changes.append(
                .putAssociation(
                    UserRoleAssociation(
                        id: random.id(at: now), userID: owner.id, entity: .portfolio(first), role: .owner, createdAt: now,
                        updatedAt: now)))
        }
        _ = try await store.commit(StoreTransaction(changes: changes, credentials: [.setPassword(owner.id, hash: hash)]))
        for command in commands { _ = try await store.commit(transaction(command, at: now)) }
        try await store.close()
    }

    /// Returns a transaction with a command, its intent and its outcome.
    private func transaction(_ command: Command, at now: Timestamp) -> StoreTransaction {
        let device = fleet.allDevices[command.deviceID].map { DeviceSnapshot($0) } ?? DeviceSnapshot(deviceID: command.deviceID)
        func record(_ kind: RecordKind, _ outcome: CommandState?) -> PendingRecord {
            PendingRecord(
                RecordBody(
                    log: device.log, id: random.id(at: now), at: now, kind: kind, actor: command.actor, source: .api,
                    operation: command.operation, decision: .allowed, rule: command.rule, device: device, commandID: command.id,
                    outcome: outcome))
        }
        var ended = command
        (ended.state, ended.sent, ended.changed, ended.stateAfter, ended.completedAt) = (.confirmed, true, true, .unlocked, now)
        return StoreTransaction(
            commands: [.begin(command, intent: 0), .end(ended)],
            records: [record(.commandIntent, nil), record(.commandOutcome, .confirmed)])
    }
}
