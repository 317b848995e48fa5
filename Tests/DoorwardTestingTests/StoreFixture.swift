import DoorwardControl
import DoorwardDomain
import DoorwardTesting

/// A portfolio with a front door and a flat's door, a tenant with a guest, and transactions about them for a store.
struct StoreFixture: Sendable {
    var entities = TenancyFixture(seed: 11)
    let portfolio: PortfolioID
    let property: PropertyID
    let unit: UnitID
    let frontDoor: DeviceID
    let flatDoor: DeviceID
    let ada: UserID
    let tenancy: AssociationID

    init() {
        portfolio = entities.portfolio("Oak Street")
        property = entities.property("No. 5", in: portfolio)
        unit = entities.unit("2B", in: property)
        frontDoor = entities.device("Front door", in: .property(property))
        flatDoor = entities.device("Flat door", in: .unit(unit))
        entities.share(frontDoor, with: unit)
        ada = entities.user("Ada", lastName: "Lovelace")
        tenancy = entities.assign(ada, .tenant, .unit(unit))
        entities.guestAccess(for: entities.user("Bob"), to: [frontDoor, flatDoor], under: tenancy)
    }

    var at: Timestamp { entities.createdAt }

    var allScopes: [RecordScope] { [.gatewayLog, .portfolioLog(portfolio)] }

    func filled() async throws -> InMemoryStore {
        let store = InMemoryStore()
        try await store.commit(StoreTransaction(changes: entities.changes))
        return store
    }

    func record(_ number: UInt64, in log: LogID, at: Timestamp? = nil, device: DeviceID? = nil) -> RecordBody {
        RecordBody(
            log: log, id: RecordID(high: 0, low: number), at: at ?? self.at, kind: .gateway, actor: .gateway, source: .gateway,
            device: device.flatMap { entities.device($0) }.map { DeviceSnapshot($0) }, event: .start)
    }

    func command(_ number: UInt64) -> Command {
        Command(
            id: CommandID(high: 0, low: number), deviceID: flatDoor, operation: .unlock, actor: RecordActor(kind: .user),
            source: .api,
            rule: .association(tenancy, .tenant), requestedAt: at.advanced(by: .milliseconds(Int(number))), deadline: at)
    }

    /// Returns the transaction that begins a command, with its intent.
    func begin(_ command: Command, record number: UInt64) -> StoreTransaction {
        var intent = record(number, in: .portfolio(portfolio), device: command.deviceID)
        (intent.kind, intent.event, intent.commandID) = (.commandIntent, nil, command.id)
        (intent.operation, intent.actor) = (command.operation, command.actor)
        return StoreTransaction(commands: [.begin(command, intent: 0)], records: [PendingRecord(intent)])
    }

    func entry(_ fingerprint: UInt8, hours: Int = 0) -> IdempotencyEntry {
        IdempotencyEntry(
            key: IdempotencyKey(principal: "USER:1", key: "k"), fingerprint: [fingerprint],
            result: .command(CommandID(high: 0, low: 1)), createdAt: at.advanced(by: .seconds(3600 * hours)))
    }
}
