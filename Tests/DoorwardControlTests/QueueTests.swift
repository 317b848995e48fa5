import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// Commands of one device: in order, one at a time, and bounded in number.
@Suite struct QueueTests {
    @Test("commands of one device run one at a time, in the order of arrival")
    func inOrder() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 9, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .confirm(after: .seconds(1)))
            var running: [RunningCommand] = []
            for user in [house.ids.tenant, house.ids.owner, house.ids.guest, house.ids.tenant] {
                running.append(try await house.begin(by: user))
            }
            var ended: [Command] = []
            for command in running { ended.append(await command.finished.command) }
            #expect(house.adapter.sentCommands.map(\.command.commandID) == running.map(\.accepted.id))
            #expect(ended.allSatisfy { $0.state == .confirmed })
            for (earlier, later) in zip(ended, ended.dropFirst()) {
                let dispatched = try #require(later.dispatchedAt)
                #expect(dispatched >= (try #require(earlier.completedAt)))
            }
        }
    }

    @Test("a principal can have at most four waiting commands; one more is rejected without an intent")
    func fourOfOnePrincipal() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 2, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .silent)
            for _ in 0..<5 { _ = try await house.begin(by: house.ids.tenant) }
            let intents = house.portfolioLog.count
            let refused = await failure { _ = try await house.begin(by: house.ids.tenant) }
            guard case .deviceBusy = refused else {
                Issue.record("expected deviceBusy, got \(String(describing: refused))")
                return
            }
            #expect(house.portfolioLog.count == intents)
            // Another principal can still send a command.
            _ = try await house.begin(by: house.ids.owner)
        }
    }

    @Test("at most sixteen commands wait for one device")
    func sixteenInAll() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 2, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .silent)
            var accepted = 0
            var refused = 0
            for person in house.ids.managers {
                for _ in 0..<4 {
                    if let error = await failure({ _ = try await house.begin(by: person) }) {
                        if case .deviceBusy = error { refused += 1 }
                    } else {
                        accepted += 1
                    }
                }
            }
            #expect(accepted == 17, "one in flight and sixteen waiting")
            #expect(refused == 3)
        }
    }

    @Test("a command whose deadline passes in the queue ends at that moment, is not sent, and frees its place")
    func deadlineInTheQueue() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 4, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .silent)
            let slow = try await house.begin(by: house.ids.owner, timeout: .seconds(30))
            let started = clock.monotonicNow()
            let waiting = try await house.begin(by: house.ids.tenant, timeout: .milliseconds(300))
            let command = await waiting.finished.command
            #expect(command.state == .failed)
            #expect(command.outcomeDetail == "deadline_passed")
            #expect(command.sent == false)
            #expect(clock.monotonicNow().duration(since: started) == .milliseconds(300))
            #expect(await slow.finished.command.state == .timedOut)
            #expect(house.adapter.sentCommands.count == 1)
        }
    }

    @Test("a slow lock does not delay other locks")
    func otherLocksGoOn() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 4, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor)
            house.adapter.set(.silent, for: house.ids.door)
            let stuck = try await house.begin(by: house.ids.owner)
            let before = clock.monotonicNow()
            #expect(try await house.run(by: house.ids.tenant, on: house.ids.frontDoor).state == .confirmed)
            #expect(clock.monotonicNow() == before)
            #expect(await stuck.finished.command.state == .timedOut)
        }
    }
}
