import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

@testable import DoorwardKernel
@testable import DoorwardLocks

/// Writes that were in doubt when the store failed are resolved completely.
@Suite struct InDoubtTests {
    @Test(
        "a command whose intent is in doubt is not in flight any more before the store is marked in doubt, so that recovery settles it"
    )
    func intentInDoubt() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor)
            let (storeGuard, inFlight) = (house.control.storeGuard, Seen<Int>())
            storeGuard.onFailure { inFlight.value = storeGuard.inFlightCount }
            house.store.failNext(.failed("disk I/O error"), isDurable: true)
            let refused = await failure { _ = try await house.begin(by: house.ids.tenant) }
            guard case .unavailable = refused else {
                return _ = Issue.record("expected unavailable, got \(String(describing: refused))")
            }
            #expect(inFlight.value == 0)
        }
    }

    @Test("an outcome is shown as soon as it is durable, so that who is told of it does not read the state before")
    func outcomeIsShown() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .confirm(after: .seconds(2)))
            let running = try await house.begin(by: house.ids.tenant)
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(1)))
            var ended = try #require(house.control.storeGuard.commandInFlight(running.accepted.id)).command
            CommandOutcome.shuttingDown.apply(to: &ended, at: house.clock.now(), stateNow: .unknown)
            try await house.control.storeGuard.write(StoreTransaction(commands: [.end(ended)]))
            #expect(house.control.storeGuard.commandInFlight(ended.id)?.command.state == ended.state)
            _ = await running.finished
        }
    }

    @Test("a command that was not sent because the store had failed is reported as not sent")
    func notSent() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .confirm(after: .seconds(1)))
            let sent = try await house.begin(by: house.ids.tenant)
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .milliseconds(10)))
            let waiting = try await house.begin(by: house.ids.owner)
            house.store.failNext(.failed("disk I/O error"))
            let (first, second) = (await sent.finished.command, await waiting.finished.command)
            #expect(first.state == .unknown && first.sent == nil)
            #expect(second.state == .unknown && second.sent == false)
            #expect(house.adapter.sentCommands.count == 1)
        }
    }

    @Test("every outcome of a command that was not handed over reports that it was not sent")
    func outcomesWithoutSending() async throws {
        let house = try await House()
        let command = try await house.run(by: house.ids.tenant)
        #expect(command.sent == true)
        let outcomes: [CommandOutcome] = [
            .denied(Denial(.noAssociation, hasReach: true)), .deadlinePassed, .notSent(.offline), .notSent(.transportBusy),
            .notSent(.unsupported), .notSent(.notAttached), .notSent(.codeRequired), .shuttingDown, .intentNotWritten,
            .outcomeNotWritten(wasSent: false),
        ]
        for outcome in outcomes {
            var ended = command
            outcome.apply(to: &ended, at: command.requestedAt, stateNow: .unknown)
            #expect(ended.sent == false, "\(outcome)")
        }
    }

    @Test("a user who was disabled by a write in doubt has no session left after recovery")
    func disabledInDoubt() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor)
            let (ids, sessions) = (house.ids, house.control.signIn.sessions)
            let now = clock.now()
            func begin(_ number: UInt64, of user: UserID) async throws -> SessionID {
                let session = Session(
                    id: SessionID(high: 9, low: number), userID: user, createdAt: now, expiresAt: now.advanced(by: .seconds(9000))
                )
                _ = try await house.store.commit(
                    StoreTransaction(credentials: [.beginSession(session, refreshDigest: [UInt8(number)])]))
                #expect(sessions.begin(session, sessions.generation(of: user)))
                return session.id
            }
            let (theirs, others) = (try await begin(1, of: ids.tenant), try await begin(2, of: ids.owner))
            house.store.failNext(.failed("disk I/O error"), isDurable: true)
            let superAdmin = house.caller(ids.superAdmin)
            let refused = await failure {
                _ = try await house.control.users.update(superAdmin, ids.tenant, UserChanges(isEnabled: false))
            }
            #expect(refused != nil)
            house.store.recover()
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(30)))
            #expect(house.control.directory.current.user(ids.tenant)?.isEnabled == false)
            _ = try await house.control.users.update(superAdmin, ids.tenant, UserChanges(isEnabled: true))
            #expect(sessions.session(theirs, at: clock.now()) == nil)
            #expect(sessions.session(others, at: clock.now()) != nil)
        }
    }
}
