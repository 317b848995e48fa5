import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// Commands that run on their caller's task, and deadlines for which the gateway's timers fire late or never.
@Suite struct ExecutionTests {
    private func inHouse(
        seed: UInt64 = 1, behaviour: ScriptedAdapter.Behaviour, lateBy delay: Duration? = nil,
        _ body: @escaping @Sendable (House, VirtualClock) async throws -> Void
    ) throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: seed, clock: clock)
        try executor.run {
            let late = delay.map { LateClock(base: clock, delay: $0) }
            try await body(
                try await House(seed: seed, clock: clock, controlClock: late, executor: executor, behaviour: behaviour), clock)
        }
    }

    @Test(
        "executing a command has the same outcome and records as beginning it and waiting for its end",
        arguments: [ScriptedAdapter.Behaviour.confirmAtOnce, .confirm(after: .seconds(2)), .silent, .fail(.offline)])
    func sameAsBegin(_ behaviour: ScriptedAdapter.Behaviour) throws {
        try inHouse(behaviour: behaviour) { house, clock in
            let begun = try await house.begin(by: house.ids.tenant).finished.command
            let executed = try #require(try await house.control.locks.execute(house.request(by: house.ids.tenant)).executed)
                .command
            #expect(executed.state == begun.state)
            #expect(executed.outcomeDetail == begun.outcomeDetail)
            #expect(executed.sent == begun.sent)
            #expect(house.records(of: executed.id).map(\.kind) == house.records(of: begun.id).map(\.kind))
            #expect(try await house.store.command(executed.id)?.command == executed)
        }
    }

    @Test(
        "cancelling the caller does not end its command: the outcome is written, and the device becomes free",
        arguments: 0..<20 as Range<UInt64>)
    func cancelledCaller(seed: UInt64) throws {
        try inHouse(seed: seed, behaviour: .confirm(after: .seconds(2))) { house, clock in
            let finished = try await withThrowingTaskGroup(of: FinishedCommand?.self) { group in
                group.addTask {
                    try await house.control.locks.execute(house.request(by: house.ids.tenant)).executed
                }
                // Some seeds cancel before the intent is written, some while the lock moves.
                try await clock.sleep(until: clock.monotonicNow().advanced(by: .milliseconds(Int(seed % 3) * 1000)))
                group.cancelAll()
                return try await group.next() ?? nil
            }
            let command = try #require(finished).command
            #expect(command.state == .confirmed)
            #expect(house.records(of: command.id).map(\.kind) == [.commandIntent, .commandOutcome])
            #expect(try await house.run(by: house.ids.owner).state == .confirmed)
        }
    }

    @Test("a repeat of an executed request gets the same outcome, concurrently and later, and only one command is sent")
    func repeats() throws {
        try inHouse(behaviour: .confirm(after: .seconds(1))) { house, _ in
            let call = IdempotentCall(key: IdempotencyKey(principal: "user:1", key: "k"), fingerprint: [1])
            async let twin = house.control.locks.execute(house.request(by: house.ids.tenant), repeatable: call)
            let first = try await house.control.locks.execute(house.request(by: house.ids.tenant), repeatable: call)
            let second = try await twin
            let third = try await house.control.locks.execute(house.request(by: house.ids.tenant), repeatable: call)
            #expect([first, second].count { $0.isReplay } == 1)
            #expect(third.isReplay)
            #expect(Set([first, second, third].map(\.value.command.id)).count == 1)
            #expect(house.adapter.sentCommands.count == 1)
        }
    }

    // MARK: - Late timers

    /// A clock whose sleeps end late, so that timers fire late.
    private struct LateClock: GatewayClock {
        let base: VirtualClock
        let delay: Duration

        func now() -> Timestamp { base.now() }
        func monotonicNow() -> MonotonicInstant { base.monotonicNow() }
        func sleep(until instant: MonotonicInstant) async throws { try await base.sleep(until: instant.advanced(by: delay)) }
    }

    @Test("a command whose turn comes after its deadline is not sent, even if its timer has not fired")
    func deadlineWithoutTimer() throws {
        try inHouse(behaviour: .confirm(after: .seconds(5)), lateBy: .seconds(60)) { house, clock in
            let first = try await house.begin(by: house.ids.owner, timeout: .seconds(30))
            let second = try await house.begin(by: house.ids.tenant, timeout: .seconds(2))
            let command = await second.finished.command
            #expect(command.state == .failed)
            #expect(command.outcomeDetail == "deadline_passed")
            #expect(command.sent == false)
            #expect(await first.finished.command.state == .confirmed)
            #expect(house.adapter.sentCommands.map(\.command.commandID) == [first.accepted.id])
        }
    }

    @Test("if the timer is late, the command to a silent lock times out late, and the next command still runs")
    func lateTimeout() throws {
        try inHouse(behaviour: .silent, lateBy: .seconds(3)) { house, clock in
            let started = clock.monotonicNow()
            let command = try await house.run(by: house.ids.tenant, timeout: .seconds(2))
            #expect(command.state == .timedOut)
            #expect(clock.monotonicNow().duration(since: started) == .seconds(5))
            house.adapter.set(.confirmAtOnce, for: house.ids.door)
            #expect(try await house.run(by: house.ids.owner).state == .confirmed)
        }
    }
}
