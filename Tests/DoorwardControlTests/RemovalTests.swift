import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// Deleting portfolios, properties and units: refusals, cascades, previews and records.
@Suite struct RemovalTests {
    @Test("an entity that contains others is deleted only with a cascade, and the refusal counts what it contains")
    func dependents() async throws {
        let house = try await House()
        let (owner, portfolios) = (house.caller(house.ids.owner), house.control.portfolios)
        let before = house.store.commitCount
        let refusals = [
            await failure { try await portfolios.delete(owner, house.ids.portfolio, RemovalOptions()) },
            await failure { try await portfolios.delete(owner, house.ids.property, RemovalOptions()) },
            await failure { try await portfolios.delete(owner, house.ids.unit, RemovalOptions()) },
            await failure { try await portfolios.delete(owner, house.ids.unit, RemovalOptions(isDryRun: true)) },
        ]
        let counts: [[String: Int]] = refusals.map { if case .hasDependents(let counts) = $0 { counts } else { [:] } }
        let expected: [[String: Int]] = [["properties": 1], ["devices": 2, "units": 1], ["devices": 1], ["devices": 1]]
        #expect(counts == expected)
        #expect(house.store.commitCount == before)
    }

    @Test("an empty unit, property and portfolio is deleted without a cascade, and its roles end")
    func empty() async throws {
        let house = try await House()
        let (owner, portfolios) = (house.caller(house.ids.owner), house.control.portfolios)
        let property = try #require(
            try await portfolios.createProperty(
                owner, in: house.ids.portfolio,
                NewProperty(name: "Annex", address: nil, defaultTimeZone: nil, managers: [house.ids.stranger]), repeatable: nil
            ).executed)
        let unit = try #require(
            try await portfolios.createUnit(
                owner, in: property.id, NewUnit(name: "1", tenants: [house.ids.guest], devices: []), repeatable: nil
            ).executed)
        try await portfolios.delete(owner, unit.id, RemovalOptions())
        try await portfolios.delete(owner, property.id, RemovalOptions())
        let tenancy = house.control.directory.current
        #expect(tenancy.unit(unit.id) == nil && tenancy.property(property.id) == nil)
        #expect(tenancy.associations(of: house.ids.stranger).isEmpty && tenancy.associations(of: house.ids.guest).isEmpty)
        #expect(house.portfolioLog.suffix(4).map(\.body.action) == [.remove, .delete, .remove, .delete])
        #expect(house.portfolioLog.suffix(3).first?.body.unitID == unit.id, "the record names the place that was")
        #expect(tenancy.propertyIDs(of: house.ids.portfolio) == [house.ids.property])
        try await StoredTenancy.requireIntegrity(of: house.control, house.store)
    }

    @Test("deleting a unit with its contents leaves the devices on the property, and ends roles and guest accesses")
    func unit() async throws {
        let house = try await House()
        try await house.control.portfolios.delete(
            house.caller(house.ids.managers[0]), house.ids.unit, RemovalOptions(isCascade: true))
        let tenancy = house.control.directory.current
        #expect(tenancy.unit(house.ids.unit) == nil)
        #expect(tenancy.device(house.ids.door)?.propertyID == house.ids.property)
        #expect(tenancy.device(house.ids.door)?.unitID == nil)
        #expect(tenancy.unitsSharing(house.ids.frontDoor).isEmpty)
        #expect(tenancy.association(house.ids.tenancy) == nil)
        #expect(tenancy.guestAccess(house.ids.guestAccess)?.revokedAt == house.clock.now())
        #expect(house.portfolioLog.map(\.body.action).suffix(4) == [.revoke, .move, .remove, .delete])
        for user in [house.ids.tenant, house.ids.guest] {
            let decision = SecurityService.decide(
                .user(user), .unlock, on: house.ids.door, at: .trusted(house.clock.now()), override: false, in: tenancy)
            #expect(!decision.isAllowed)
        }
        try await StoredTenancy.requireIntegrity(of: house.control, house.store)
    }

    @Test("deleting a portfolio with its contents unassigns the devices, whose locks a super admin attaches again or deletes")
    func portfolio() async throws {
        let house = try await House()
        let root = house.caller(house.ids.superAdmin)
        try await house.control.portfolios.delete(
            house.caller(house.ids.owner), house.ids.portfolio, RemovalOptions(isCascade: true))
        let tenancy = house.control.directory.current
        #expect(tenancy.portfolioIDs == [house.ids.otherPortfolio])
        #expect(tenancy.property(house.ids.property) == nil && tenancy.unit(house.ids.unit) == nil)
        let unassigned = tenancy.deviceIDs.filter { tenancy.device($0)?.propertyID == nil }
        #expect(unassigned == [house.ids.door, house.ids.frontDoor].sorted())
        #expect(tenancy.guestAccess(house.ids.guestAccess) == nil)
        #expect(house.ids.managers.allSatisfy { tenancy.associations(of: $0).isEmpty })
        #expect(tenancy.associations(of: house.ids.owner).isEmpty)
        let last = try #require(house.portfolioLog.last?.body)
        #expect(last.action == .delete && last.target?.type == "Portfolio", "the log is kept, and ends with the deletion")
        try await StoredTenancy.requireIntegrity(of: house.control, house.store)
        // Only a super admin knows the locks now.
        let devices = house.control.attachedDevices
        #expect(await denial { try await devices.detach(house.caller(house.ids.owner), house.ids.door) }?.hasReach == false)
        #expect(try devices.device(house.ids.door, for: root).propertyID == nil)
        try await devices.detach(root, house.ids.door)
        var changes = DeviceChanges()
        changes.propertyID = .set(try #require(tenancy.propertyIDs(of: house.ids.otherPortfolio).first))
        _ = try await devices.change(root, house.ids.frontDoor, changes)
        let after = house.control.directory.current
        #expect(after.device(house.ids.door) == nil)
        #expect(after.device(house.ids.frontDoor)?.portfolioID == house.ids.otherPortfolio)
    }

    @Test("a command that waits under a role of a deleted property is denied, and one that was sent ends with the lock's answer")
    func waiting() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 6, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .confirm(after: .seconds(2)))
            let sent = try await house.begin(by: house.ids.tenant)
            let waiting = try await house.begin(by: house.ids.managers[0])
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(1)))
            try await house.control.portfolios.delete(
                house.caller(house.ids.owner), house.ids.property, RemovalOptions(isCascade: true))
            #expect(await sent.finished.command.state == .confirmed)
            let denied = await waiting.finished.command
            #expect(denied.state == .denied && denied.sent == false && denied.outcomeDetail == "device_unassigned")
            #expect(house.adapter.sentCommands.count == 1)
        }
    }

    @Test("a preview lists what goes and what ends, and changes nothing; the deletion does exactly that")
    func preview() async throws {
        let house = try await House()
        let (owner, portfolios) = (house.caller(house.ids.owner), house.control.portfolios)
        let (before, commits) = (house.control.directory.current, house.store.commitCount)
        let preview = try #require(
            try await portfolios.delete(owner, house.ids.portfolio, RemovalOptions(isCascade: true, isDryRun: true)))
        #expect(house.store.commitCount == commits)
        #expect(StoredTenancy.difference(of: house.control.directory.current, before) == nil)
        #expect(
            preview.removed.map { "\($0.target.type) \($0.name)" }
                == ["Unit 2B", "Property No. 5", "Portfolio Oak Street"])
        let ended = Dictionary(grouping: preview.ended, by: \.type).mapValues { Set($0.map(\.id)) }
        #expect(Set(ended.keys) == ["LockDevice", "UserRoleAssociation", "GuestAccess"])
        #expect(ended["LockDevice"] == Set([house.ids.door, house.ids.frontDoor].map(\.description)))
        #expect(ended["GuestAccess"] == [house.ids.guestAccess.description])
        #expect(ended["UserRoleAssociation"]?.count == 7, "owner, tenant, five managers")
        try await portfolios.delete(owner, house.ids.portfolio, RemovalOptions(isCascade: true))
        let after = house.control.directory.current
        for association in before.associations(of: house.ids.tenant) { #expect(after.association(association.id) == nil) }
    }

    @Test("a preview of removing a role, a guest access or a device names what ends with it")
    func smallPreviews() async throws {
        let house = try await House()
        let manager = house.caller(house.ids.managers[0])
        let role = try #require(
            try await house.control.roles.remove(manager, house.ids.tenant, from: .unit(house.ids.unit), isDryRun: true))
        #expect(role.removed.isEmpty)
        #expect(
            role.ended == [
                RecordTarget(type: "UserRoleAssociation", id: house.ids.tenancy.description),
                RecordTarget(type: "GuestAccess", id: house.ids.guestAccess.description),
            ])
        let access = try #require(
            try await house.control.guestAccesses.revoke(manager, house.ids.guestAccess, isDryRun: true))
        #expect(access.ended == [RecordTarget(type: "GuestAccess", id: house.ids.guestAccess.description)])
        let device = try #require(try await house.control.attachedDevices.detach(manager, house.ids.door, isDryRun: true))
        #expect(device.removed.map(\.name) == ["Flat door"])
        #expect(device.ended == access.ended)
        let left = try #require(
            try await house.control.attachedDevices.remove(manager, house.ids.door, from: house.ids.unit, isDryRun: true))
        #expect(Set(left.ended.map(\.type)) == ["GuestAccess", "LockDevice"])
        try await house.control.guestAccesses.revoke(manager, house.ids.guestAccess)
        let again = try await house.control.guestAccesses.revoke(manager, house.ids.guestAccess, isDryRun: true)
        #expect(again?.ended == [], "it has ended already")
    }

    @Test("a device moves to a unit and back to the property; a device of another place is not found on the unit")
    func unitDevices() async throws {
        let house = try await House()
        let (manager, devices) = (house.caller(house.ids.managers[0]), house.control.attachedDevices)
        let moved = try await devices.move(manager, house.ids.frontDoor, to: house.ids.unit)
        #expect(moved.unitID == house.ids.unit && moved.propertyID == house.ids.property)
        #expect(house.control.directory.current.unit(house.ids.unit)?.commonAreaAccessIDs == [])
        let commits = house.store.commitCount
        #expect(try await devices.move(manager, house.ids.frontDoor, to: house.ids.unit) == moved, "nothing to do")
        #expect(house.store.commitCount == commits)
        try await devices.remove(manager, house.ids.frontDoor, from: house.ids.unit)
        #expect(house.control.directory.current.device(house.ids.frontDoor)?.unitID == nil)
        for absent in [house.ids.frontDoor, house.ids.otherDoor, DeviceID(high: 9, low: 9)] {
            guard case .notFound = await failure({ try await devices.remove(manager, absent, from: house.ids.unit) })
            else { return _ = Issue.record("\(absent) was found on the unit") }
        }
        let errors = [
            await denial { _ = try await devices.move(manager, house.ids.otherDoor, to: house.ids.unit) },
            await denial { _ = try await devices.move(manager, DeviceID(high: 9, low: 9), to: house.ids.unit) },
            await denial { _ = try await devices.move(manager, house.ids.frontDoor, to: UnitID(high: 9, low: 9)) },
        ]
        #expect(errors.allSatisfy { $0?.hasReach == false })
        let tenant = house.caller(house.ids.tenant)
        let refused = await denial { _ = try await devices.move(tenant, house.ids.door, to: house.ids.unit) }
        #expect(refused?.reason == .roleInsufficient)
    }

    @Test("a super admin moves an unassigned lock to a unit, and deletes no lock that is assigned")
    func unassigned() async throws {
        let house = try await House()
        let root = house.caller(house.ids.superAdmin)
        var changes = DeviceChanges()
        changes.propertyID = .cleared
        _ = try await house.control.attachedDevices.change(house.caller(house.ids.owner), house.ids.frontDoor, changes)
        let device = try await house.control.attachedDevices.move(root, house.ids.frontDoor, to: house.ids.unit)
        #expect(device.unitID == house.ids.unit && device.portfolioID == house.ids.portfolio)
        let refused = await denial { try await house.control.attachedDevices.detach(root, house.ids.door) }
        #expect(refused?.reason == .roleInsufficient)
    }

    @Test("a delete whose write is in doubt ends as the store has it")
    func inDoubt() throws {
        for isDurable in [false, true] {
            let clock = VirtualClock()
            let executor = SeededExecutor(seed: 8, clock: clock)
            try executor.run {
                let house = try await House(clock: clock, executor: executor)
                house.store.failNext(.failed("the disk"), isDurable: isDurable)
                guard
                    case .unavailable = await failure({
                        try await house.control.portfolios.delete(
                            house.caller(house.ids.owner), house.ids.property, RemovalOptions(isCascade: true))
                    })
                else { return _ = Issue.record("expected unavailable") }
                house.store.recover()
                while !house.control.storeGuard.isAcceptingCommands {
                    try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(1)))
                }
                #expect((house.control.directory.current.property(house.ids.property) == nil) == isDurable)
                try await StoredTenancy.requireIntegrity(of: house.control, house.store)
            }
        }
    }
}
