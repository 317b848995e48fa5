import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// Starting and ending a lockdown, and what it forbids.
@Suite struct LockdownTests {
    @Test("a lockdown locks every device of the property, and is in force and recorded before the first LOCK is sent")
    func start() async throws {
        let house = try await House()
        let sentBefore = Seen<DeviceID>()
        let (control, property) = (house.control, house.ids.property)
        house.adapter.onSend { order in
            if control.directory.snapshot.directory.property(property)?.lockdown == nil { sentBefore.value = order.deviceID }
        }
        let started = try await house.lockDown(by: house.ids.managers[0], reason: "Alarm").value
        #expect(sentBefore.value == nil && house.adapter.sentCommands.count == 2)
        let manager = house.ids.managers[0]
        #expect(started.property.lockdown == Lockdown(since: house.clock.now(), byUserID: manager, reason: "Alarm"))
        #expect(started.results.map(\.deviceID) == [house.ids.door, house.ids.frontDoor].sorted())
        for command in started.commands {
            #expect(command.operation == .lock && command.state == .confirmed && command.reason == "Alarm")
            #expect(command.rule.role == .propertyManager && command.actor.userID == manager && command.override == nil)
            #expect(house.records(of: command.id).map(\.kind) == [.commandIntent, .commandOutcome])
        }
        #expect(started.commands.count == 2)
        #expect(!house.adapter.sentCommands.contains { $0.command.deviceID == house.ids.otherDoor })
    }

