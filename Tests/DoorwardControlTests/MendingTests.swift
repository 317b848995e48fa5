import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

@testable import DoorwardKernel

/// The gateway's state in memory after the store has failed and recovered, or after a crash.
@Suite struct MendingTests {
    @Test("a lock whose attach was durable although it reported an error is attached after recovery")
    func attachInDoubt() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor)
            let owner = house.caller(house.ids.owner)
            house.store.failNext(.failed("disk I/O error"), isDurable: true)
            let refused = await failure {
                _ = try await house.control.attachedDevices.attach(owner, .test(in: house.ids.property), repeatable: nil)
            }
            guard case .unavailable = refused else {
                Issue.record("expected unavailable, got \(String(describing: refused))")
                return
            }
            house.store.recover()
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(30)))
            let ids = house.control.directory.current.deviceIDs(of: house.ids.property)
            let known = Set([house.ids.door, house.ids.frontDoor])
            let attached = try #require(ids.first { !known.contains($0) })
            #expect(house.adapter.attached.map(\.id).contains(attached))
            #expect(try await house.run(by: house.ids.owner, on: attached).state == .confirmed)
            house.adapter.report(.door(.open), from: attached)
            #expect(house.control.devices.status(of: attached).doorState == .open)
        }
    }

    @Test("reports after a confirmed command whose outcome could not be written are not linked to it")
    func noLateAnswerToWhatWasAnswered() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .confirm(after: .seconds(1)))
            let running = try await house.begin(by: house.ids.tenant)
            house.store.failNext(.failed("disk I/O error"))
            let command = await running.finished.command
            #expect(command.state == .unknown)
            house.store.recover()
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(30)))
            house.adapter.report(.locked, method: .manual, from: house.ids.door)
            house.adapter.report(.unlocked, method: .manual, from: house.ids.door)
            await house.control.stop()
            #expect(house.records(of: command.id).map(\.kind) == [.commandIntent, .commandOutcome])
            #expect(house.portfolioLog.suffix(2).map(\.body.event) == [.locked, .unlocked])
        }
    }

    @Test("after a crash, a report is linked to the command that was sent, not to one that waited behind it")
    func lateAnswerAfterACrash() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .silent)
            let sent = try await house.begin(by: house.ids.tenant)
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .milliseconds(10)))
            let waiting = try await house.begin(by: house.ids.owner)
            #expect(house.adapter.sentCommands.map(\.command.commandID) == [sent.accepted.id])
            let restarted = try await House(clock: clock, executor: executor, store: house.store.reopened())
            restarted.adapter.report(.unlocked, from: house.ids.door)
            await restarted.control.stop()
            let records = restarted.store.log(.portfolio(house.ids.portfolio)).map(\.body)
            #expect(records.last { $0.commandID == sent.accepted.id }?.kind == .deviceEvent)
            #expect(records.last { $0.commandID == waiting.accepted.id }?.kind == .commandOutcome)
        }
    }

    @Test("a command that could not be sent does not replace the unconfirmed command before it")
    func unsentOrderAnswersNothing() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .silent)
            let first = try await house.run(by: house.ids.tenant, timeout: .seconds(1))
            #expect(first.state == .timedOut)
            house.adapter.set(.fail(.offline), for: house.ids.door)
            #expect(try await house.run(by: house.ids.owner).sent == false)
            house.adapter.report(.unlocked, from: house.ids.door)
            await house.control.stop()
            #expect(house.records(of: first.id).last?.kind == .deviceEvent)
        }
    }

    @Test("a session that ended during recovery stays ended")
    func endedSession() throws {
        let now = Timestamp(milliseconds: 1_000)
        let sessions = Sessions()
        func session(_ number: UInt64, until end: Int64 = 9_000) -> Session {
            Session(
                id: SessionID(high: 1, low: number), userID: UserID(high: 1, low: 1), createdAt: now,
                expiresAt: Timestamp(milliseconds: end))
        }
        for number in 1...3 as ClosedRange<UInt64> { #expect(sessions.begin(session(number), 0)) }
        // Between reading the sessions from the store and loading them, one session ends, one is extended and one begins.
        let read = [session(1), session(2), session(3)]
        sessions.end(session(1).id)
        #expect(sessions.begin(session(2, until: 20_000), 0))
        #expect(sessions.begin(session(4), 0))
        sessions.load(read)
        #expect(sessions.session(session(1).id, at: now) == nil)
        #expect(sessions.session(session(2).id, at: now)?.expiresAt.milliseconds == 20_000)
        #expect(sessions.session(session(3).id, at: now) != nil)
        #expect(sessions.session(session(4).id, at: now) != nil)
        sessions.prune(at: Timestamp(milliseconds: 10_000))
        #expect(sessions.session(session(3).id, at: now) == nil, "an expired session is removed")
        #expect(sessions.session(session(2).id, at: now) != nil)
    }
}
