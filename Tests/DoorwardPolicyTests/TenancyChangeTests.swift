import DoorwardDomain
import DoorwardPolicy
import Testing

/// Each kind of tenancy change, applied and undone, and the moves and deletions that the gateway composes of them.
@Suite struct TenancyChangeTests {
    private static let later = House.now.advanced(by: House.day)

    private func decision(_ house: House, _ operation: LockOperation = .unlock, _ door: Door = .flat) -> Decision {
        house.decide(operation, on: house.id(of: door))
    }

    @Test("Renaming a portfolio changes nothing below it")
    func portfolio() throws {
        var house = House([.role(.owner)])
        let before = decision(house)
        var portfolio = try #require(house.directory.portfolio(house.portfolio))
        (portfolio.name, portfolio.updatedAt) = ("Renamed", Self.later)
        house.directory.apply(.putPortfolio(portfolio))
        #expect(house.directory.portfolio(house.portfolio) == portfolio)
        #expect(house.directory.portfolioIDs == [house.portfolio])
        #expect(house.directory.propertyIDs(of: house.portfolio) == [house.property])
        #expect(decision(house) == before)
    }

    @Test("A property that moves to another portfolio is removed from the list of the old one")
    func property() {
        var house = House()
        let other = PortfolioID(high: 0, low: 50)
        let moved = Property(
            id: house.property, name: "H", portfolioID: other, createdAt: House.now, updatedAt: House.now)
        house.directory.apply(.putProperty(moved))
        #expect(house.directory.propertyIDs(of: house.portfolio).isEmpty)
        #expect(house.directory.propertyIDs(of: other) == [house.property])
        #expect(house.directory.propertyIDs == [house.property])
        #expect(house.directory.unitIDs(of: house.property) == [house.unit, house.otherUnit], "its units stay in the property")
    }

    @Test("A common area is removed from a unit's list and added again")
    func commonArea() throws {
        var house = House([.role(.tenant)])
        #expect(decision(house, .unlock, .front).isAllowed)
        var unit = try #require(house.directory.unit(house.unit))
        unit.commonAreaAccessIDs = []
        house.directory.apply(.putUnit(unit))
        #expect(decision(house, .unlock, .front) == Answer.hidden.decision)
        #expect(house.directory.unitsSharing(house.frontDoor).isEmpty)
        unit.commonAreaAccessIDs = [house.cellar, house.frontDoor]
        house.directory.apply(.putUnit(unit))
        #expect(decision(house, .unlock, .front).isAllowed)
        #expect(decision(house, .unlock, .cellar).isAllowed)
        #expect(house.directory.unitsSharing(house.cellar) == [house.unit])
        #expect(decision(house).isAllowed, "the unit's own door is not affected")
    }

    @Test("A door that a unit lists twice is shared once, and is no longer shared when the unit does not list it")
    func listedTwice() throws {
        var house = House([.role(.tenant)])
        var unit = try #require(house.directory.unit(house.unit))
        unit.commonAreaAccessIDs = [house.cellar, house.cellar]
        house.directory.apply(.putUnit(unit))
        #expect(house.directory.unitsSharing(house.cellar) == [house.unit])
        #expect(decision(house, .unlock, .cellar).isAllowed)
        unit.commonAreaAccessIDs = []
        house.directory.apply(.putUnit(unit))
        #expect(house.directory.unitsSharing(house.cellar).isEmpty)
        #expect(decision(house, .unlock, .cellar) == Answer.hidden.decision)
    }

