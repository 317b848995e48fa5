import DoorwardDomain
import DoorwardPolicy
import Testing

@Suite struct ManagementTests {
    private func allows(_ house: House, _ permission: ManagementPermission, _ object: ManagedObject, at offset: Duration? = nil)
        -> Decision
    {
        SecurityService.allows(
            house.subject, permission, on: object, at: offset.map { .trusted(House.now.advanced(by: $0)) }, in: house.directory)
    }

    @Test("A role applies to everything below its entity, and to nothing above or beside it")
    func down() {
        var house = House()
        let manager = house.assign(.propertyManager)
        #expect(allows(house, .unitChange, .unit(house.unit)) == .allowed(manager, override: false))
        #expect(allows(house, .deviceDetach, .device(house.cellar)) == .allowed(manager, override: false))
        #expect(allows(house, .portfolioRead, .portfolio(house.portfolio)) == .denied(Denial(.noAssociation, hasReach: false)))
        #expect(!SecurityService.reaches(house.subject, .portfolio(house.portfolio), in: house.directory))
    }

    @Test("The decision names the most specific rule, and the super admin rule last")
    func rules() {
        var house = House()
        house.put(user: house.person, isSuperAdmin: true)
        #expect(allows(house, .unitRead, .unit(house.unit)).rule == .superAdmin)
        let owner = house.assign(.owner, number: 5)
        #expect(allows(house, .unitRead, .unit(house.unit)).rule == owner)
        let auditor = house.assign(.auditor, number: 6)
        #expect(allows(house, .unitRead, .unit(house.unit)).rule == auditor)
        let tenant = house.assign(.tenant, number: 7)
        #expect(allows(house, .unitRead, .unit(house.unit)).rule == tenant)
        #expect(allows(house, .unitChange, .unit(house.unit)).rule == owner)
    }

    @Test("A tenant can read the property of their unit, and cannot change it")
    func tenant() {
        var house = House()
        let tenant = house.assign(.tenant)
        #expect(allows(house, .propertyRead, .property(house.property)) == .allowed(tenant, override: false))
        #expect(SecurityService.reaches(house.subject, .property(house.property), in: house.directory))
        let missing = Denial.Missing(role: .propertyManager)
        #expect(
            allows(house, .propertyChange, .property(house.property))
                == .denied(Denial(.roleInsufficient, hasReach: true, rule: tenant, missing: missing)))
        #expect(allows(house, .guestAccessGrant, .unit(house.unit)).isAllowed)
        #expect(allows(house, .guestAccessGrant, .unit(house.otherUnit)) == .denied(Denial(.noAssociation, hasReach: false)))
        #expect(!allows(house, .guestAccessGrant, .property(house.property)).isAllowed)
    }

    @Test("The gateway is visible to every user, and only a super admin can manage it")
    func gateway() {
        var house = House()
        let missing = Denial.Missing(role: .superAdmin)
        #expect(allows(house, .portfolioCreate, .gateway) == .denied(Denial(.roleInsufficient, hasReach: true, missing: missing)))
        house.put(user: house.person, isSuperAdmin: true)
        #expect(allows(house, .portfolioCreate, .gateway) == .allowed(.superAdmin, override: false))
        #expect(allows(house, .accessLogExport, .gateway).isAllowed)
        #expect(allows(house, .accessLogExport, .portfolio(house.portfolio)).denial?.reason == .roleInsufficient)
    }

    @Test("An object that does not exist is visible to no user")
    func unknown() {
        var house = House()
        house.put(user: house.person, isSuperAdmin: true)
        #expect(allows(house, .unitRead, .unit(UnitID(high: 9, low: 9))) == .denied(Denial(.noAssociation, hasReach: false)))
        #expect(!SecurityService.reaches(house.subject, .unit(UnitID(high: 9, low: 9)), in: house.directory))
    }

    @Test("A guest sees the device while the guest access makes it visible, and manages nothing")
    func guest() {
        var house = House()
        let rule = house.admit()
        let denial = allows(house, .deviceChange, .device(house.flatDoor), at: .zero).denial
        #expect(denial?.reason == .roleInsufficient)
        #expect(denial?.rule == rule)
        #expect(
            allows(house, .deviceChange, .device(house.flatDoor), at: House.day * 40)
                == .denied(Denial(.noAssociation, hasReach: false)))
    }
}
