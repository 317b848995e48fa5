import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// The gateway after a crash, during a stop, and after a temporary failure of the store.
@Suite struct RecoveryTests {
    @Test("an intent without an outcome ends as UNKNOWN at the next start, and nothing is sent")
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
            #expect(restarted.adapter.sentCommands.isEmpty)
            #expect(restarted.gatewayLog.suffix(2).map(\.body.event) == [.recovered, .start])
            // The lock's next report is linked to one of the two unknown commands. Both have the
            // same time, so the order of their ids decides which command this is.
            restarted.adapter.report(.unlocked, from: house.ids.door)
            await restarted.control.stop()
            let last = [running, waiting].compactMap { restarted.records(of: $0.accepted.id).last }
            #expect(last.filter { $0.kind == .deviceEvent }.map(\.event) == [.unlocked])
        }
    }

    @Test("a third start adds no second outcome")
    func settledOnce() async throws {
        let house = try await House(behaviour: .silent)
        let running = try await house.begin(by: house.ids.tenant)
        let second = try await House(clock: house.clock, store: house.store.reopened())
        let third = try await House(clock: house.clock, store: second.store.reopened())
        #expect(third.records(of: running.accepted.id).count { $0.kind == .commandOutcome } == 1)
    }

    @Test("stopping ends waiting commands immediately, gives a sent command some time, and then ends it as UNKNOWN")
    func stopInOrder() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .silent)
            let sent = try await house.begin(by: house.ids.tenant, timeout: .seconds(60))
            let waiting = try await house.begin(by: house.ids.owner, timeout: .seconds(60))
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(1)))
            let stopping = clock.monotonicNow()
            await house.control.stop(gracePeriod: .seconds(10))
            let first = await sent.finished.command
            let second = await waiting.finished.command
            #expect(first.state == .unknown)
            #expect(second.state == .failed)
            #expect(second.outcomeDetail == "shutting_down")
            #expect(second.sent == false)
            #expect(clock.monotonicNow().duration(since: stopping) == .seconds(10))
            #expect(house.adapter.sentCommands.count == 1)
            #expect(house.gatewayLog.last?.body.event == .stop)
            guard case .shuttingDown = await failure({ _ = try await house.begin(by: house.ids.tenant) }) else {
                Issue.record("a stopped gateway accepted a command")
                return
            }
        }
    }

    @Test("a sent command can still be confirmed while the gateway stops")
    func confirmedWhileStopping() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .confirm(after: .seconds(3)))
            let sent = try await house.begin(by: house.ids.tenant)
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(1)))
            await house.control.stop(gracePeriod: .seconds(10))
            #expect(await sent.finished.command.state == .confirmed)
        }
    }

    @Test("a command whose outcome cannot be written is UNKNOWN, and none is accepted until the store is writable again")
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
            #expect(house.control.directory.current.device(house.ids.door) != nil, "reading still works")
            house.store.recover()
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(30)))
            #expect(try await house.store.command(command.id)?.command.state == .unknown)
            #expect(house.records(of: command.id).count { $0.kind == .commandOutcome } == 1)
            #expect(try await house.run(by: house.ids.owner).state == .confirmed)
            #expect(house.adapter.sentCommands.count == 2)
        }
    }

    @Test("a command whose intent cannot be written is not sent", arguments: [true, false])
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
            #expect(house.adapter.sentCommands.isEmpty)
            house.store.recover()
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(30)))
            // If the intent was durable, recovery has written its outcome.
            let intents = house.portfolioLog.count { $0.body.kind == .commandIntent }
            let outcomes = house.portfolioLog.count { $0.body.kind == .commandOutcome }
            #expect(intents == (isDurable ? 1 : 0))
            #expect(outcomes == intents)
            #expect(try await house.run(by: house.ids.tenant).state == .confirmed)
        }
    }

    @Test("a revocation whose write is in doubt takes effect after recovery if it was durable")
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