    @Test("A device without a property is not visible to its tenants, and after it is assigned again everything is as before")
    func detach() throws {
        var house = House([.role(.tenant)])
        let before = house
        var device = try #require(house.directory.device(house.flatDoor))
        let attached = device
        (device.portfolioID, device.propertyID, device.unitID) = (nil, nil, nil)
        house.directory.apply(.putDevice(device))
        #expect(decision(house) == Answer.denied(.deviceUnassigned, reach: false).decision)
        #expect(house.directory.device(house.flatDoor)?.propertyID == nil)
        #expect(house.directory.deviceIDs(of: house.unit).isEmpty)
        #expect(!house.directory.deviceIDs(of: house.property).contains(house.flatDoor))
        house.directory.apply(.putDevice(attached))
        #expect(decision(house) == decision(before))
        #expect(house.directory.deviceIDs(of: house.unit) == [house.flatDoor])
        #expect(house.directory.deviceIDs(of: house.property) == before.directory.deviceIDs(of: house.property))
    }

    @Test("A removed device is unknown to every user, and is in no list except the common areas that name it")
    func removeDevice() throws {
        var house = House([.role(.tenant)])
        house.put(user: house.other, isSuperAdmin: true)
        let before = house
        for device in [house.flatDoor, house.frontDoor, house.unassigned] {
            for _ in 0..<2 { house.directory.apply(.removeDevice(device)) }
            #expect(house.directory.device(device) == nil)
        }
        #expect(decision(house) == .denied(Denial(.deviceUnknown, hasReach: false)))
        #expect(
            house.decide(.viewStatus, on: house.unassigned, by: .user(house.other))
                == .denied(Denial(.deviceUnknown, hasReach: true)))
        #expect(house.directory.deviceIDs(of: house.unit).isEmpty)
        #expect(house.directory.deviceIDs(of: house.property) == [house.otherDoor, house.cellar])
        #expect(house.directory.deviceCount == before.directory.deviceCount - 3)
        #expect(house.directory.unitsSharing(house.frontDoor) == [house.unit], "the unit still lists it")
        // When the front door is added again, the unit that lists it as a common area shares it again.
        house.directory.apply(.putDevice(try #require(before.directory.device(house.frontDoor))))
        #expect(decision(house, .unlock, .front) == decision(before, .unlock, .front))
    }

    @Test("A removed unit shares no device any more, and its children are in its lists until they are removed")
    func removeUnit() throws {
        var house = House([.role(.tenant)])
        let before = try #require(house.directory.unit(house.unit))
        for _ in 0..<2 { house.directory.apply(.removeUnit(house.unit)) }
        #expect(house.directory.unit(house.unit) == nil && house.directory.unitIDs == [house.otherUnit])
        #expect(house.directory.unitIDs(of: house.property) == [house.otherUnit])
        #expect(house.directory.unitsSharing(house.frontDoor).isEmpty)
        #expect(decision(house, .unlock, .front) == Answer.hidden.decision)
        #expect(house.directory.deviceIDs(of: house.unit) == [house.flatDoor], "the device still names it")
        house.directory.apply(.putUnit(before))
        #expect(decision(house, .unlock, .front).isAllowed)
    }

    @Test("A removed property or portfolio does not exist, and what it contained is removed by changes of its own")
    func removeProperty() {
        var house = House([.role(.owner)])
        for _ in 0..<2 { house.directory.apply(.removeProperty(house.property)) }
        #expect(house.directory.property(house.property) == nil && house.directory.propertyIDs.isEmpty)
        #expect(house.directory.propertyIDs(of: house.portfolio).isEmpty)
        #expect(house.directory.unitIDs(of: house.property) == [house.unit, house.otherUnit])
        for _ in 0..<2 { house.directory.apply(.removePortfolio(house.portfolio)) }
        #expect(house.directory.portfolio(house.portfolio) == nil && house.directory.portfolioIDs.isEmpty)
        #expect(SecurityService.visiblePortfolioIDs(for: house.directory.subject(house.person), in: house.directory).isEmpty)
    }

    @Test("A removed user holds nothing, the address is free, and the id is remembered")
    func removeUser() throws {
        var house = House([.role(.tenant), .guest(2)])
        house.put(user: house.person, isSuperAdmin: true)
        let user = try #require(house.directory.user(house.person))
        for _ in 0..<2 { house.directory.apply(.removeUser(house.person)) }
        #expect(house.directory.user(house.person) == nil && house.directory.userIDs == [house.other])
        #expect(house.directory.userCount == 1 && house.directory.superAdminIDs.isEmpty)
        #expect(house.directory.user(email: user.email) == nil)
        #expect(house.directory.isRemoved(house.person) && !house.directory.isRemoved(house.other))
        #expect(decision(house) == Answer.denied(.userUnknown, reach: false).decision, "whatever roles are left")
        #expect(house.directory.associations(of: house.person).count == 1)
        house.directory.apply(.putUser(user))
        #expect(!house.directory.isRemoved(house.person) && decision(house).isAllowed)
    }

    @Test("Another user with the address of a removed one has no right of theirs")
    func addressOfRemovedUser() {
        var house = House([.role(.tenant)])
        let newcomer = UserID(high: 0, low: 71)
        house.directory.apply(.removeUser(house.person))
        house.directory.apply(
            .putUser(
                User(
                    id: newcomer, email: "\(house.person.low)@example.org", firstName: "N", lastName: "N",
                    createdAt: House.now, updatedAt: House.now)))
        #expect(house.directory.user(email: "\(house.person.low)@example.org")?.id == newcomer)
        #expect(house.decide(by: .user(newcomer)) == Answer.hidden.decision)
    }

    @Test("A removed guest access opens nothing, and is in no list")
    func removeGuestAccess() {
        var house = House([.guest(1, at: [.flat, .front])])
        let id = GuestAccessID(high: 1, low: 1)
        for _ in 0..<2 { house.directory.apply(.removeGuestAccess(id)) }
        #expect(house.directory.guestAccess(id) == nil && house.directory.guestAccessIDs.isEmpty)
        #expect(house.directory.guestAccesses(of: house.person).isEmpty)
        #expect(house.directory.guestAccesses(on: house.flatDoor).isEmpty)
        #expect(house.directory.guestAccesses(in: house.property).isEmpty)
        #expect(decision(house) == Answer.hidden.decision)
        #expect(house.decide(by: .guestLink(id)) == Answer.denied(.userUnknown, reach: false).decision)
    }

    @Test("A device that moves to another property is visible only to users with rights on the new property")
    func move() throws {
        let elsewhere = PropertyID(high: 0, low: 60)
        var house = House([.role(.propertyManager, 1), .role(.tenant, 2)])
        house.directory.apply(
            .putProperty(
                Property(id: elsewhere, name: "E", portfolioID: house.portfolio, createdAt: House.now, updatedAt: House.now)))
        house.assign(.maintenance, on: .property(elsewhere), number: 3, to: house.other)
        var device = try #require(house.directory.device(house.frontDoor))
        device.propertyID = elsewhere
        house.directory.apply(.putDevice(device))
        #expect(decision(house, .unlock, .front) == Answer.hidden.decision, "not even as a common area that is still listed")
        #expect(house.directory.unitsSharing(house.frontDoor) == [house.unit])
        #expect(house.decide(on: house.frontDoor, by: .user(house.other)).isAllowed)
        #expect(house.directory.deviceIDs(of: elsewhere) == [house.frontDoor])
    }

    @Test("The number of super admins follows when users gain and lose the flag")
    func superAdmins() {
        var house = House()
        #expect(house.directory.superAdminIDs.isEmpty)
        house.put(user: house.person, isSuperAdmin: true)
        house.put(user: house.other, isEnabled: false, isSuperAdmin: true)
        #expect(house.directory.superAdminIDs.count == 2, "disabled super admins count too")
        house.put(user: house.person, isSuperAdmin: true)
        #expect(house.directory.superAdminIDs.count == 2)
        house.put(user: house.person)
        #expect(house.directory.superAdminIDs.count == 1)
        #expect(decision(house, .viewStatus, .unassigned) == Answer.denied(.deviceUnassigned, reach: false).decision)
        #expect(house.directory.userCount == 2)
    }

    @Test("Roles and guest accesses can be added before their user, and take effect when the user is added")
    func childrenFirst() {
        var house = House()
        let newcomer = UserID(high: 0, low: 70)
        house.assign(.tenant, number: 9, to: newcomer)
        house.admit(number: 9, guest: newcomer)
        #expect(house.decide(by: .user(newcomer)) == Answer.denied(.userUnknown, reach: false).decision)
        #expect(!SecurityService.reaches(house.directory.subject(newcomer), .unit(house.unit), in: house.directory))
        #expect(house.directory.userCount == 2 && !house.directory.userIDs.contains(newcomer))
        #expect(house.directory.associations(of: newcomer).count == 1)
        #expect(house.directory.guestAccesses(of: newcomer).count == 1)
        house.put(user: newcomer)
        #expect(house.decide(by: .user(newcomer)) == .allowed(.held(.tenant, 9), override: false))
        #expect(house.directory.userCount == 3)
    }

    @Test("An association replaces an earlier one with the same id, even that of another user")
    func replaceAssociation() {
        var house = House([.role(.owner, 4)])
        house.assign(.tenant, number: 4, to: house.other)
        #expect(decision(house) == Answer.hidden.decision)
        #expect(house.decide(by: .user(house.other)) == .allowed(.held(.tenant, 4), override: false))
        #expect(house.directory.associations(on: .portfolio(house.portfolio)).isEmpty)
        #expect(house.directory.associations(of: house.person).isEmpty)
        #expect(house.directory.association(AssociationID(high: 1, low: 4))?.userID == house.other)
    }

    @Test("If a user has two roles on one entity, removing one keeps the other")
    func twoRoles() {
        var house = House([.role(.maintenance, 1), .role(.auditor, 2), .removed(1)])
        #expect(house.directory.associations(on: .property(house.property)).map(\.role) == [.auditor])
        #expect(decision(house, .viewStatus) == .allowed(.held(.auditor, 2), override: false))
        house.directory.apply(.removeAssociation(AssociationID(high: 1, low: 2)))
        #expect(house.directory.associations(on: .property(house.property)).isEmpty)
        #expect(decision(house, .viewStatus) == Answer.hidden.decision)
        #expect(house.directory.association(AssociationID(high: 1, low: 2)) == nil)
    }

    @Test("Removing an association twice, or before it is added, has no further effect")
    func removedTwice() {
        var house = House([.removed(1), .role(.tenant, 1)])
        #expect(decision(house).isAllowed)
        for _ in 0..<2 { house.directory.apply(.removeAssociation(AssociationID(high: 1, low: 1))) }
        #expect(decision(house) == Answer.hidden.decision)
        house.assign(.tenant, number: 1)
        #expect(decision(house).isAllowed)
    }

    @Test("A revoked guest access is still listed for its devices, its property and its guest")
    func revoke() {
        var house = House([.guest(1, at: [.flat, .front])])
        house.admit(number: 1, devices: [house.flatDoor, house.frontDoor], revokedAt: .zero)
        let id = GuestAccessID(high: 1, low: 1)
        #expect(house.directory.guestAccess(id)?.revokedAt == House.now)
        #expect(house.directory.guestAccesses(of: house.person).map(\.id) == [id])
        #expect(house.directory.guestAccesses(on: house.flatDoor).map(\.id) == [id])
        #expect(house.directory.guestAccesses(in: house.property).map(\.id) == [id])
        #expect(decision(house).denial?.reason == .guestAccessRevoked)
    }

    @Test("A device that is removed from a guest access is immediately excluded from it, and the other devices stay")
    func shorten() {
        var house = House([.guest(1, at: [.flat, .front])])
        house.admit(number: 1, devices: [house.frontDoor])
        #expect(decision(house) == Answer.hidden.decision)
        #expect(house.directory.guestAccesses(on: house.flatDoor).isEmpty)
        #expect(decision(house, .unlock, .front) == .allowed(.guest(1), override: false))
        house.admit(number: 1, devices: [])
        #expect(
            house.directory.guestAccesses(of: house.person).map(\.deviceIDs) == [[]],
            "it still belongs to the guest, and opens nothing")
        #expect(decision(house, .unlock, .front) == Answer.hidden.decision)
    }

