import AdapterSimulator
import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Logging

/// A gateway with a house of simulated locks: a front door and three flats, with three tenants and a manager.
struct SimulatedHouse: Sendable {
    let clock: VirtualClock
    let adapter: SimulatorAdapter
    let control: GatewayControl
    let locks: [String: DeviceID]
    let people: [String: UserID]
    let portfolio: PortfolioID

    static let flats = ["Flat 1", "Flat 2", "Flat 3"]
    static let tenants = ["Ada", "Ben", "Cleo"]

    /// - Parameters:
    ///   - address: The address of every lock.
    ///   - store: An empty store.
    init(
        address: [String: JSONValue], seed: UInt64, clock: VirtualClock, executor: SeededExecutor, store: any GatewayStore
    ) async throws {
        self.clock = clock
        var tenancy = TenancyFixture(seed: 7, createdAt: clock.now())
        portfolio = tenancy.portfolio("Oak Street")
        let property = tenancy.property("No. 5", in: portfolio)
        let front = tenancy.device("Front door", in: .property(property), adapter: "simulator", address: address)
        var (locks, people) = (["Front door": front], [String: UserID]())
        for (flat, tenant) in zip(Self.flats, Self.tenants) {
            let unit = tenancy.unit(flat, in: property)
            tenancy.share(front, with: unit)
            locks[flat] = tenancy.device(flat, in: .unit(unit), adapter: "simulator", address: address)
            let user = tenancy.user(tenant)
            tenancy.assign(user, .tenant, .unit(unit))
            people[tenant] = user
        }
        let manager = tenancy.user("Max")
        tenancy.assign(manager, .propertyManager, .property(property))
        people["Max"] = manager
        (self.locks, self.people) = (locks, people)
        _ = try await store.commit(StoreTransaction(changes: tenancy.changes))
        adapter = SimulatorAdapter(clock: clock, executor: executor)
        control = GatewayControl(
            store: store, adapters: [adapter], clock: clock, random: RandomSource(SeededGenerator(seed: seed)),
            logger: Logger(label: "house") { _ in SwiftLogNoOpLogHandler() }, executor: executor)
        try await control.start()
    }

    /// Executes a command and waits for its outcome. Returns `nil` if the command was not accepted.
    func run(_ operation: LockOperation, on lock: DeviceID, by person: String, timeout: Duration = .seconds(10)) async -> Command?
    {
        guard let user = people[person] else { return nil }
        let request = CommandRequest(
            caller: Caller(userID: user, origin: RequestOrigin(clientAddress: "192.0.2.7", requestID: "test")), deviceID: lock,
            attemptedID: lock.description, operation: operation, timeout: timeout)
        guard let running = try? await control.locks.begin(request).value else { return nil }
        return await running.finished.command
    }
}
