import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// What becomes of a lock that is changed, moved or detached, and of everything that hangs on it.
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

    @Test("a detached lock is gone for everybody, and the change stands in the portfolio's log and in the gateway's")
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

    @Test("what lists the lock lets go of it: its guest accesses end, those of several locks go on, a common area leaves")
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
            ).fresh)
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

    @Test("a command that was sent ends as the lock says, one that waited is denied, and then nobody listens to the lock")
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
            #expect(house.adapter.orders.count == 1)
            #expect(!house.adapter.attached.contains { $0.id == house.ids.door })
            #expect(house.control.devices.status(of: house.ids.door) == DeviceStatus())
        }
    }

    @Test("a delete whose writing is in doubt is settled by what the store holds: the adapter lets go of what is gone")
    func inDoubt() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 4, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor)
            house.store.failNext(.failed("the disk"), isDurable: true)
            let error = await failure { try await Self.detach(house, house.ids.door) }
            guard case .unavailable = error else {
                return _ = Issue.record("the failure was hidden: \(String(describing: error))")
            }
            #expect(house.adapter.attached.contains { $0.id == house.ids.door })
            house.store.recover()
            while !house.control.ledger.isAcceptingCommands {
                try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(1)))
            }
            #expect(house.control.directory.current.device(house.ids.door) == nil)
            #expect(!house.adapter.attached.contains { $0.id == house.ids.door })
            #expect(house.adapter.attached.contains { $0.id == house.ids.frontDoor })
        }
    }

    @Test("an access that had ended is left as it was: the log tells of no end that there was not")
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

    @Test("what is named changes and the rest stays; the log says what it was and what it is")
    func details() async throws {
        let house = try await House()
        let before = try #require(house.control.directory.current.device(house.ids.door))
        let changed = try await Self.change(house) {
            $0.name = "Blue door"
            $0.model = .set("M1")
            $0.isRemoteOperationEnabled = false
            $0.metadata = ["key": .string("secret")]
        }
        var expected = before
        (expected.name, expected.model, expected.isRemoteOperationEnabled) = ("Blue door", "M1", false)
        (expected.metadata, expected.updatedAt) = (["key": .string("secret")], house.clock.now())
        #expect(changed == expected)
        let record = try #require(house.portfolioLog.last?.body)
        #expect(record.action == .update)
        #expect(
            record.details["after"]
                == .object([
                    "name": .personal("Blue door", person: nil), "model": .string("M1"), "isRemoteOperationEnabled": .bool(false),
                    "metadataKeys": .integer(1),
                ]))
        #expect(await denial { _ = try await house.run(by: house.ids.owner) }?.reason == .remoteOperationDisabled)
        let cleared = try await Self.change(house) { $0.model = .cleared }
        #expect(cleared.model == nil && cleared.name == "Blue door")
    }

    @Test("a change that changes nothing is answered and not written")
    func nothingChanges() async throws {
        let house = try await House()
        let commits = house.store.commitCount
        let device = try await Self.change(house) { $0.propertyID = .set(house.ids.property) }
        #expect(device == house.control.directory.current.device(house.ids.door))
        #expect(house.store.commitCount == commits)
    }

    @Test("a lock at another address is another lock: it is attached anew, and nothing is known of it")
    func address() async throws {
        let house = try await House()
        _ = try await house.run(by: house.ids.owner)
        #expect(house.control.devices.status(of: house.ids.door).state == .unlocked)
        try await Self.change(house) { $0.address = ["code": .string("1234")] }
        #expect(house.control.devices.status(of: house.ids.door) == DeviceStatus())
        #expect(house.adapter.attached.first { $0.id == house.ids.door }?.address == ["code": .string("1234")])
        let record = try #require(house.portfolioLog.last?.body)
        #expect(record.details["after"] == .object(["address": .array([.string("code")])]), "and never what it holds")
        house.adapter.set(mistakes: AddressErrors([.init(field: "address.code", problem: "wrong_type")]))
        let refused = await failure { try await Self.change(house) { $0.address = ["code": .integer(1)] } }
        guard case .invalid(let problems) = refused else { return _ = Issue.record("a bad address was taken") }
        #expect(problems == [FieldProblem(field: "address.code", problem: "wrong_type")])
    }

    @Test("an order on its way to the old address is not confirmed by the lock at the new one")
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
            // Nothing that the new lock says is an answer to it.
            house.adapter.report(.unlocked, from: house.ids.door)
            house.adapter.report(.jammed, from: house.ids.door)
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(1)))
            let events = house.portfolioLog.map(\.body).filter { $0.kind == .deviceEvent }
            #expect(!events.isEmpty && events.allSatisfy { $0.commandID == nil })
        }
    }

    @Test("a command that waits for the lock at the old address is sent to neither")
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
            #expect(house.adapter.orders.map(\.order.commandID) == [sent.accepted.id, later.accepted.id])
        }
    }

    @Test("a command without an answer is forgotten when its lock goes to another portfolio, whose log knows nothing of it")
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

    @Test("a lock that moves within its property takes no guest along, and who lives where it hung loses it")
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

    @Test("a lock moves to another portfolio by one who may on both ends; both logs say so")
    func movingFar() async throws {
        let house = try await House()
        let other = try #require(house.control.directory.current.device(house.ids.otherDoor)?.propertyID)
        let foreign = await denial { try await Self.change(house) { $0.propertyID = .set(other) } }
        #expect(foreign?.hasReach == false)
        _ = try await house.control.roles.assign(
            house.caller(house.ids.superAdmin), .owner, to: house.ids.owner, on: .portfolio(house.ids.otherPortfolio))
        let moved = try await Self.change(house) { $0.propertyID = .set(other) }
        #expect(moved.portfolioID == house.ids.otherPortfolio && moved.unitID == nil)
        for log in [LogID.portfolio(house.ids.portfolio), .portfolio(house.ids.otherPortfolio), .gateway] {
            #expect(house.store.log(log).last?.body.action == .move)
        }
        let elsewhere = await failure {
            try await Self.change(house, house.ids.frontDoor) {
                ($0.propertyID, $0.unitID) = (.set(other), .set(house.ids.unit))
            }
        }
        guard case .invalid(let problems) = elsewhere else { return _ = Issue.record("a unit of another property was taken") }
        #expect(problems == [FieldProblem(field: "unitId", problem: "not_in_property")])
    }

    @Test("whoever may not move a lock is told so, also when the place makes no sense")
    func rightBeforePlace() async throws {
        let house = try await House()
        let refused = await denial {
            try await Self.change(house, by: house.ids.tenant) { ($0.propertyID, $0.unitID) = (.cleared, .set(house.ids.unit)) }
        }
        #expect(refused?.reason == .roleInsufficient)
    }

    @Test("an unassigned lock is a super admin's alone, who hangs it up again")
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