    @Test("A unit is deleted in steps: each removed association and the ended guest access take effect immediately")
    func cascade() {
        var house = House([.role(.tenant, 1), .other(.tenant, 2), .guest(3, under: (2, .tenant))])
        let before = house
        house.directory.apply(.removeAssociation(AssociationID(high: 1, low: 2)))
        #expect(decision(house).rule == .held(.tenant, 1))
        house.directory.apply(.removeAssociation(AssociationID(high: 1, low: 1)))
        #expect(decision(house) == Answer.denied(.grantorLostAccess, by: .guest(3)).decision)
        house.admit(number: 3, devices: [], under: (2, .tenant), revokedAt: .zero)
        #expect(decision(house) == Answer.hidden.decision)
        #expect(house.directory.associations(on: .unit(house.unit)).isEmpty)
        #expect(decision(before).isAllowed, "the copy from before is unchanged")
    }

    @Test("An email address that a user gives up can be given to another user, who is then found by it")
    func address() throws {
        var house = House()
        var first = try #require(house.directory.user(house.person))
        var second = try #require(house.directory.user(house.other))
        let address = first.email
        first.email = "new@example.org"
        house.directory.apply(.putUser(first))
        #expect(house.directory.user(email: address) == nil)
        second.email = address.uppercased()
        house.directory.apply(.putUser(second))
        #expect(house.directory.user(email: address)?.id == house.other)
        #expect(house.directory.user(email: "NEW@example.org")?.id == house.person)
        #expect(house.directory.user(email: "11@example.org") == nil)
    }

