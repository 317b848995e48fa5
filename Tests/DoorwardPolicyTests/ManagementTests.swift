import DoorwardDomain
import DoorwardPolicy
import Testing

@Suite struct ManagementTests {
    private func allows(_ house: House, _ permission: ManagementPermission, _ object: ManagedObject, at offset: Duration? = nil)
        -> Decision
    {
        SecurityService.allows(
            house.subject, permission, on: object, at: offset.map { House.now.advanced(by: $0) }, in: house.directory)
    }

    @Test("A role reaches down the hierarchy, never up or sideways")
    func down() {
        var house = House()
        let manager = house.assign(.propertyManager)
        #expect(allows(house, .unitChange, .unit(house.unit)) == .allowed(manager, override: false))
        #expect(allows(house, .deviceDetach, .device(house.cellar)) == .allowed(manager, override: false))
        #expect(allows(house, .portfolioRead, .portfolio(house.portfolio)) == .denied(Denial(.noAssociation, hasReach: false)))
        #expect(!SecurityService.reaches(house.subject, .portfolio(house.portfolio), in: house.directory))
    }

    @Test("The most specific rule is named, the super admin's last")
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

    @Test("A tenant reads the property of their unit and changes nothing of it")
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

    @Test("The gateway is everybody's to know of and the super admin's to run")
    func gateway() {
        var house = House()
        let missing = Denial.Missing(role: .superAdmin)
        #expect(allows(house, .portfolioCreate, .gateway) == .denied(Denial(.roleInsufficient, hasReach: true, missing: missing)))
        house.put(user: house.person, isSuperAdmin: true)
        #expect(allows(house, .portfolioCreate, .gateway) == .allowed(.superAdmin, override: false))
        #expect(allows(house, .accessLogExport, .gateway).isAllowed)
        #expect(allows(house, .accessLogExport, .portfolio(house.portfolio)).denial?.reason == .roleInsufficient)
    }

    @Test("What does not exist is out of everybody's reach")
    func unknown() {
        var house = House()
        house.put(user: house.person, isSuperAdmin: true)
        #expect(allows(house, .unitRead, .unit(UnitID(high: 9, low: 9))) == .denied(Denial(.noAssociation, hasReach: false)))
        #expect(!SecurityService.reaches(house.subject, .unit(UnitID(high: 9, low: 9)), in: house.directory))
    }

    @Test("A guest knows of the device at an instant of their access, and manages nothing")
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
