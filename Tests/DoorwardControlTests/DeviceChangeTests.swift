import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// Changing, moving and detaching locks, and the effects on their commands, guest accesses and records.
@Suite struct DeviceChangeTests {
    private static func changes(_ body: (inout DeviceChanges) -> Void) -> DeviceChanges {
        var changes = DeviceChanges()
        body(&changes)
        return changes
    }

    @discardableResult
    private static func change(
        _ house: House, _ device: DeviceID? = nil, by user: UserID? = nil, _ body: (inout DeviceChanges) -> Void
    ) async throws -> LockDevice {
        try await house.control.attachedDevices.change(
            house.caller(user ?? house.ids.owner), device ?? house.ids.door, changes(body))
    }

    private static func detach(_ house: House, _ device: DeviceID) async throws {
        try await house.control.attachedDevices.detach(house.caller(house.ids.owner), device)
    }

    // MARK: - Detaching

    @Test("no user can see a detached lock, and the change is recorded in the logs of the portfolio and of the gateway")
    func detaching() async throws {
        let house = try await House()
        try await Self.detach(house, house.ids.door)
        for record in [house.portfolioLog.last?.body, house.gatewayLog.last?.body] {
            #expect(record?.action == .delete)
            #expect(record?.target == RecordTarget(type: "LockDevice", id: house.ids.door.description))
            #expect(record?.device?.unitID == house.ids.unit)
        }
        #expect(house.control.directory.current.device(house.ids.door) == nil)
        #expect(!house.adapter.attached.contains { $0.id == house.ids.door })
        for user in [house.ids.owner, house.ids.tenant, house.ids.stranger] {
            let denied = await denial { _ = try await house.run(by: user) }
            #expect(denied?.reason == .deviceUnknown && denied?.hasReach == false)
        }
        let again = await denial { try await Self.detach(house, house.ids.door) }
        #expect(again?.hasReach == false)
    }

