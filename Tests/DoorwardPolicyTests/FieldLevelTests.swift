import DoorwardDomain
import DoorwardPolicy
import Testing

@Suite struct FieldLevelTests {
    private func level(_ house: House, _ object: FieldObject, at offset: Duration = .zero) -> FieldLevel? {
        SecurityService.fieldLevel(
            of: house.subject, for: object, at: .trusted(House.now.advanced(by: offset)), in: house.directory)
    }

    @Test(
        "A role gives its field level on the devices, units, properties and portfolios to which it applies",
        arguments: [
            (Role.owner, FieldLevel.owner, true), (.portfolioAdmin, .management, true), (.propertyManager, .management, false),
            (.auditor, .management, false), (.maintenance, .operations, false),
        ])
    func roles(role: Role, expected: FieldLevel, seesPortfolio: Bool) {
        var house = House()
        house.assign(role)
        for object in [FieldObject.device(house.flatDoor), .device(house.cellar), .unit(house.unit), .property(house.property)] {
            #expect(level(house, object) == expected)
        }
        #expect(level(house, .portfolio(house.portfolio)) == (seesPortfolio ? expected : nil))
    }

    @Test("A tenant has resident level on their unit, its devices, its common areas and the property, and on nothing else")
    func tenant() {
        var house = House()
        house.assign(.tenant)
        for object in [
            FieldObject.device(house.flatDoor), .device(house.frontDoor), .unit(house.unit), .property(house.property),
        ] {
            #expect(level(house, object) == .resident)
        }
        let hidden: [FieldObject] = [
            .device(house.otherDoor), .device(house.cellar), .unit(house.otherUnit), .portfolio(house.portfolio),
            .user(house.other),
        ]
        for object in hidden { #expect(level(house, object) == nil) }
    }

    @Test("A guest sees the public fields of the listed devices while they are visible, and nothing of unit and property")
    func guest() {
        var house = House()
        house.admit()
        #expect(level(house, .device(house.flatDoor)) == .publicLevel)
        #expect(level(house, .device(house.flatDoor), at: House.day * 31) == nil)
        #expect(level(house, .device(house.otherDoor)) == nil)
        #expect(level(house, .unit(house.unit)) == nil)
        #expect(level(house, .property(house.property)) == nil)
    }

    @Test("A super admin has operations level on places, management level on portfolios, owner level on users, none on records")
    func superAdmin() {
        var house = House()
        house.put(user: house.person, isSuperAdmin: true)
        for object in [
            FieldObject.device(house.unassigned), .device(house.flatDoor), .unit(house.unit), .property(house.property),
        ] {
            #expect(level(house, object) == .operations)
        }
        #expect(level(house, .portfolio(house.portfolio)) == .management)
        #expect(level(house, .user(house.other)) == .owner)
        #expect(level(house, .event(unit: house.unit, property: house.property, portfolio: house.portfolio, actor: nil)) == nil)
    }

    @Test("The highest of several levels counts")
    func highest() {
        var house = House()
        house.admit()
        house.assign(.tenant, number: 1)
        #expect(level(house, .device(house.flatDoor)) == .resident)
        house.assign(.maintenance, number: 2)
        #expect(level(house, .device(house.flatDoor)) == .operations)
        house.assign(.owner, number: 3)
        #expect(level(house, .device(house.flatDoor)) == .owner)
    }

    @Test("Users have owner level on themselves, and at most management level on users with roles on the same entities or below")
    func people() {
        var house = House()
        #expect(level(house, .user(house.person)) == .owner)
        #expect(level(house, .user(house.other)) == nil)
        house.assign(.tenant, number: 1)
        house.assign(.tenant, number: 2, to: house.other)
        #expect(level(house, .user(house.other)) == .resident)
        house.assign(.propertyManager, number: 3)
        #expect(level(house, .user(house.other)) == .management)
        house.assign(.owner, number: 4)
        #expect(level(house, .user(house.other)) == .management)
        #expect(level(house, .user(UserID(high: 9, low: 9))) == nil)
    }

    @Test("A guest access has public level for its guest, management level for grantor and managers, and none for others")
    func guestAccess() {
        var house = House()
        house.admit()
        let object = FieldObject.guestAccess(GuestAccessID(high: 1, low: 1))
        #expect(level(house, object) == .publicLevel)
        #expect(
            SecurityService.fieldLevel(
                of: house.directory.subject(house.other), for: object, at: .trusted(House.now), in: house.directory)
                == .management)
        house.admit(guest: house.other)
        #expect(level(house, object) == nil)
        house.assign(.propertyManager)
        #expect(level(house, object) == .management)
    }

    @Test("The level on a record comes from roles on its place, and its actor has management level")
    func events() {
        var house = House()
        house.assign(.tenant)
        #expect(
            level(house, .event(unit: house.unit, property: house.property, portfolio: house.portfolio, actor: nil)) == .resident)
        #expect(
            level(house, .event(unit: house.otherUnit, property: house.property, portfolio: house.portfolio, actor: nil)) == nil)
        #expect(
            level(house, .event(unit: nil, property: nil, portfolio: nil, actor: RecordActor(kind: .user, userID: house.person)))
                == .management)
    }

    @Test("Disabled and unknown users see nothing")
    func disabled() {
        var house = House()
        house.assign(.owner)
        house.put(user: house.person, isEnabled: false)
        #expect(level(house, .device(house.flatDoor)) == nil)
        #expect(
            SecurityService.fieldLevel(
                of: house.directory.subject(UserID(high: 9, low: 9)), for: .device(house.flatDoor), at: .trusted(House.now),
                in: house.directory) == nil)
    }
}