    @Test("start and end are recorded in the gateway's and the portfolio's log, with the values before and after")
    func records() async throws {
        let house = try await House()
        let manager = house.ids.managers[0]
        _ = try await house.lockDown(by: manager, reason: "Alarm")
        _ = try await house.lift(by: house.ids.owner)
        let active: RecordValue = .object([
            "active": .bool(true), "since": .string(house.clock.now().description),
            "byUserId": .string(manager.description), "reason": .personal("Alarm", person: manager),
        ])
        let inactive: RecordValue = .object(["active": .bool(false)])
        for log in [house.gatewayLog, house.portfolioLog] {
            let changes = log.map(\.body).filter { $0.kind == .adminChange }
            #expect(changes.map(\.actor.userID) == [manager, house.ids.owner])
            #expect(
                changes.allSatisfy { $0.action == .update && $0.target == RecordTarget(type: "Property", id: house.property) })
            #expect(changes.map { $0.details["before"] } == [.object(["lockdown": inactive]), .object(["lockdown": active])])
            #expect(changes.map { $0.details["after"] } == [.object(["lockdown": active]), .object(["lockdown": inactive])])
        }
        let kinds = house.portfolioLog.map(\.body.kind)
        #expect(kinds.first == .adminChange, "the mode is recorded before any command: \(kinds)")
        #expect(house.store.log(.portfolio(house.ids.otherPortfolio)).isEmpty)
    }

    @Test("ending a lockdown moves no lock; afterwards the doors can be opened again")
    func lift() async throws {
        let house = try await House()
        _ = try await house.lockDown(by: house.ids.owner)
        let orders = house.adapter.sentCommands.count
        #expect(await denial { _ = try await house.run(by: house.ids.tenant) }?.reason == .lockdownActive)
        let property = try await house.lift(by: house.ids.managers[0])
        #expect(property.lockdown == nil)
        #expect(house.adapter.sentCommands.count == orders)
        #expect(try await house.run(by: house.ids.tenant).state == .confirmed)
    }

    @Test("ending a lockdown that is not active, and starting one that is active, change and record nothing")
    func unchanged() async throws {
        let house = try await House()
        let before = house.gatewayLog.count
        #expect(try await house.lift(by: house.ids.owner).lockdown == nil)
        #expect(house.gatewayLog.count == before)
        let first = try await house.lockDown(by: house.ids.owner, reason: "first").value.property
        house.clock.advance(by: .seconds(5))
        let second = try await house.lockDown(by: house.ids.managers[0], reason: "second").value.property
        #expect(second == first)
        #expect(house.gatewayLog.count == before + 1)
    }

    @Test("starting it again locks only the devices that are not known to be locked")
    func again() async throws {
        let house = try await House()
        #expect(try await house.lockDown(by: house.ids.owner).value.results.count == 2)
        #expect(try await house.lockDown(by: house.ids.owner).value.results.isEmpty)
        house.adapter.report(.unlocked, method: .manual, from: house.ids.door)
        let again = try await house.lockDown(by: house.ids.owner).value
        #expect(again.results.map(\.deviceID) == [house.ids.door])
        house.adapter.report(.state(.locked, quality: .stale, method: nil, operatorName: nil), from: house.ids.frontDoor)
        let doubtful = try await house.lockDown(by: house.ids.owner).value
        #expect(doubtful.results.map(\.deviceID) == [house.ids.frontDoor], "a stale state is no proof")
    }

    @Test("owners, portfolio admins and managers may start and end it; others get the same denial as for other changes")
    func rights() async throws {
        let house = try await House()
        for user in [house.ids.tenant, house.ids.superAdmin] {
            #expect(await denial { _ = try await house.lockDown(by: user) }?.reason == .roleInsufficient)
            #expect(await denial { _ = try await house.lift(by: user) }?.reason == .roleInsufficient)
        }
        for user in [house.ids.stranger, house.ids.guest] {
            #expect(await denial { _ = try await house.lockDown(by: user) }?.hasReach == false)
            #expect(await denial { _ = try await house.lift(by: user) }?.hasReach == false)
        }
        let unknown = await failure {
            _ = try await house.control.lockdowns.start(
                house.caller(house.ids.superAdmin), on: PropertyID(high: 9, low: 9), reason: nil, timeout: .seconds(10),
                repeatable: nil)
        }
        guard case .notFound = unknown else { Issue.record("\(String(describing: unknown))"); return }
        #expect(house.adapter.sentCommands.isEmpty)
        #expect(house.control.directory.current.property(house.ids.property)?.lockdown == nil)
    }

    @Test("a lockdown lasts over a restart of the gateway")
    func restart() async throws {
        let house = try await House()
        let property = try await house.lockDown(by: house.ids.owner, reason: "Alarm").value.property
        let next = try await House(clock: house.clock, store: house.store)
        #expect(next.control.directory.current.property(house.ids.property) == property)
        #expect(await denial { _ = try await next.run(by: house.ids.tenant) }?.reason == .lockdownActive)
    }

    @Test("an owner's override opens a lock, and command and intent contain its reason")
    func breakGlass() async throws {
        let house = try await House()
        _ = try await house.lockDown(by: house.ids.owner)
        let request = house.request(by: house.ids.owner, override: "smoke in 2B")
        let command = try await house.control.locks.execute(request).value.command
        #expect(command.state == .confirmed && command.override == "smoke in 2B" && command.rule.role == .owner)
        #expect(house.records(of: command.id).map(\.override) == ["smoke in 2B", nil])
        let managers = house.request(by: house.ids.managers[0], override: "let me in")
        #expect(await denial { _ = try await house.control.locks.execute(managers) }?.reason == .lockdownActive)
        _ = try await house.lift(by: house.ids.owner)
        let needless = try await house.control.locks.execute(house.request(by: house.ids.owner, override: "just so")).value
        #expect(needless.command.override == nil)
        #expect(house.records(of: needless.command.id).allSatisfy { $0.override == nil })
    }

    @Test("a lock that is attached during a lockdown is under it at once")
    func attached() async throws {
        let house = try await House()
        _ = try await house.lockDown(by: house.ids.owner)
        let device = try await house.attachDevices(1)[0]
        #expect(await denial { _ = try await house.run(by: house.ids.owner, on: device) }?.reason == .lockdownActive)
        #expect(try await house.run(.lock, by: house.ids.owner, on: device).state == .confirmed)
    }

    @Test("each device that is denied has its reason, and these denials count towards no limit")
    func denied() async throws {
        let house = try await House(deniedPerMinute: 3)
        let disabled = try await house.attachDevices(5, isRemoteOperationEnabled: false)
        let started = try await house.lockDown(by: house.ids.managers[0]).value
        #expect(started.commands.count == 2)
        let reasons = started.results.compactMap { result -> (DeviceID, DenialReason)? in
            if case .denied(let denial, _) = result.outcome { (result.deviceID, denial.reason) } else { nil }
        }
        #expect(reasons.map(\.0) == disabled.sorted())
        #expect(reasons.allSatisfy { $0.1 == .remoteOperationDisabled })
        #expect(house.portfolioLog.count { $0.body.kind == .denial } == 5)
        #expect(try await house.run(.lock, by: house.ids.managers[0]).state == .confirmed)
    }
}

extension House {
    var property: String { ids.property.description }

    func lockDown(
        by user: UserID, reason: String? = nil, timeout: Duration = .seconds(10), repeatable: IdempotentCall? = nil
    ) async throws(GatewayError) -> Answered<StartedLockdown> {
        try await control.lockdowns.start(
            caller(user), on: ids.property, reason: reason, timeout: timeout, repeatable: repeatable)
    }

    func lift(by user: UserID) async throws(GatewayError) -> Property {
        try await control.lockdowns.lift(caller(user), on: ids.property)
    }

    /// Attaches more locks to the property.
    func attachDevices(_ count: Int, isRemoteOperationEnabled: Bool = true) async throws -> [DeviceID] {
        var devices: [DeviceID] = []
        for number in 0..<count {
            let new = NewDevice(
                name: "Lock \(number)", adapter: "scripted", address: ["number": .integer(Int64(number))],
                propertyID: ids.property, unitID: nil,
                isRemoteOperationEnabled: isRemoteOperationEnabled)
            devices.append(try await control.attachedDevices.attach(caller(ids.owner), new, repeatable: nil).value.id)
        }
        return devices
    }
}

extension StartedLockdown {
    /// The commands of all results, sorted by device.
    var commands: [Command] {
        results.compactMap { if case .command(let command) = $0.outcome { command } else { nil } }
    }
}
