import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// A gateway for a small house: a unit with a door, a tenant and a guest of the tenant, a front door, an owner, a super admin and
/// a stranger. Time is virtual, and nothing leaves the process.
struct House: Sendable {
    let clock: VirtualClock
    let store: InMemoryStore
    let adapter: ScriptedAdapter
    let control: GatewayControl
    let ids: IDs
    private let executor: (any TaskExecutor)?

    struct IDs: Sendable {
        let portfolio: PortfolioID
        let property: PropertyID
        let unit: UnitID
        let door: DeviceID
        let frontDoor: DeviceID
        let otherDoor: DeviceID
        let otherPortfolio: PortfolioID
        let owner: UserID
        let tenant: UserID
        let guest: UserID
        let stranger: UserID
        let superAdmin: UserID
        let managers: [UserID]
        let tenancy: AssociationID
        let guestAccess: GuestAccessID
    }

    /// - Parameters:
    ///   - executor: runs all tasks that the gateway starts.
    ///   - controlClock: the gateway's clock, if it is not `clock`.
    ///   - store: an existing store, as after a restart; `nil` for a new one that contains the house.
    ///   - createdAt: when the house in the existing store was created, from which the ids of its contents derive.
    init(
        seed: UInt64 = 1, clock: VirtualClock = VirtualClock(), controlClock: (any GatewayClock)? = nil,
        executor: (any TaskExecutor)? = nil,
        behaviour: ScriptedAdapter.Behaviour = .confirmAtOnce, store existing: InMemoryStore? = nil, createdAt: Timestamp? = nil,
        deniedPerMinute: Int = 20
    ) async throws {
        (self.clock, self.executor) = (clock, executor)
        let (changes, ids) = try Self.world(createdAt: createdAt ?? clock.now())
        self.ids = ids
        store = existing ?? InMemoryStore()
        if existing == nil { _ = try await store.commit(StoreTransaction(changes: changes)) }
        adapter = ScriptedAdapter(clock: clock, executor: executor, behaviour: behaviour)
        var limits = GatewayControl.Limits()
        limits.passwordCost = 10
        limits.deniedPerMinute = deniedPerMinute
        limits.concurrentLockdownLocks = 64
        // A restarted gateway must not generate the ids of its predecessor again.
        let generator = SeededGenerator(seed: existing == nil ? seed : seed ^ UInt64(store.commitCount) << 32)
        control = GatewayControl(
            store: store, adapters: [adapter], clock: controlClock ?? clock, random: RandomSource(generator), limits: limits,
            executor: executor)
        try await control.start()
    }

    private static func world(createdAt: Timestamp) throws -> ([TenancyChange], IDs) {
        var world = TenancyFixture(seed: 7, createdAt: createdAt)
        let portfolio = world.portfolio("Oak Street")
        let property = world.property("No. 5", in: portfolio)
        let unit = world.unit("2B", in: property)
        let otherPortfolio = world.portfolio("Elm Street")
        let otherProperty = world.property("No. 9", in: otherPortfolio)
        let door = world.device("Flat door", in: .unit(unit))
        let frontDoor = world.device("Front door", in: .property(property))
        let otherDoor = world.device("Elsewhere", in: .property(otherProperty))
        world.share(frontDoor, with: unit)
        let owner = world.user("Olga", lastName: "Owner")
        world.assign(owner, .owner, .portfolio(portfolio))
        let tenant = world.user("Tom", lastName: "Tenant")
        let tenancy = world.assign(tenant, .tenant, .unit(unit))
        let guest = world.user("Gus", lastName: "Guest")
        let access = world.guestAccess(for: guest, to: [door], hours: 0..<24, under: tenancy)
        let stranger = world.user("Sam", lastName: "Stranger")
        let superAdmin = world.user("Root", isSuperAdmin: true)
        let managers = (0..<5).map { _ in world.user("Max", lastName: "Manager") }
        for manager in managers { world.assign(manager, .propertyManager, .property(property)) }
        let ids = IDs(
            portfolio: portfolio, property: property, unit: unit, door: door, frontDoor: frontDoor, otherDoor: otherDoor,
            otherPortfolio: otherPortfolio, owner: owner, tenant: tenant, guest: guest, stranger: stranger,
            superAdmin: superAdmin, managers: managers, tenancy: tenancy, guestAccess: try #require(access))
        return (world.changes, ids)
    }

    func caller(_ user: UserID) -> Caller {
        Caller(userID: user, origin: RequestOrigin(clientAddress: "192.0.2.7", requestID: "test"))
    }

    func request(
        _ operation: LockOperation = .unlock, by user: UserID, on device: DeviceID? = nil, timeout: Duration = .seconds(10),
        override: String? = nil
    ) -> CommandRequest {
        let device = device ?? ids.door
        return CommandRequest(
            caller: caller(user), deviceID: device, attemptedID: device.description, operation: operation, override: override,
            timeout: timeout)
    }

    /// Begins a command, and waits for its outcome.
    func run(
        _ operation: LockOperation = .unlock, by user: UserID, on device: DeviceID? = nil, timeout: Duration = .seconds(10)
    ) async throws -> Command {
        try await begin(operation, by: user, on: device, timeout: timeout).finished.command
    }

    func begin(
        _ operation: LockOperation = .unlock, by user: UserID, on device: DeviceID? = nil, timeout: Duration = .seconds(10)
    ) async throws -> RunningCommand {
        try #require(
            try await control.locks.begin(request(operation, by: user, on: device, timeout: timeout)).running)
    }

    var portfolioLog: [AccessRecord] { store.log(.portfolio(ids.portfolio)) }
    var gatewayLog: [AccessRecord] { store.log(.gateway) }

    /// Returns the records of one command, in order.
    func records(of command: CommandID) -> [RecordBody] {
        portfolioLog.map(\.body).filter { $0.commandID == command }
    }
}

extension Answered<RunningCommand> {
    var running: RunningCommand? { executed }
}

extension Answered {
    var executed: Value? { isReplay ? nil : value }
    var replayed: Value? { isReplay ? value : nil }
}

/// Returns the denial that `body` throws; `nil` if it throws none.
func denial(_ body: () async throws -> Void) async -> Denial? {
    do {
        try await body()
        return nil
    } catch GatewayError.denied(let denial, _, _) {
        return denial
    } catch {
        return nil
    }
}

/// Returns the error that `body` throws; `nil` if it throws none.
func failure(_ body: () async throws -> Void) async -> GatewayError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? GatewayError
    }
}
