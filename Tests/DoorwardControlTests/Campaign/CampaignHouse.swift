import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting

/// The devices and users of one campaign: a property whose front door some of its units share, and a property of another
/// portfolio.
struct CampaignHouse: Sendable {
    let changes: [TenancyChange]
    let devices: [DeviceID]
    let people: [UserID]
    let portfolio: PortfolioID
    let property: PropertyID
    let units: [UnitID]
    let superAdmin: UserID
    let owner: UserID
    let manager: UserID
    let tenants: [UserID]
    /// Users who receive guest accesses during the campaign.
    let guests: [UserID]
    /// Users whose roles change most: tenant and guest of the first unit, a manager, and a user who is manager and tenant there.
    let residents: [UserID]
    let logs: [LogID]

    init(using random: inout SeededGenerator, createdAt: Timestamp) {
        var world = TenancyFixture(seed: random.next(), createdAt: createdAt)
        portfolio = world.portfolio("Oak Street")
        property = world.property("No. 5", in: portfolio)
        let frontDoor = world.device("Front door", in: .property(property))
        var (units, devices, tenants): ([UnitID], [DeviceID], [UserID]) = ([], [frontDoor], [])
        var firstGuests: [UserID] = []
        for number in 1...Int.random(in: 1...3, using: &random) {
            let unit = world.unit("\(number)", in: property)
            devices.append(world.device("Flat \(number)", in: .unit(unit)))
            if Bool.random(using: &random) { world.share(frontDoor, with: unit) }
            units.append(unit)
            let tenant = world.user("Tom", lastName: "\(number)")
            let tenancy = world.assign(tenant, .tenant, .unit(unit))
            tenants.append(tenant)
            let guest = world.user("Gus", lastName: "\(number)")
            firstGuests.append(guest)
            world.guestAccess(for: guest, to: [devices[number]], under: tenancy)
        }
        (self.units, self.tenants) = (units, tenants)
        superAdmin = world.user("Root", isSuperAdmin: true)
        owner = world.user("Olga")
        world.assign(owner, .owner, .portfolio(portfolio))
        manager = world.user("Max")
        world.assign(manager, .propertyManager, .property(property))
        let both = world.user("Mia")
        world.assign(both, .propertyManager, .property(property))
        world.assign(both, .tenant, .unit(units[0]))
        residents = [tenants[0], firstGuests[0], manager, both]
        let otherPortfolio = world.portfolio("Elm Street")
        logs = [.gateway, .portfolio(portfolio), .portfolio(otherPortfolio)]
        let elsewhere = world.property("No. 9", in: otherPortfolio)
        devices.append(world.device("Elsewhere", in: .property(elsewhere)))
        let neighbour = world.user("Ned")
        world.assign(neighbour, .propertyManager, .property(elsewhere))
        let visitors = (0..<2).map { _ in world.user("Vera") }
        self.devices = devices
        guests = visitors + [neighbour]
        changes = world.changes
        people = changes.compactMap { if case .putUser(let user) = $0 { user.id } else { nil } }
    }

    /// Returns the records of a command, log by log.
    func records(of command: CommandID, in store: InMemoryStore) -> [RecordBody] {
        logs.flatMap { store.log($0) }.map(\.body).filter { $0.commandID == command }
    }
}
