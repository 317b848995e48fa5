import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// The records and commands that each user can read.
@Suite struct HistoryTests {
    /// Returns a house in which tenant, guest and owner have operated doors, and a stranger was denied.
    private static func lived() async throws -> House {
        let house = try await House()
        for user in [house.ids.tenant, house.ids.guest, house.ids.owner] { _ = try await house.run(by: user) }
        _ = try await house.run(by: house.ids.owner, on: house.ids.frontDoor)
        _ = await denial { _ = try await house.run(by: house.ids.stranger) }
        return house
    }

    private static func records(
        _ house: House, of user: UserID, _ filter: RecordFilter? = RecordFilter()
    ) async throws -> [AccessRecord] {
        try await house.control.history.records(
            for: house.caller(user), filter: filter, order: .oldestFirst, after: nil, limit: 500
        ).records
    }

    @Test("an owner reads the portfolio's whole log, and no other log")
    func owner() async throws {
        let house = try await Self.lived()
        let read = try await Self.records(house, of: house.ids.owner)
        #expect(read == house.portfolioLog)
        #expect(read.count == 9)
    }

    @Test("a tenant reads the records of the unit's own devices")
    func tenant() async throws {
        let house = try await Self.lived()
        let read = try await Self.records(house, of: house.ids.tenant)
        #expect(read == house.portfolioLog.filter { $0.body.device?.unitID == house.ids.unit })
        #expect(read.count == 7)
    }

    @Test("guests and strangers read nothing; a super admin reads the gateway's own log")
    func others() async throws {
        let house = try await Self.lived()
        #expect(try await Self.records(house, of: house.ids.guest).isEmpty)
        #expect(try await Self.records(house, of: house.ids.stranger).isEmpty)
        #expect(try await Self.records(house, of: house.ids.superAdmin) == house.gatewayLog)
    }

    @Test("a filter for a device that is not visible, or for an id that cannot exist, returns no records")
    func filters() async throws {
        let house = try await Self.lived()
        let front = try await Self.records(house, of: house.ids.owner, RecordFilter(deviceID: house.ids.frontDoor))
        #expect(front.count == 2)
        #expect(try await Self.records(house, of: house.ids.tenant, RecordFilter(deviceID: house.ids.otherDoor)).isEmpty)
        #expect(try await Self.records(house, of: house.ids.tenant, nil).isEmpty)
    }

    @Test("a resident can filter by their own user id; a filter by another user's id returns nothing")
    func actorOfOthers() async throws {
        let house = try await Self.lived()
        let (owner, tenant) = (house.ids.owner, house.ids.tenant)
        #expect(try await Self.records(house, of: tenant, RecordFilter(actorUserID: tenant)).count == 2)
        #expect(try await Self.records(house, of: tenant, RecordFilter(actorUserID: owner)).isEmpty)
        #expect(try await Self.records(house, of: owner, RecordFilter(actorUserID: owner)).count == 4)
        #expect(try await Self.records(house, of: owner, RecordFilter(actorUserID: tenant)).count == 2)
        // The portfolio's log does not contain the identity of the stranger whose command was
        // denied, so a filter must not reveal it either.
        #expect(try await Self.records(house, of: owner, RecordFilter(decision: .denied)).count == 1)
        #expect(try await Self.records(house, of: owner, RecordFilter(actorUserID: house.ids.stranger)).isEmpty)
        #expect(try await Self.records(house, of: house.ids.superAdmin, RecordFilter(actorUserID: house.ids.stranger)).count == 1)
    }

    @Test("pages follow one another without gaps or duplicates, in both orders", arguments: [1, 2, 4, 9, 10])
    func paging(limit: Int) async throws {
        let house = try await Self.lived()
        for order in [RecordQuery.Order.oldestFirst, .newestFirst] {
            var read: [AccessRecord] = []
            var after: RecordPosition?
            repeat {
                let page = try await house.control.history.records(
                    for: house.caller(house.ids.owner), filter: RecordFilter(), order: order, after: after, limit: limit)
                #expect(page.records.count <= limit)
                read += page.records
                after = page.next
            } while after != nil
            #expect(read == (order == .oldestFirst ? house.portfolioLog : house.portfolioLog.reversed()))
        }
    }