    @Test("An empty directory contains nothing, and denies every request without visibility")
    func empty() {
        let directory = TenancyDirectory()
        let (user, device) = (UserID(high: 0, low: 1), DeviceID(high: 0, low: 1))
        #expect(directory.userIDs.isEmpty && directory.deviceIDs.isEmpty && directory.portfolioIDs.isEmpty)
        #expect(directory.userCount == 0 && directory.deviceCount == 0 && directory.superAdminIDs.isEmpty)
        #expect(directory.user(user) == nil && directory.device(device) == nil && directory.user(email: "") == nil)
        #expect(directory.subject(user).userID == nil && directory.resolve(device) == nil)
        for operation in LockOperation.allCases {
            for principal in [Principal.user(user), .guestLink(GuestAccessID(high: 0, low: 1))] {
                let decision = SecurityService.decide(
                    principal, operation, on: device, at: .trusted(House.now), override: true, in: directory)
                #expect(decision == Answer.denied(.userUnknown, reach: false).decision)
            }
        }
    }

    @Test("The smallest and largest ids, and ids that differ only in one half, are distinguished")
    func extremeIDs() {
        let ids: [(UInt64, UInt64)] = [
            (0, 0), (0, .max), (.max, 0), (.max, .max), (1, 0), (0, 1), (1 << 63, 0), (0, 1 << 63), (5, 9), (9, 5),
        ]
        var house = House()
        for (index, id) in ids.enumerated() {
            house.put(device: DeviceID(high: id.0, low: id.1), unit: index.isMultiple(of: 2) ? house.unit : nil)
            house.put(user: UserID(high: id.0, low: id.1), isSuperAdmin: index == 3)
        }
        for (index, id) in ids.enumerated() {
            let device = house.directory.device(DeviceID(high: id.0, low: id.1))
            #expect(device?.id == DeviceID(high: id.0, low: id.1))
            #expect(device?.unitID == (index.isMultiple(of: 2) ? house.unit : nil))
            #expect(house.directory.user(UserID(high: id.0, low: id.1))?.isSuperAdmin == (index == 3))
        }
        #expect(house.directory.device(DeviceID(high: 5, low: 5)) == nil)
        #expect(house.directory.device(DeviceID(high: 9, low: 9)) == nil)
    }
}