    @Test("detaching a lock ends the guest accesses that list only it, and removes it from other guest accesses and common areas")
    func dependents() async throws {
        let house = try await House()
        let now = house.clock.now()
        let several = try #require(
            try await house.control.guestAccesses.grant(
                house.caller(house.ids.tenant),
                NewGuestAccess(
                    guestUserID: .some(house.ids.stranger), label: nil, propertyID: nil, unitID: nil,
                    deviceIDs: [house.ids.door, house.ids.frontDoor], operations: [.unlock],
                    window: GuestWindow(validFrom: now, validUntil: now.advanced(by: .seconds(60)))),
                repeatable: nil
            ).executed)
        try await Self.detach(house, house.ids.door)
        let tenancy = house.control.directory.current
        #expect(tenancy.guestAccess(house.ids.guestAccess)?.revokedAt == now)
        #expect(tenancy.guestAccess(several.id)?.deviceIDs == [house.ids.frontDoor])
        #expect(try await house.run(by: house.ids.stranger, on: house.ids.frontDoor).state == .confirmed)
        try await Self.detach(house, house.ids.frontDoor)
        let left = house.control.directory.current
        #expect(left.unit(house.ids.unit)?.commonAreaAccessIDs == [])
        #expect(left.guestAccess(several.id)?.revokedAt != nil)
    }

    @Test("a lock is detached from its adapter after the sent command ends; queued commands are denied")
    func commandsUnderWay() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 3, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .confirm(after: .seconds(2)))
            let sent = try await house.begin(by: house.ids.owner)
            let waiting = try await house.begin(by: house.ids.tenant)
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(1)))
            try await Self.detach(house, house.ids.door)
            #expect(house.adapter.attached.contains { $0.id == house.ids.door })
            #expect(await sent.finished.command.state == .confirmed)
            let denied = await waiting.finished.command
            #expect(denied.state == .denied && denied.outcomeDetail == "device_unknown" && denied.sent == false)
            let outcome = try #require(house.records(of: denied.id).last)
            #expect(outcome.outcome == .denied && outcome.reason == .deviceUnknown)
            #expect(outcome.log == .portfolio(house.ids.portfolio))
            #expect(house.adapter.sentCommands.count == 1)
            #expect(!house.adapter.attached.contains { $0.id == house.ids.door })
            #expect(house.control.devices.status(of: house.ids.door) == DeviceStatus())
        }
    }

    @Test("a delete whose write is in doubt is resolved from the store: if the delete was durable, the adapter detaches the lock")
    func inDoubt() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 4, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor)
            house.store.failNext(.failed("the disk"), isDurable: true)
            let error = await failure { try await Self.detach(house, house.ids.door) }
            guard case .unavailable = error else {
                return _ = Issue.record("expected unavailable, got \(String(describing: error))")
            }
            #expect(house.adapter.attached.contains { $0.id == house.ids.door })
            house.store.recover()
            while !house.control.storeGuard.isAcceptingCommands {
                try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(1)))
            }
            #expect(house.control.directory.current.device(house.ids.door) == nil)
            #expect(!house.adapter.attached.contains { $0.id == house.ids.door })
            #expect(house.adapter.attached.contains { $0.id == house.ids.frontDoor })
        }
    }

    @Test("a guest access that had already ended stays unchanged, and no second end is recorded")
    func endedBefore() async throws {
        let house = try await House()
        let before = try #require(house.control.directory.current.guestAccess(house.ids.guestAccess))
        house.clock.advance(by: before.window.validUntil.duration(since: house.clock.now()))
        let records = house.portfolioLog.count
        try await Self.detach(house, house.ids.door)
        #expect(house.control.directory.current.guestAccess(house.ids.guestAccess) == before)
        #expect(house.portfolioLog.dropFirst(records).map(\.body.action) == [.delete])
    }

    // MARK: - Changing

    @Test("a change updates the given fields and no others, and its record holds the new values")
    func details() async throws {
        let house = try await House()
        let before = try #require(house.control.directory.current.device(house.ids.door))
        let changed = try await Self.change(house) {
            $0.name = "Blue door"
            ($0.texts[.model], $0.texts[.notes]) = (.set("M1"), .set("Ring for Ada"))
            $0.isRemoteOperationEnabled = false
            $0.metadata = ["key": .string("secret")]
        }
        var expected = before
        (expected.name, expected.texts[.model], expected.isRemoteOperationEnabled) = ("Blue door", "M1", false)
        expected.texts[.notes] = "Ring for Ada"
        (expected.metadata, expected.updatedAt) = (["key": .string("secret")], house.clock.now())
        #expect(changed == expected)
        let record = try #require(house.portfolioLog.last?.body)
        #expect(record.action == .update)
        #expect(
            record.details["after"]
                == .object([
                    "name": .personal("Blue door", person: nil), "model": .string("M1"), "isRemoteOperationEnabled": .bool(false),
                    "metadataKeys": .integer(1), "hasNotes": .bool(true),
                ]))
        #expect(await denial { _ = try await house.run(by: house.ids.owner) }?.reason == .remoteOperationDisabled)
        let cleared = try await Self.change(house) { $0.texts[.model] = .cleared }
        #expect(cleared.texts[.model] == nil && cleared.name == "Blue door" && cleared.texts[.notes] == "Ring for Ada")
    }

    @Test("a change without effect is answered, and nothing is written")
    func nothingChanges() async throws {
        let house = try await House()
        let commits = house.store.commitCount
        let device = try await Self.change(house) { $0.propertyID = .set(house.ids.property) }
        #expect(device == house.control.directory.current.device(house.ids.door))
        #expect(house.store.commitCount == commits)
    }

    @Test("a lock with a new address is attached again, and its old status is discarded")
    func address() async throws {
        let house = try await House()
        _ = try await house.run(by: house.ids.owner)
        #expect(house.control.devices.status(of: house.ids.door).state == .unlocked)
        try await Self.change(house) { $0.address = ["code": .string("1234")] }
        #expect(house.control.devices.status(of: house.ids.door) == DeviceStatus())
        #expect(house.adapter.attached.first { $0.id == house.ids.door }?.address == ["code": .string("1234")])
        let record = try #require(house.portfolioLog.last?.body)
        #expect(record.details["after"] == .object(["address": .array([.string("code")])]), "address values are not recorded")
        house.adapter.set(errors: AddressErrors([.init(field: "address.code", problem: "wrong_type")]))
        let refused = await failure { try await Self.change(house) { $0.address = ["code": .integer(1)] } }
        guard case .invalid(let problems) = refused else { return _ = Issue.record("an invalid address was accepted") }
        #expect(problems == [FieldProblem(field: "address.code", problem: "wrong_type")])
    }

    @Test("a command in flight to the old address is not confirmed by the lock at the new address")
    func addressDuringAnOrder() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 6, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .silent)
            let running = try await house.begin(by: house.ids.owner)
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(1)))
            try await Self.change(house) { $0.address = ["line": .string("2")] }
            house.adapter.report(.unlocked, from: house.ids.door)
            let command = await running.finished.command
            #expect(command.state == .unknown && command.sent == nil && command.stateAfter == nil)
            // Reports of the new lock are not linked to the command either.
            house.adapter.report(.unlocked, from: house.ids.door)
            house.adapter.report(.jammed, from: house.ids.door)
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(1)))
            let events = house.portfolioLog.map(\.body).filter { $0.kind == .deviceEvent }
            #expect(!events.isEmpty && events.allSatisfy { $0.commandID == nil })
        }
    }

    @Test("a command that waits for the lock at the old address is sent to neither address")
    func addressBeforeAnOrder() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 7, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .confirm(after: .seconds(2)))
            let sent = try await house.begin(by: house.ids.owner)
            let waiting = try await house.begin(by: house.ids.tenant)
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(1)))
            try await Self.change(house) { $0.address = ["line": .string("2")] }
            let later = try await house.begin(by: house.ids.tenant)
            #expect(await sent.finished.command.state == .unknown)
            let denied = await waiting.finished.command
            #expect(denied.state == .denied && denied.outcomeDetail == "device_unknown" && denied.sent == false)
            #expect(await later.finished.command.state == .confirmed)
            #expect(house.adapter.sentCommands.map(\.command.commandID) == [sent.accepted.id, later.accepted.id])
        }
    }

    @Test("an unconfirmed command is forgotten when its lock moves to another portfolio, whose log has no record of it")
    func unansweredMoves() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 8, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .silent)
            _ = try await house.control.roles.assign(
                house.caller(house.ids.superAdmin), .owner, to: house.ids.owner, on: .portfolio(house.ids.otherPortfolio))
            let other = try #require(house.control.directory.current.device(house.ids.otherDoor)?.propertyID)
            #expect(try await house.run(by: house.ids.owner).state == .timedOut)
            try await Self.change(house) { $0.propertyID = .set(other) }
            for state in [LockState.unlocked, .jammed] { house.adapter.report(state, from: house.ids.door) }
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(1)))
            let events = house.store.log(.portfolio(house.ids.otherPortfolio)).map(\.body).filter { $0.kind == .deviceEvent }
            #expect(!events.isEmpty && events.allSatisfy { $0.commandID == nil })
        }
    }

    // MARK: - Moving

    @Test("when a lock leaves its unit, the unit's tenants and guests can no longer operate it")
    func moving() async throws {
        let house = try await House()
        let moved = try await Self.change(house) { $0.unitID = .cleared }
        #expect(moved.unitID == nil && moved.propertyID == house.ids.property)
        let record = try #require(house.portfolioLog.last?.body)
        #expect(record.action == .move)
        #expect(
            record.details["before"]
                == .object(["propertyId": .id(house.ids.property), "unitId": .id(house.ids.unit)]))
        for user in [house.ids.tenant, house.ids.guest] {
            #expect(await denial { _ = try await house.run(by: user) } != nil)
        }
        #expect(try await house.run(by: house.ids.owner).state == .confirmed)
    }

    @Test("a user with rights on both portfolios can move a lock between them, and the logs of both record the move")
    func movingFar() async throws {
        let house = try await House()
        let other = try #require(house.control.directory.current.device(house.ids.otherDoor)?.propertyID)
        let foreign = await denial { try await Self.change(house) { $0.propertyID = .set(other) } }
        #expect(foreign?.hasReach == false)
        _ = try await house.control.roles.assign(
            house.caller(house.ids.superAdmin), .owner, to: house.ids.owner, on: .portfolio(house.ids.otherPortfolio))
        try await Self.change(house) { $0.texts[.notes] = .set("Key box") }
        let moved = try await Self.change(house) { $0.propertyID = .set(other) }
        #expect(moved.portfolioID == house.ids.otherPortfolio && moved.unitID == nil)
        for log in [LogID.portfolio(house.ids.portfolio), .portfolio(house.ids.otherPortfolio), .gateway] {
            #expect(house.store.log(log).last?.body.action == .move)
        }
        #expect(moved.texts[.notes] == nil)
        let elsewhere = await failure {
            try await Self.change(house, house.ids.frontDoor) {
                ($0.propertyID, $0.unitID) = (.set(other), .set(house.ids.unit))
            }
        }
        guard case .invalid(let problems) = elsewhere else { return _ = Issue.record("a unit of another property was accepted") }
        #expect(problems == [FieldProblem(field: "unitId", problem: "not_in_property")])
    }

    @Test("notes stay with the portfolio whose managers wrote them, unless the move states new ones")
    func notesOfAMovedLock() async throws {
        let house = try await House()
        let tenancy = house.control.directory.current
        let other = try #require(tenancy.device(house.ids.otherDoor)?.propertyID)
        _ = try await house.control.roles.assign(
            house.caller(house.ids.superAdmin), .owner, to: house.ids.owner, on: .portfolio(house.ids.otherPortfolio))
        let unit = try #require(
            try await house.control.portfolios.createUnit(
                house.caller(house.ids.owner), in: other, NewUnit(name: "Flat", tenants: [], devices: []), repeatable: nil
            ).executed)
        func note() async throws { try await Self.change(house, house.ids.frontDoor) { $0.texts[.notes] = .set("Key box") } }
        func last() -> RecordValue? { house.store.log(.gateway).last { $0.body.action == .update }?.body.details["after"] }
        try await note()
        let inside = try await Self.change(house, house.ids.frontDoor) { $0.unitID = .set(house.ids.unit) }
        #expect(inside.texts[.notes] == "Key box")
        let moved = try await house.control.attachedDevices.move(house.caller(house.ids.owner), house.ids.frontDoor, to: unit.id)
        #expect(moved.portfolioID == house.ids.otherPortfolio && moved.texts[.notes] == nil)
        #expect(last() == .object(["hasNotes": .bool(false)]))
        for log in [LogID.portfolio(house.ids.portfolio), .portfolio(house.ids.otherPortfolio)] {
            #expect(house.store.log(log).last?.body.details["before"] != .object(["hasNotes": .bool(true)]))
        }
        try await note()
        let back = try await Self.change(house, house.ids.frontDoor) { $0.propertyID = .set(house.ids.property) }
        #expect(back.texts[.notes] == nil)
        #expect(last() == .object(["hasNotes": .bool(false)]))
        try await note()
        let again = try await Self.change(house, house.ids.frontDoor) {
            ($0.propertyID, $0.texts[.notes]) = (.set(other), .set("Key box"))
        }
        #expect(again.texts[.notes] == "Key box")
        let left = try await Self.change(house, house.ids.frontDoor) { $0.propertyID = .cleared }
        #expect(left.portfolioID == nil && left.texts[.notes] == nil)
    }

    @Test("a lock that is unassigned because its property or portfolio was deleted loses its notes", arguments: [true, false])
    func notesOfACascade(isPortfolio: Bool) async throws {
        let house = try await House()
        try await Self.change(house) { $0.texts[.notes] = .set("Key box") }
        let portfolios = house.control.portfolios
        if isPortfolio {
            _ = try await portfolios.delete(
                house.caller(house.ids.superAdmin), house.ids.portfolio, RemovalOptions(isCascade: true))
        } else {
            _ = try await portfolios.delete(house.caller(house.ids.owner), house.ids.property, RemovalOptions(isCascade: true))
        }
        let door = try #require(house.control.directory.current.device(house.ids.door))
        #expect(door.portfolioID == nil && door.texts[.notes] == nil)
    }

    @Test("a user who may not move a lock is denied, even if the requested place is invalid")
    func rightBeforePlace() async throws {
        let house = try await House()
        let refused = await denial {
            try await Self.change(house, by: house.ids.tenant) { ($0.propertyID, $0.unitID) = (.cleared, .set(house.ids.unit)) }
        }
        #expect(refused?.reason == .roleInsufficient)
    }

    @Test("only a super admin can see an unassigned lock, and assign it to a property again")
    func unassigned() async throws {
        let house = try await House()
        let left = try await Self.change(house) { $0.propertyID = .cleared }
        #expect(left.propertyID == nil && left.unitID == nil && left.portfolioID == nil)
        #expect(await denial { try await Self.change(house) { $0.name = "Mine" } }?.hasReach == false)
        let hung = try await Self.change(house, by: house.ids.superAdmin) { $0.propertyID = .set(house.ids.property) }
        #expect(hung.portfolioID == house.ids.portfolio)
        #expect(try await house.run(by: house.ids.owner).state == .confirmed)
    }
}

extension RecordValue {
    fileprivate static func id<Entity>(_ id: EntityID<Entity>) -> RecordValue { .string(id.description) }
}