    @Test("a command is visible to its actor and to readers of the device's history; for others it does not exist")
    func commands() async throws {
        let house = try await House()
        let command = try await house.run(by: house.ids.guest)
        for reader in [house.ids.guest, house.ids.tenant, house.ids.owner] {
            #expect(try await house.control.commands.command(command.id, for: house.caller(reader)).command == command)
        }
        let byStranger = await denial {
            _ = try await house.control.commands.command(command.id, for: house.caller(house.ids.stranger))
        }
        let ofNothing = await denial {
            _ = try await house.control.commands.command(CommandID(high: 1, low: 1), for: house.caller(house.ids.stranger))
        }
        let malformed = await denial {
            _ = try await house.control.commands.command(.nonexistent, for: house.caller(house.ids.stranger))
        }
        #expect(byStranger == ofNothing)
        #expect(byStranger == malformed)
        #expect(byStranger?.hasReach == false)
    }

    private static func commands(
        _ house: House, of user: UserID, on device: DeviceID? = nil
    ) async throws -> [CommandID] {
        let commands = try await house.control.commands.commands(
            for: house.caller(user), deviceID: device, PageRequest(limit: 50))
        #expect(commands.totalItems == commands.items.count)
        return commands.items.map(\.command.id)
    }

    @Test(
        "the list contains, without duplicates, the caller's own commands and those of devices whose history the caller can read")
    func ownCommands() async throws {
        let house = try await House()
        let (guest, tenant, owner) = (house.ids.guest, house.ids.tenant, house.ids.owner)
        let byGuest = try await house.run(by: guest).id
        house.clock.advance(by: .milliseconds(1))
        // The tenant can open the door of a common area, but cannot read what others do there.
        let byTenant = try await house.run(by: tenant, on: house.ids.frontDoor).id
        house.clock.advance(by: .milliseconds(1))
        let byOwner = try await house.run(by: owner, on: house.ids.frontDoor).id
        #expect(try await Self.commands(house, of: guest) == [byGuest])
        #expect(try await Self.commands(house, of: tenant) == [byTenant, byGuest])
        #expect(try await Self.commands(house, of: owner) == [byOwner, byTenant, byGuest])
        #expect(try await Self.commands(house, of: house.ids.stranger).isEmpty)
        #expect(try await Self.commands(house, of: house.ids.superAdmin).isEmpty)
        #expect(try await Self.commands(house, of: tenant, on: .some(house.ids.frontDoor)) == [byTenant])
        #expect(try await Self.commands(house, of: tenant, on: .nonexistent).isEmpty)
    }

