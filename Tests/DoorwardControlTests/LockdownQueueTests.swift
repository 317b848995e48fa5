import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// The LOCK commands of a lockdown: their order, number and time, and repeated requests.
@Suite struct LockdownQueueTests {
    /// Runs `body` with a house on a virtual clock, in an order that the seed determines.
    private static func inHouse(
        seed: UInt64 = 3, _ behaviour: ScriptedAdapter.Behaviour, _ body: @escaping @Sendable (House) async throws -> Void
    ) throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: seed, clock: clock)
        try executor.run {
            try await body(try await House(seed: seed, clock: clock, executor: executor, behaviour: behaviour))
        }
    }

    @Test("the LOCK goes ahead of the waiting commands, and waiting unlocks are denied")
    func aheadOfTheQueue() throws {
        try Self.inHouse(.confirm(after: .seconds(1))) { house in
            let first = try await house.begin(by: house.ids.tenant)
            var waiting: [RunningCommand] = []
            for user in [house.ids.tenant, house.ids.guest, house.ids.owner, house.ids.owner] {
                waiting.append(try await house.begin(by: user))
            }
            let lock = try await house.begin(.lock, by: house.ids.tenant)
            let started = try await house.lockDown(by: house.ids.managers[0]).value
            let ofLockdown = try #require(started.commands.first { $0.deviceID == house.ids.door })
            #expect(ofLockdown.state == .confirmed)
            #expect(await first.finished.command.state == .confirmed, "it was sent before the lockdown")
            for command in waiting {
                let finished = await command.finished
                #expect(finished.command.state == .denied && finished.denial?.reason == .lockdownActive)
            }
            #expect(await lock.finished.command.state == .confirmed)
            let orders = house.adapter.sentCommands.map(\.command).filter { $0.deviceID == house.ids.door }
            #expect(orders.map(\.commandID) == [first.accepted.id, ofLockdown.id, lock.accepted.id])
        }
    }

    @Test("an unlock with an override that was not needed when it was accepted is denied when a lockdown starts meanwhile")
    func earlierOverride() throws {
        try Self.inHouse(.confirm(after: .seconds(1))) { house in
            _ = try await house.begin(by: house.ids.tenant)
            let request = house.request(by: house.ids.owner, override: "just so")
            let waiting = try #require(try await house.control.locks.begin(request).running)
            _ = try await house.lockDown(by: house.ids.managers[0])
            #expect(await waiting.finished.denial?.reason == .lockdownActive)
        }
    }

    @Test("the LOCK of a lockdown is accepted although the queue is full, and takes no place from others")
    func outsideTheBound() throws {
        try Self.inHouse(.confirm(after: .milliseconds(100))) { house in
            for user in house.ids.managers.prefix(4) { for _ in 0..<4 { _ = try await house.begin(by: user) } }
            _ = try await house.begin(by: house.ids.managers[4])
            #expect(await failure { _ = try await house.begin(by: house.ids.owner) } != nil, "the queue is full")
            let started = try await house.lockDown(by: house.ids.managers[0]).value
            #expect(started.commands.allSatisfy { $0.state == .confirmed } && started.commands.count == 2)
        }
    }

    @Test("a lockdown that is started again while a lock does not answer sends no further LOCK to it, until the first has ended")
    func underway() throws {
        try Self.inHouse(.silent) { house in
            let answers = try await withThrowingTaskGroup(of: StartedLockdown.self) { group in
                for index in 0..<50 {
                    let user = index.isMultiple(of: 2) ? house.ids.owner : house.ids.managers[0]
                    group.addTask { try await house.lockDown(by: user).value }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            func intents(_ device: DeviceID) -> Int {
                house.portfolioLog.count { $0.body.kind == .commandIntent && $0.body.device?.deviceID == device }
            }
            #expect(answers.count == 50)
            for device in [house.ids.door, house.ids.frontDoor] {
                #expect(intents(device) == 1)
                let ids = answers.map { answer in answer.commands.first { $0.deviceID == device }?.id }
                #expect(Set(ids).count == 1 && ids.first != nil, "each answer has the same command")
            }
            // Once it has ended, locking is tried again.
            _ = try await house.lockDown(by: house.ids.owner)
            for device in [house.ids.door, house.ids.frontDoor] { #expect(intents(device) == 2) }
        }
    }

    @Test("a person who has lost the right to lock takes it from nobody who has started the same lockdown")
    func underwayOfAnother() throws {
        try Self.inHouse(.confirm(after: .seconds(1))) { house in
            let (ids, control) = (house.ids, house.control)
            _ = try await house.begin(by: ids.tenant)
            async let first = house.lockDown(by: ids.managers[0])
            try await house.clock.sleep(until: house.clock.monotonicNow().advanced(by: .milliseconds(100)))
            async let second = house.lockDown(by: ids.managers[1])
            try await house.clock.sleep(until: house.clock.monotonicNow().advanced(by: .milliseconds(100)))
            try await control.roles.remove(house.caller(ids.owner), ids.managers[0], from: .property(ids.property))
            let states = try await [first, second].map { answer in
                answer.value.commands.first { $0.deviceID == ids.door }?.state
            }
            #expect(states == [.denied, .confirmed])
        }
    }

    @Test("a repeated request whose LOCK was another person's gets the same command")
    func underwayRepeated() throws {
        try Self.inHouse(.silent) { house in
            async let first = house.lockDown(by: house.ids.managers[0])
            try await house.clock.sleep(until: house.clock.monotonicNow().advanced(by: .milliseconds(100)))
            let call = Self.call(house, "k")
            let second = try #require(try await house.lockDown(by: house.ids.owner, repeatable: call).executed)
            #expect(try await first.value.commands.map(\.id) == second.commands.map(\.id) && second.commands.count == 2)
            let third = try #require(try await house.lockDown(by: house.ids.owner, repeatable: call).replayed)
            #expect(third.commands == second.commands)
            #expect(house.adapter.sentCommands.count == 2)
        }
    }

    @Test("once the lockdown's LOCK was sent, no unlock is sent to the lock: 1,000 interleavings")
    func interleavings() throws {
        let (sent, denied) = (Seen<Int>(), Seen<Int>())
        (sent.value, denied.value) = (0, 0)
        for seed in 0..<1_000 as Range<UInt64> {
            var random = SeededGenerator(seed: seed ^ 0x10C)
            let travel = Duration.milliseconds(Int64.random(in: 1...300, using: &random))
            let starts = (0..<5).map { _ in Duration.milliseconds(Int64.random(in: 0...500, using: &random)) }
            try Self.inHouse(seed: seed, .confirm(after: travel)) { house in
                let (control, property) = (house.control, house.ids.property)
                house.adapter.onSend { order in
                    let isActive = control.directory.snapshot.directory.property(property)?.lockdown != nil
                    if isActive, order.operation != .lock { Issue.record("seed \(seed): an unlock was sent under lockdown") }
                }
                let users = [house.ids.tenant, house.ids.guest, house.ids.owner, house.ids.tenant]
                await withTaskGroup(of: Void.self) { group in
                    for (user, start) in zip(users, starts) {
                        group.addTask {
                            try? await house.clock.sleep(until: house.clock.monotonicNow().advanced(by: start))
                            let state = try? await house.run(by: user).state
                            sent.value? += state == .confirmed ? 1 : 0
                            denied.value? += state == .denied ? 1 : 0
                        }
                    }
                    group.addTask {
                        try? await house.clock.sleep(until: house.clock.monotonicNow().advanced(by: starts[4]))
                        let started = try? await house.lockDown(by: house.ids.managers[0]).value
                        if started?.commands.count != 2 { Issue.record("seed \(seed): \(String(describing: started))") }
                    }
                }
            }
        }
        #expect(sent.value ?? 0 > 200 && denied.value ?? 0 > 50, "\(sent.value ?? 0) sent, \(denied.value ?? 0) denied")
    }

    // MARK: - Number and time

    @Test("at most 64 locks are locked at the same time; the response comes after 14 s, and the others are locked later")
    func manySilentLocks() throws {
        try Self.inHouse(.silent) { house in
            let devices = try await house.attachDevices(70)
            let begin = house.clock.monotonicNow()
            let started = try await house.lockDown(by: house.ids.owner, timeout: .seconds(60)).value
            #expect(house.clock.monotonicNow().duration(since: begin) == .seconds(14))
            #expect(started.results.count == 72)
            // The first locks have timed out after 13 s, and the others have been sent the command since.
            #expect(started.commands.count { $0.state == .timedOut } == 64)
            #expect(started.commands.count { $0.state == .dispatched } == 8)
            let times = house.adapter.sentCommands.map { $0.at.duration(since: begin) }
            #expect(times.count { $0 == .zero } == 64 && times.count { $0 == .seconds(13) } == 8)
            #expect(Set(house.adapter.sentCommands.map(\.command.deviceID)).isSuperset(of: devices))
        }
    }

    @Test("locks whose turn has not come are in the response without a command, and are locked afterwards")
    func pending() throws {
        try Self.inHouse(.silent) { house in
            _ = try await house.attachDevices(130)
            let started = try await house.lockDown(by: house.ids.owner).value
            let pending = started.results.count { if case .pending = $0.outcome { true } else { false } }
            #expect(started.results.count == 132 && pending == 4)
            try await house.clock.sleep(until: house.clock.monotonicNow().advanced(by: .seconds(30)))
            #expect(Set(house.adapter.sentCommands.map(\.command.deviceID)).count == 132)
            #expect(house.portfolioLog.count { $0.body.outcome == .timedOut } == 132)
        }
    }

    @Test("when the lockdown is ended meanwhile, the remaining locks are not locked")
    func liftedMeanwhile() throws {
        try Self.inHouse(.silent) { house in
            _ = try await house.attachDevices(100)
            async let start = house.lockDown(by: house.ids.owner)
            try await house.clock.sleep(until: house.clock.monotonicNow().advanced(by: .seconds(5)))
            _ = try await house.lift(by: house.ids.managers[0])
            let started = try await start.value
            #expect(started.property.lockdown == nil && started.commands.count == 64)
            #expect(house.adapter.sentCommands.count == 64)
        }
    }

    // MARK: - Repeated requests

    private static func call(_ house: House, _ key: String, fingerprint: UInt8 = 1) -> IdempotentCall {
        IdempotentCall(key: IdempotencyKey(principal: "user:\(house.ids.owner)", key: key), fingerprint: [fingerprint])
    }

    @Test("a repeated request gets the commands of the first one, also after a restart and after the end of the lockdown")
    func repeated() async throws {
        let house = try await House()
        let first = try #require(try await house.lockDown(by: house.ids.owner, repeatable: Self.call(house, "k")).executed)
        let second = try #require(try await house.lockDown(by: house.ids.owner, repeatable: Self.call(house, "k")).replayed)
        #expect(second.commands == first.commands && second.property == first.property)
        let next = try await House(clock: house.clock, store: house.store)
        let third = try #require(try await next.lockDown(by: house.ids.owner, repeatable: Self.call(house, "k")).replayed)
        #expect(third.commands == first.commands)
        _ = try await next.lift(by: house.ids.owner)
        let fourth = try #require(try await next.lockDown(by: house.ids.owner, repeatable: Self.call(house, "k")).replayed)
        #expect(fourth.commands == first.commands && fourth.property.lockdown == nil)
        #expect(house.adapter.sentCommands.count == 2 && next.adapter.sentCommands.isEmpty)
        let error = await failure {
            _ = try await next.lockDown(by: house.ids.owner, repeatable: Self.call(house, "k", fingerprint: 2))
        }
        guard case .idempotencyMismatch = error else { Issue.record("\(String(describing: error))"); return }
    }

    @Test("concurrent requests with one key send one LOCK to each device")
    func twins() async throws {
        let house = try await House()
        let answers = try await withThrowingTaskGroup(of: Answered<StartedLockdown>.self) { group in
            for _ in 0..<6 {
                group.addTask { try await house.lockDown(by: house.ids.owner, repeatable: Self.call(house, "k")) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count { !$0.isReplay } == 1)
        #expect(Set(answers.map { $0.value.commands.map(\.id) }).count == 1)
        #expect(house.adapter.sentCommands.count == 2)
    }

    @Test("a repeated request after a crash locks the devices for which the first one began no command")
    func interrupted() async throws {
        let house = try await House()
        let first = try await house.lockDown(by: house.ids.owner, repeatable: Self.call(house, "k")).value
        _ = try await house.attachDevices(1)
        let next = try await House(clock: house.clock, store: house.store)
        let second = try #require(try await next.lockDown(by: house.ids.owner, repeatable: Self.call(house, "k")).replayed)
        #expect(second.commands.count == 3)
        #expect(Set(second.commands.map(\.id)).isSuperset(of: first.commands.map(\.id)))
        #expect(next.adapter.sentCommands.count == 1)
    }
}
