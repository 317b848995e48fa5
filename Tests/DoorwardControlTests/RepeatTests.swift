import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// A request with an `Idempotency-Key` is executed once, even if it is sent again.
@Suite struct RepeatTests {
    static func call(_ key: String = "k1", fingerprint: UInt8 = 1, of user: UserID) -> IdempotentCall {
        IdempotentCall(key: IdempotencyKey(principal: "user:\(user)", key: key), fingerprint: [fingerprint])
    }

    @Test("a repeat gets the first response, and only one command is sent")
    func replays() async throws {
        let house = try await House()
        let call = Self.call(of: house.ids.tenant)
        let first = try await house.control.locks.begin(house.request(by: house.ids.tenant), repeatable: call)
        let finished = await (try #require(first.running)).finished
        let second = try await house.control.locks.begin(house.request(by: house.ids.tenant), repeatable: call)
        let replayed = await (try #require(second.replayed)).finished
        #expect(replayed.command == finished.command && replayed.command.state == .confirmed)
        #expect(second.isReplay && !first.isReplay)
        #expect(house.adapter.sentCommands.count == 1)
    }

    @Test("a different request with the same key is rejected, and no command is sent")
    func mismatch() async throws {
        let house = try await House()
        let first = try await house.control.locks.begin(
            house.request(by: house.ids.tenant), repeatable: Self.call(of: house.ids.tenant))
        _ = await first.running?.finished
        let error = await failure {
            _ = try await house.control.locks.begin(
                house.request(.lock, by: house.ids.tenant), repeatable: Self.call(fingerprint: 2, of: house.ids.tenant))
        }
        guard case .idempotencyMismatch = error else {
            Issue.record("expected idempotencyMismatch, got \(String(describing: error))")
            return
        }
        #expect(house.adapter.sentCommands.count == 1)
    }

    @Test("repeats of a request in flight wait for it: one command is created and sent", arguments: 0..<200 as Range<UInt64>)
    func twins(seed: UInt64) throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: seed, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .confirm(after: .seconds(1)))
            let bodies = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        let answered = try await house.control.locks.begin(
                            house.request(by: house.ids.tenant), repeatable: Self.call(of: house.ids.tenant))
                        let command = await answered.value.finished.command
                        return "\(command.id) \(command.state.rawValue)"
                    }
                }
                var bodies: Set<String?> = []
                for try await body in group { bodies.insert(body) }
                return bodies
            }
            #expect(bodies.count == 1)
            #expect(house.adapter.sentCommands.count == 1)
        }
    }

    @Test("a repeat after a restart gets the same response, and no command is sent")
    func afterARestart() async throws {
        let house = try await House()
        let call = Self.call(of: house.ids.tenant)
        let first = try await house.control.locks.begin(house.request(by: house.ids.tenant), repeatable: call)
        let finished = await (try #require(first.running)).finished
        let restarted = try await House(clock: house.clock, store: house.store.reopened())
        let replayed = try #require(
            try await restarted.control.locks.begin(restarted.request(by: house.ids.tenant), repeatable: call).replayed)
        #expect(await replayed.finished.command == finished.command)
        #expect(restarted.adapter.sentCommands.isEmpty)
    }

    @Test("a denied request is decided again under the same key, and may then be allowed")
    func denialsAreNotKept() async throws {
        let house = try await House()
        let call = Self.call(of: house.ids.stranger)
        let refused = await denial {
            _ = try await house.control.locks.begin(house.request(by: house.ids.stranger), repeatable: call)
        }
        #expect(refused?.hasReach == false)
        _ = try await house.control.roles.assign(
            house.caller(house.ids.owner), .tenant, to: house.ids.stranger, on: .unit(house.ids.unit))
        let running = try await house.control.locks.begin(house.request(by: house.ids.stranger), repeatable: call).running
        #expect(await running?.finished.command.state == .confirmed)
    }

    @Test("a key can be used again after a day")
    func keysEndAfterADay() async throws {
        let house = try await House()
        let call = Self.call(of: house.ids.tenant)
        for _ in 0..<2 {
            let running = try await house.control.locks.begin(house.request(by: house.ids.tenant), repeatable: call).running
            #expect(await running?.finished.command.state == .confirmed)
            house.clock.advance(by: .seconds(24 * 3600 + 1))
        }
        #expect(house.adapter.sentCommands.count == 2)
    }

    @Test("a creation with a key happens once, also for concurrent repeats", arguments: 0..<50 as Range<UInt64>)
    func creations(seed: UInt64) throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: seed, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor)
            let call = IdempotentCall(key: IdempotencyKey(principal: "p", key: "create"), fingerprint: [1])
            let ids = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        try await house.control.portfolios.create(
                            house.caller(house.ids.superAdmin), name: "New", owners: [], repeatable: call
                        ).value.id.description
                    }
                }
                var ids: Set<String> = []
                for try await id in group { ids.insert(id) }
                return ids
            }
            #expect(ids.count == 1)
            #expect(house.control.directory.current.portfolioIDs.count == 3)
        }
    }

    @Test(
        "of two different requests with one key, a command and a creation, only one is executed",
        arguments: 0..<60 as Range<UInt64>)
    func oneKeyForAllCalls(seed: UInt64) throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: seed, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor)
            let owner = house.ids.owner
            let creation = IdempotentCall(key: IdempotencyKey(principal: "user:\(owner)", key: "k1"), fingerprint: [2])
            let ends = await withTaskGroup(of: GatewayError?.self) { group in
                group.addTask {
                    await failure {
                        let begun = try await house.control.locks.begin(
                            house.request(by: owner), repeatable: Self.call(of: owner))
                        _ = await begun.running?.finished
                    }
                }
                group.addTask {
                    await failure {
                        _ = try await house.control.attachedDevices.attach(
                            house.caller(owner), .test(in: house.ids.property), repeatable: creation)
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            let refused = ends.compactMap(\.self)
            guard refused.count == 1, case .idempotencyMismatch = refused[0] else {
                return _ = Issue.record("seed \(seed): expected one mismatch, got \(refused)")
            }
        }
    }

    @Test("a repeat of a command that was denied in the queue returns the reason, even after a restart")
    func deniedThenRestarted() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 8, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .confirm(after: .seconds(1)))
            let guest = house.ids.guest
            let call = Self.call(of: guest)
            let first = try await house.begin(by: house.ids.owner)
            let second = try await house.control.locks.begin(house.request(by: guest), repeatable: call)
            try await house.control.guestAccesses.revoke(house.caller(house.ids.tenant), house.ids.guestAccess)
            _ = await first.finished
            #expect(await second.running?.finished.command.state == .denied)
            let restarted = try await House(clock: clock, executor: executor, store: house.store.reopened())
            let replayed = try await restarted.control.locks.begin(house.request(by: guest), repeatable: call).replayed
            let finished = await replayed?.finished
            #expect(finished?.command.state == .denied)
            #expect(finished?.denial?.reason == .guestAccessRevoked && finished?.denial?.hasReach == true)
        }
    }

    @Test("a repeat of a creation returns the entity as it is now, and is denied if the entity was deleted")
    func createdEntity() async throws {
        let house = try await House()
        let owner = house.caller(house.ids.owner)
        let call = Self.call(of: house.ids.owner)
        let devices = house.control.attachedDevices
        let made = try await devices.attach(owner, .test(in: house.ids.property), repeatable: call).value
        var changes = DeviceChanges()
        changes.name = "Renamed"
        _ = try await devices.change(owner, made.id, changes)
        let again = try await devices.attach(owner, .test(in: house.ids.property), repeatable: call)
        #expect(again.isReplay && again.value.id == made.id && again.value.name == "Renamed")
        try await devices.detach(owner, made.id)
        let gone = await denial {
            _ = try await devices.attach(owner, .test(in: house.ids.property), repeatable: call)
        }
        #expect(gone?.hasReach == false)
    }
}