    @Test(
        "commands stay with the unit of the lock at that time: its residents can still read them, those of the next unit cannot")
    func commandsOfAPlace() async throws {
        let house = try await House()
        let owner = house.caller(house.ids.owner)
        let command = try await house.run(by: house.ids.owner).id
        let next = try #require(
            try await house.control.portfolios.createUnit(
                owner, in: house.ids.property, NewUnit(name: "3C", tenants: [house.ids.stranger], devices: [house.ids.door]),
                repeatable: nil
            ).executed)
        #expect(house.control.directory.current.device(house.ids.door)?.unitID == next.id)
        #expect(try await Self.commands(house, of: house.ids.stranger).isEmpty)
        #expect(
            await denial { _ = try await house.control.commands.command(command, for: house.caller(house.ids.stranger)) } != nil)
        try await house.control.attachedDevices.detach(owner, house.ids.door)
        for user in [house.ids.tenant, house.ids.owner] {
            #expect(try await Self.commands(house, of: user, on: .some(house.ids.door)) == [command])
            #expect(try await house.control.commands.command(command, for: house.caller(user)).command.id == command)
        }
    }

    @Test(
        "the next tenant of a flat reads nothing of the time before their own: neither records, nor commands, nor guest accesses")
    func nextTenant() async throws {
        let house = try await House()
        let (ids, control) = (house.ids, house.control)
        let (owner, next) = (house.caller(ids.owner), ids.stranger)
        func granted(by user: UserID) async throws -> GuestAccess {
            let now = house.clock.now()
            let new = NewGuestAccess(
                guestUserID: ids.guest, label: nil, propertyID: nil, unitID: ids.unit, deviceIDs: [ids.door],
                operations: [.unlock], window: GuestWindow(validFrom: now, validUntil: now.advanced(by: .seconds(3600))))
            return try #require(try await control.guestAccesses.grant(house.caller(user), new, repeatable: nil).executed)
        }
        let ended = try await granted(by: ids.owner)
        try await control.guestAccesses.revoke(owner, ended.id)
        let ofFormer = try await granted(by: ids.tenant)
        let standing = try await granted(by: ids.owner)
        let before = try await house.run(by: ids.tenant)
        let byFormerGuest = try await house.run(by: ids.guest)
        house.clock.advance(by: .seconds(1))
        try await control.roles.remove(owner, ids.tenant, from: .unit(ids.unit))
        house.clock.advance(by: .seconds(1))
        _ = try await control.roles.assign(owner, .tenant, to: next, on: .unit(ids.unit))
        let start = house.clock.now()
        house.clock.advance(by: .seconds(1))
        let after = try await house.run(by: ids.owner)
        let own = try await house.run(by: next)

        let read = try await Self.records(house, of: next)
        #expect(read == house.portfolioLog.filter { $0.body.unitID == ids.unit && $0.body.at >= start })
        #expect(Set(read.compactMap(\.body.commandID)) == [after.id, own.id])
        let newest = try await control.history.records(
            for: house.caller(next), filter: RecordFilter(), order: .newestFirst, after: nil, limit: 500)
        #expect(newest.records == read.reversed())
        let limits = [Timestamp(milliseconds: 0), house.clock.now().advanced(by: .seconds(1))]
        let summary = try await control.history.summary(
            for: house.caller(next), filter: RecordFilter(), limits: limits, by: .outcome)
        #expect(summary == [["CONFIRMED": 2]])
        #expect(try await Set(Self.commands(house, of: next)) == [after.id, own.id])
        #expect(try await Set(Self.commands(house, of: next, on: ids.door)) == [after.id, own.id])
        for command in [before, byFormerGuest] {
            let record = try #require(house.portfolioLog.first { $0.body.commandID == command.id }).body.id
            #expect(await denial { _ = try await control.history.record(record, for: house.caller(next)) }?.hasReach == false)
            #expect(
                await denial { _ = try await control.commands.command(command.id, for: house.caller(next)) }?.hasReach == false)
        }
        let accesses = control.guestAccesses.list(for: house.caller(next), .init(), PageRequest(limit: 50)).items.map(\.id)
        #expect(accesses.contains(standing.id) && !accesses.contains(ofFormer.id) && !accesses.contains(ended.id))
        #expect(await denial { _ = try control.guestAccesses.access(ofFormer.id, for: house.caller(next)) }?.hasReach == false)
        // The former tenant still reads their own commands, and nothing of the time after them.
        #expect(try await Self.commands(house, of: ids.tenant) == [before.id])
        #expect(try await Self.records(house, of: ids.tenant).isEmpty)
        #expect(try await Self.records(house, of: ids.owner) == house.portfolioLog)
    }

    @Test("a resident's filter by denial reason returns nothing, because residents cannot read reasons")
    func reasons() async throws {
        let house = try await Self.lived()
        let filter = RecordFilter(reason: .noAssociation)
        #expect(try await Self.records(house, of: house.ids.owner, filter).count == 1)
        #expect(try await Self.records(house, of: house.ids.tenant, filter).isEmpty)
        #expect(try await Self.records(house, of: house.ids.tenant, RecordFilter(kind: .denial)).count == 1)
        #expect(try await Self.records(house, of: house.ids.tenant, RecordFilter(outcome: .confirmed)).count == 3)
    }

    @Test("a command in flight is returned with its current state")
    func runningCommand() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .confirm(after: .seconds(2)))
            let running = try await house.begin(by: house.ids.tenant)
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(1)))
            let now = try await house.control.commands.command(running.accepted.id, for: house.caller(house.ids.tenant)).command
            #expect(now.state == .dispatched)
            #expect(now.sent == true)
            _ = await running.finished
        }
    }

    @Test("a user is visible to themselves and to managers of an entity on which they have a role or a guest access")
    func people() async throws {
        let house = try await House()
        let users = house.control.users
        #expect(try users.user(house.ids.tenant, for: house.caller(house.ids.owner)).id == house.ids.tenant)
        #expect(try users.user(house.ids.tenant, for: house.caller(house.ids.tenant)).id == house.ids.tenant)
        let byTenant = await denial { _ = try users.user(house.ids.owner, for: house.caller(house.ids.tenant)) }
        let ofNobody = await denial { _ = try users.user(UserID(high: 1, low: 1), for: house.caller(house.ids.tenant)) }
        #expect(byTenant == ofNobody)
        func listed(for user: UserID) throws -> [User] { try users.list(for: house.caller(user), PageRequest(limit: 50)).items }
        let inScope = try listed(for: house.ids.owner).map(\.id)
        #expect(Set(inScope) == Set([house.ids.owner, house.ids.tenant, house.ids.guest] + house.ids.managers))
        #expect(try listed(for: house.ids.superAdmin).count == 10)
        let listByTenant = await denial { _ = try listed(for: house.ids.tenant) }
        #expect(listByTenant?.reason == .roleInsufficient)
    }
}
