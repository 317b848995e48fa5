import BenchmarkFleet
import BenchmarkSupport
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardStore
import Foundation
import Logging

/// A database of full size: devices in ten portfolios, and the records of a year.
struct Estate {
    static let portfolios = 10
    static let ownerEmail = "owner@example.org"
    static let password = "a measured password"
    private static let recordsPerTransaction = 500

    let path: String
    let fleet: Fleet
    /// The owner of all portfolios.
    let owner: User

    private let random = RandomSource()

    init(path: String, devices: Int, devicesPerUnit: Int = 6) {
        self.path = path
        fleet = Fleet(
            portfolios: Self.portfolios, unitsPerPortfolio: max(1, devices / devicesPerUnit / Self.portfolios),
            devicesPerUnit: devicesPerUnit)
        let now = SystemClock().now()
        owner = User(
            id: random.id(at: now), email: Self.ownerEmail, firstName: "Olga", lastName: "Owner", createdAt: now, updatedAt: now)
    }

    /// Creates the database, with `records` records in the portfolios' logs in turn.
    ///
    /// - Returns: the seconds for writing the records.
    func write(records: Int) async throws -> Double {
        let store = try SQLiteStore.open(path: path, clock: SystemClock(), logger: Logger(label: "scale"))
        try await writeTenancy(to: store)
        let watch = Stopwatch()
        var written = 0
        while written < records {
            let count = min(Self.recordsPerTransaction, records - written)
            _ = try await store.commit(
                StoreTransaction(records: (written..<written + count).map { record($0, of: records) }))
            written += count
            if written.isMultiple(of: 500_000) { progress("\(written) of \(records) records written") }
        }
        try await store.close()
        return Double(watch.wall) / 1e9
    }

    private func writeTenancy(to store: SQLiteStore) async throws {
        let hash = try await PasswordHasher(cost: 14, random: random).hash(Secret(Self.password))
        var rest = (fleet.changes + fleet.ownership(of: owner))[...]
        while !rest.isEmpty {
            _ = try await store.commit(StoreTransaction(changes: Array(rest.prefix(5_000))))
            rest = rest.dropFirst(5_000)
        }
        _ = try await store.commit(StoreTransaction(credentials: [.setPassword(owner.id, hash: hash)]))
        progress("\(fleet.deviceCount) devices written")
    }

    /// Returns the record at this position in a year that ends now. Intents and outcomes alternate,
    /// and each pair belongs to another tenant and device than the pair before.
    private func record(_ number: Int, of records: Int) -> PendingRecord {
        let year = 365 * 86_400_000
        let at = SystemClock().now().advanced(by: .milliseconds(number * (year / max(1, records)) - year))
        // 7,919 and the number of tenants have no common divisor, so each log has records of its
        // portfolio's users in mixed order.
        let tenant = fleet.tenants[(number / 2 * 7_919) % fleet.tenants.count]
        let device = fleet.allDevices[tenant.devices[number / 2 % tenant.devices.count]]
        return PendingRecord(
            RecordBody(
                log: device?.portfolioID.map { .portfolio($0) } ?? .gateway, id: random.id(at: at), at: at,
                kind: number.isMultiple(of: 2) ? .commandIntent : .commandOutcome, actor: RecordActor(tenant.user), source: .api,
                operation: .unlock, decision: .allowed, clientAddress: "192.0.2.7",
                requestID: "0123456789abcdef0123456789abcdef", device: device.map { DeviceSnapshot($0) },
                commandID: random.id(at: at), outcome: number.isMultiple(of: 2) ? nil : .confirmed))
    }
}

/// Prints a progress message about a long operation.
func progress(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }
