import AdapterSimulator
import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy

/// Creates the demo's house in a fresh database, before a gateway runs on it.
struct DemoTenancy {
    private(set) var changes: [TenancyChange] = []
    /// The locks by name.
    private(set) var locks: [String: DeviceID] = [:]
    /// The users by first name.
    private(set) var users: [String: UserID] = [:]
    private let slots: [String: [String]]
    private let now: Timestamp
    private let random: RandomSource
    private let speed: Double

    /// - Parameter speed: how many times faster than real time the house's time passes; the locks move faster by the same factor.
    init(_ house: DemoHouse, at now: Timestamp, random: RandomSource, speed: Double) {
        (self.now, self.random, self.speed, slots) = (now, random, speed, house.keypadSlots)
        let portfolio = Portfolio(id: random.id(at: now), name: house.portfolio, createdAt: now, updatedAt: now)
        for person in house.people { add(person) }
        changes.append(.putPortfolio(portfolio))
        for person in house.people where person.office == .owner { assign(person, .owner, .portfolio(portfolio.id)) }
        for site in house.sites { add(site, of: house, to: portfolio.id) }
    }

    /// The records of all changes.
    var records: [PendingRecord] { SeedRecords.records(of: changes, at: now, random: random) }

    /// Writes all changes in one transaction, with their records; all users get the same password.
    func write(to storeGuard: StoreGuard, password: Secret<String>, hasher: PasswordHasher) async throws {
        let hash = try await hasher.hash(password)
        try await storeGuard.write(
            StoreTransaction(
                changes: changes, credentials: users.values.map { .setPassword($0, hash: hash) }, records: records))
    }

    private mutating func add(_ person: DemoHouse.Person) {
        let user = User(
            id: random.id(at: now), email: person.email, firstName: person.firstName, lastName: person.lastName,
            isSuperAdmin: person.office == .superAdmin, createdAt: now, updatedAt: now)
        users[person.firstName] = user.id
        changes.append(.putUser(user))
    }

    private mutating func add(_ site: DemoHouse.Site, of house: DemoHouse, to portfolio: PortfolioID) {
        let property = Property(
            id: random.id(at: now), name: site.name, portfolioID: portfolio, defaultTimeZone: "Europe/Berlin", createdAt: now,
            updatedAt: now)
        changes.append(.putProperty(property))
        for person in house.people where person.office == .manager { assign(person, .propertyManager, .property(property.id)) }
        let shared = site.shared.map { add(lock: $0, on: property, unit: nil, locksItself: site.entrances.contains($0)) }
        for lock in site.closed { _ = add(lock: lock, on: property, unit: nil) }
        for flat in site.flats {
            let unit = Unit(
                id: random.id(at: now), name: flat.name, propertyID: property.id, portfolioID: portfolio,
                commonAreaAccessIDs: shared, createdAt: now, updatedAt: now)
            changes.append(.putUnit(unit))
            for lock in flat.locks { _ = add(lock: lock, on: property, unit: unit.id) }
            for tenant in flat.tenants { assign(tenant, .tenant, .unit(unit.id)) }
        }
    }

    private mutating func add(
        lock name: String, on property: Property, unit: UnitID?, locksItself: Bool = false
    ) -> DeviceID {
        var address: [String: JSONValue] = ["latencyMs": milliseconds(2000), "jitterMs": milliseconds(1000)]
        if locksItself { address["autoRelockSeconds"] = .integer(max(1, Int64(45 / speed))) }
        if let slots = slots[name] { address["keypadSlots"] = .string(slots.joined(separator: ",")) }
        let device = LockDevice(
            id: random.id(at: now), name: name, adapter: AdapterGuide.simulator.kind, address: address,
            portfolioID: property.portfolioID,
            propertyID: property.id, unitID: unit, isRemoteOperationEnabled: true, capabilities: .all, createdAt: now,
            updatedAt: now)
        locks[name] = device.id
        changes.append(.putDevice(device))
        return device.id
    }

    /// Converts a duration in the house's time to real milliseconds.
    private func milliseconds(_ inHouse: Double) -> JSONValue { .integer(Int64(inHouse / speed)) }

    private mutating func assign(_ person: DemoHouse.Person, _ role: Role, _ entity: AssociatedEntity) {
        guard let user = users[person.firstName] else { return }
        let association = UserRoleAssociation(
            id: random.id(at: now), userID: user, entity: entity, role: role, createdAt: now, updatedAt: now)
        changes.append(.putAssociation(association))
    }
}
