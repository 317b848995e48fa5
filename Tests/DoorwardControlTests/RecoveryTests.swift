import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// What a gateway finds when it starts after one that died, stops in order, or lost its disk for a while.
@Suite struct RecoveryTests {
    @Test("an intent without an outcome gets UNKNOWN at the start, and nothing is sent")
    func unknownAfterACrash() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .silent)
            let running = try await house.begin(by: house.ids.tenant)
            let waiting = try await house.begin(by: house.ids.owner)
            let restarted = try await House(clock: clock, executor: executor, store: house.store.reopened())
            for id in [running.accepted.id, waiting.accepted.id] {
                let command = try #require(try await restarted.store.command(id)?.command)
                #expect(command.state == .unknown)
                #expect(command.sent == nil)
                #expect(restarted.records(of: id).map(\.kind) == [.commandIntent, .commandOutcome])
                #expect(restarted.records(of: id).last?.outcome == .unknown)
            }
            #expect(restarted.adapter.orders.isEmpty)
            #expect(restarted.gatewayLog.suffix(2).map(\.body.event) == [.recovered, .start])
            // The lock's next report belongs to a command whose outcome is unknown. Both are of one instant: the ids order them.
            restarted.adapter.report(.unlocked, from: house.ids.door)
            await restarted.control.stop()
            let last = [running, waiting].compactMap { restarted.records(of: $0.accepted.id).last }
            #expect(last.filter { $0.kind == .deviceEvent }.map(\.event) == [.unlocked])
        }
    }

    @Test("a third start finds nothing to settle")
    func settledOnce() async throws {
        let house = try await House(behaviour: .silent)
        let running = try await house.begin(by: house.ids.tenant)
        let second = try await House(clock: house.clock, store: house.store.reopened())
        let third = try await House(clock: house.clock, store: second.store.reopened())
        #expect(third.records(of: running.accepted.id).count { $0.kind == .commandOutcome } == 1)
    }

    @Test("stopping ends at once what waits, gives what was sent its time, and then calls it unknown")
    func stopInOrder() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .silent)
            let sent = try await house.begin(by: house.ids.tenant, timeout: .seconds(60))
            let waiting = try await house.begin(by: house.ids.owner, timeout: .seconds(60))
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(1)))
            let stopping = clock.monotonicNow()
            await house.control.stop(patience: .seconds(10))
            let first = await sent.finished.command
            let second = await waiting.finished.command
            #expect(first.state == .unknown)
            #expect(second.state == .failed)
            #expect(second.outcomeDetail == "shutting_down")
            #expect(second.sent == false)
            #expect(clock.monotonicNow().duration(since: stopping) == .seconds(10))
            #expect(house.adapter.orders.count == 1)
            #expect(house.gatewayLog.last?.body.event == .stop)
            guard case .shuttingDown = await failure({ _ = try await house.begin(by: house.ids.tenant) }) else {
                Issue.record("a stopped gateway took a command")
                return
            }
        }
    }

    @Test("a command that was sent is still confirmed while the gateway stops")
    func confirmedWhileStopping() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .confirm(after: .seconds(3)))
            let sent = try await house.begin(by: house.ids.tenant)
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(1)))
            await house.control.stop(patience: .seconds(10))
            #expect(await sent.finished.command.state == .confirmed)
        }
    }

    @Test(
        "an outcome that cannot be written is UNKNOWN to everybody, and no command is taken until the store can write again; commands are accepted"
    )
    func outcomeNotWritten() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .confirm(after: .seconds(1)))
            let running = try await house.begin(by: house.ids.tenant)
            house.store.failNext(.failed("disk I/O error"))
            let command = await running.finished.command
            #expect(command.state == .unknown)
            #expect(command.sent == nil)
            let refused = await failure { _ = try await house.begin(by: house.ids.owner) }
            guard case .unavailable = refused else {
                Issue.record("expected unavailable, got \(String(describing: refused))")
                return
            }
            #expect(house.control.directory.current.device(house.ids.door) != nil, "reading goes on")
            house.store.recover()
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(30)))
            #expect(try await house.store.command(command.id)?.command.state == .unknown)
            #expect(house.records(of: command.id).count { $0.kind == .commandOutcome } == 1)
            #expect(try await house.run(by: house.ids.owner).state == .confirmed)
            #expect(house.adapter.orders.count == 2)
        }
    }

    @Test("an intent that cannot be written sends nothing", arguments: [true, false])
    func intentNotWritten(isDurable: Bool) throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor)
            house.store.failNext(.failed("disk I/O error"), isDurable: isDurable)
            let refused = await failure { _ = try await house.begin(by: house.ids.tenant) }
            guard case .unavailable = refused else {
                Issue.record("expected unavailable, got \(String(describing: refused))")
                return
            }
            #expect(house.adapter.orders.isEmpty)
            house.store.recover()
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(30)))
            // If the intent was durable after all, it has its one outcome by now.
            let intents = house.portfolioLog.count { $0.body.kind == .commandIntent }
            let outcomes = house.portfolioLog.count { $0.body.kind == .commandOutcome }
            #expect(intents == (isDurable ? 1 : 0))
            #expect(outcomes == intents)
            #expect(try await house.run(by: house.ids.tenant).state == .confirmed)
        }
    }

    @Test("a revoke whose write is in doubt is in force once the store has been read back, if it was durable")
    func doubtfulRevoke() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor)
            house.store.failNext(.failed("disk I/O error"), isDurable: true)
            let refused = await failure {
                try await house.control.guestAccesses.revoke(house.caller(house.ids.tenant), house.ids.guestAccess)
            }
            guard case .unavailable = refused else {
                Issue.record("expected unavailable, got \(String(describing: refused))")
                return
            }
            house.store.recover()
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(30)))
            let denied = await denial { _ = try await house.run(by: house.ids.guest) }
            #expect(denied?.reason == .guestAccessRevoked)
        }
    }
}
