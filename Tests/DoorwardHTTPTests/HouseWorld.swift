import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// The tenancy data of the tests.
enum HouseWorld {
    static func make(createdAt: Timestamp) throws -> ([TenancyChange], House.IDs) {
        var world = TenancyFixture(seed: 7, createdAt: createdAt)
        let portfolio = world.portfolio("Oak Street")
        let property = world.property("No. 5", in: portfolio, timeZone: "Europe/Berlin")
        let unit = world.unit("2B", in: property)
        let otherUnit = world.unit("3C", in: property)
        let otherPortfolio = world.portfolio("Elm Street")
        let otherProperty = world.property("No. 9", in: otherPortfolio)
        let foreignUnit = world.unit("1A", in: otherProperty)
        let door = world.device("Flat door", in: .unit(unit))
        let frontDoor = world.device("Front door", in: .property(property))
        let simulated = world.device("Cellar", in: .property(property), adapter: "simulator")
        let foreignDoor = world.device("Elsewhere", in: .property(otherProperty))
        world.share(frontDoor, with: unit)
        var people: [House.Person: UserID] = [:]
        for person in House.Person.allCases {
            people[person] = world.user(
                person.name, lastName: "Last", email: "\(person.rawValue)@example.com",
                isSuperAdmin: person == .superAdmin)
        }
        func assign(_ person: House.Person, _ role: Role, _ entity: AssociatedEntity) throws -> AssociationID {
            world.assign(try #require(people[person]), role, entity)
        }
        _ = try assign(.owner, .owner, .portfolio(portfolio))
        _ = try assign(.admin, .portfolioAdmin, .portfolio(portfolio))
        _ = try assign(.manager, .propertyManager, .property(property))
        _ = try assign(.maintenance, .maintenance, .property(property))
        _ = try assign(.auditor, .auditor, .portfolio(portfolio))
        let tenancy = try assign(.tenant, .tenant, .unit(unit))
        _ = try assign(.coTenant, .tenant, .unit(unit))
        _ = try assign(.neighbour, .tenant, .unit(otherUnit))
        let foreign = try assign(.stranger, .owner, .portfolio(otherPortfolio))
        // A role in the other portfolio, which must not matter in the first.
        _ = try assign(.manager, .maintenance, .property(otherProperty))
        let access = world.guestAccess(for: people[.guest], to: [door], hours: 0..<24, under: tenancy)
        let foreignAccess = world.guestAccess(for: people[.nobody], to: [foreignDoor], hours: -2400 ..< -2399, under: foreign)
        let ids = House.IDs(
            portfolio: portfolio, property: property, unit: unit, otherUnit: otherUnit, door: door, frontDoor: frontDoor,
            simulated: simulated, otherPortfolio: otherPortfolio, otherProperty: otherProperty, foreignUnit: foreignUnit,
            foreignDoor: foreignDoor, people: people, guestAccess: try #require(access),
            foreignGuestAccess: try #require(foreignAccess))
        return (world.changes, ids)
    }
}

extension House.Person {
    /// The user's first name.
    var name: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
}
