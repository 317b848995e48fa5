import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

@testable import DoorwardTenancy

/// Two portfolios with three properties, four flats and six doors, people of every role, and a gateway over an in-memory store.
struct ClosureWorld: Sendable {
    let control: GatewayControl
    let clock: VirtualClock
    /// Everybody but the super admin and the owners.
    let people: [UserID]
    let owners: [UserID]
    let places: [AssociatedEntity]
    let units: [UnitID]
    let properties: [PropertyID]
    let devices: [DeviceID]

    init(using random: inout SeededGenerator) async throws {
        var world = TenancyFixture(seed: random.next())
        let portfolios = [world.portfolio("Oak Street"), world.portfolio("Elm Street")]
        let properties = [
            world.property("No. 5", in: portfolios[0], timeZone: "Europe/Berlin"), world.property("No. 7", in: portfolios[0]),
            world.property("No. 9", in: portfolios[1]),
        ]
        let units = [
            world.unit("2B", in: properties[0]), world.unit("3C", in: properties[0]), world.unit("1A", in: properties[1]),
            world.unit("4D", in: properties[2]),
        ]
        var devices = units.map { world.device("Flat door", in: .unit($0)) }
        devices += (0..<3).map { _ in world.device("Gate", in: .property(properties[0])) }
        world.share(devices[4], with: units[0])
        owners = [world.user("Olga"), world.user("Otto")]
        for (owner, portfolio) in zip(owners, portfolios) { world.assign(owner, .owner, .portfolio(portfolio)) }
        people = (0..<10).map { world.user("Person\($0)") }
        world.assign(people[0], .propertyManager, .property(properties[0]))
        world.assign(people[1], .propertyManager, .property(properties[1]))
        world.assign(people[2], .tenant, .unit(units[0]))
        world.assign(people[3], .tenant, .unit(units[0]))
        world.assign(people[4], .tenant, .unit(units[1]))
        world.assign(people[5], .maintenance, .property(properties[0]))
        world.assign(people[6], .auditor, .portfolio(portfolios[0]))
        // Nobody else has a role, but by chance: a manager of one property may be a tenant in another.
        for person in people where Int.random(in: 0..<4, using: &random) == 0 {
            world.assign(person, .tenant, .unit(units[Int.random(in: 0..<units.count, using: &random)]))
        }
        (self.units, self.properties, self.devices) = (units, properties, devices)
        places = portfolios.map { .portfolio($0) } + properties.map { .property($0) } + units.map { .unit($0) }
        clock = VirtualClock()
        let store = InMemoryStore()
        _ = try await store.commit(StoreTransaction(changes: world.changes))
        var limits = GatewayControl.Limits()
        limits.passwordCost = 10
        control = GatewayControl(
            store: store, adapters: [ScriptedAdapter(clock: clock)], clock: clock,
            random: RandomSource(SeededGenerator(seed: random.next())), limits: limits)
        try await control.start()
    }

    var tenancy: TenancyDirectory { control.directory.current }
    var accesses: [GuestAccess] { properties.flatMap { tenancy.guestAccesses(in: $0) } }

    func caller(_ user: UserID) -> Caller { Caller(userID: user) }
}

// What a failure prints: names in place of ids.
extension ClosureWorld {
    /// The first name of a person.
    func name(_ user: UserID) -> String { tenancy.user(user)?.firstName ?? "nobody" }

    /// What a step has changed of roles, guest accesses, links and places.
    func differences(from before: TenancyDirectory) -> [String] {
        let now = Self.facts(of: tenancy, self)
        let then = Self.facts(of: before, self)
        return now.filter { !then.contains($0) }.map { "+ \($0)" } + then.filter { !now.contains($0) }.map { "- \($0)" }
    }

    private static func facts(of tenancy: TenancyDirectory, _ world: ClosureWorld) -> [String] {
        func place(_ entity: AssociatedEntity) -> Int { world.places.firstIndex(of: entity) ?? -1 }
        func door(_ id: DeviceID) -> Int { world.devices.firstIndex(of: id) ?? -1 }
        let roles = (world.people + world.owners).flatMap { tenancy.associations(of: $0) }.map {
            "\($0.role) of \(world.name($0.userID)) on place \(place($0.entity)) (\($0.id))"
        }
        let accesses = world.properties.flatMap { tenancy.guestAccesses(in: $0) }.map { access in
            "access \(access.id) for \(access.guestUserID.map(world.name) ?? "a label"), unit \(access.unitID.map { place(.unit($0)) } ?? -1)"
                + ", doors \(access.deviceIDs.map(door)), \(access.operations), \(access.window), hours \(access.schedule != nil)"
                + ", uses \(access.maxUses ?? -1), under \(access.grantedUnderAssociationID) \(access.carriersByDevice ?? [:])"
                + ", widened \(access.widenedUnder), revoked \(access.revokedAt != nil), link \(tenancy.guestLink(of: access.id) != nil)"
        }
        let doors = world.devices.map { id in
            "door \(door(id)) in unit \(tenancy.device(id)?.unitID.map { place(.unit($0)) } ?? -1)"
                + ", property \(tenancy.device(id)?.propertyID.map { place(.property($0)) } ?? -1)"
                + ", shared with \(tenancy.unitsSharing(id).map { place(.unit($0)) })"
        }
        return roles + accesses + doors
    }
}
