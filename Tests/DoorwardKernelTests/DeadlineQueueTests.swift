import DoorwardDomain
import DoorwardTesting
import Synchronization
import Testing

@testable import DoorwardKernel

/// One sleeping task serves all deadlines: no action runs early, and none is lost.
@Suite struct DeadlineQueueTests {
    private static func at(_ duration: Duration) -> MonotonicInstant { MonotonicInstant(nanoseconds: 0).advanced(by: duration) }

    /// The actions that have run, with their times.
    private final class Runs: Sendable {
        struct Run: Equatable, Sendable {
            let name: Int
            let at: MonotonicInstant
        }

        private let runs = Mutex<[Run]>([])

        var all: [Run] { runs.withLock { $0 } }
        var names: [Int] { all.map(\.name) }

        func action(_ name: Int, _ clock: any GatewayClock) -> @Sendable () -> Void {
            { [self] in runs.withLock { $0.append(Run(name: name, at: clock.monotonicNow())) } }
        }
    }

    /// Runs `body` with a queue on a virtual clock, which advances when no task can run.
    private func onQueue(
        seed: UInt64 = 1, _ body: @escaping @Sendable (DeadlineQueue, VirtualClock, Runs) async throws -> Void
    ) throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: seed, clock: clock)
        try executor.run { try await body(DeadlineQueue(clock: clock, executor: executor), clock, Runs()) }
    }

    @Test(
        "actions run by deadline, each at its own instant, whatever order they were scheduled in",
        arguments: 0..<20 as Range<UInt64>)
    func order(seed: UInt64) throws {
        try onQueue(seed: seed) { queue, clock, runs in
            for second in [5, 1, 4, 2, 3] { _ = queue.schedule(at: Self.at(.seconds(second)), runs.action(second, clock)) }
            try await clock.sleep(until: Self.at(.milliseconds(2500)))
            #expect(runs.names == [1, 2])
            try await clock.sleep(until: Self.at(.seconds(10)))
            #expect(runs.all == (1...5).map { Runs.Run(name: $0, at: Self.at(.seconds($0))) })
            #expect(queue.pendingCount == 0 && queue.entryCount == 0)
        }
    }

    @Test("actions with equal deadlines run in the order in which they were scheduled")
    func equalDeadlines() throws {
        try onQueue { queue, clock, runs in
            for name in 0..<50 { _ = queue.schedule(at: Self.at(.seconds(1)), runs.action(name, clock)) }
            try await clock.sleep(until: Self.at(.seconds(2)))
            #expect(runs.names == Array(0..<50))
        }
    }

    @Test("an earlier deadline that is added while the queue sleeps is met", arguments: 0..<20 as Range<UInt64>)
    func earlier(seed: UInt64) throws {
        try onQueue(seed: seed) { queue, clock, runs in
            _ = queue.schedule(at: Self.at(.seconds(10)), runs.action(10, clock))
            try await clock.sleep(until: Self.at(.seconds(1)))
            _ = queue.schedule(at: Self.at(.seconds(3)), runs.action(3, clock))
            _ = queue.schedule(at: Self.at(.seconds(2)), runs.action(2, clock))
            try await clock.sleep(until: Self.at(.seconds(20)))
            #expect(runs.all == [2, 3, 10].map { Runs.Run(name: $0, at: Self.at(.seconds($0))) })
        }
    }

    @Test("an action whose deadline has already passed runs immediately")
    func passed() throws {
        try onQueue { queue, clock, runs in
            try await clock.sleep(until: Self.at(.seconds(5)))
            _ = queue.schedule(at: Self.at(.seconds(9)), runs.action(9, clock))
            _ = queue.schedule(at: Self.at(.seconds(1)), runs.action(1, clock))
            try await clock.sleep(until: Self.at(.seconds(6)))
            #expect(runs.all == [Runs.Run(name: 1, at: Self.at(.seconds(5)))])
        }
    }

    @Test("a cancelled action never runs, and the others do; cancelling twice or after the run has no effect")
    func cancel() throws {
        try onQueue { queue, clock, runs in
            let tickets = (0..<4).map { queue.schedule(at: Self.at(.seconds(1 + $0)), runs.action($0, clock)) }
            queue.cancel(tickets[0])
            queue.cancel(tickets[2])
            queue.cancel(tickets[2])
            try await clock.sleep(until: Self.at(.milliseconds(2500)))
            queue.cancel(tickets[1])
            try await clock.sleep(until: Self.at(.seconds(10)))
            #expect(runs.names == [1, 3])
            #expect(queue.pendingCount == 0)
        }
    }

    @Test("after its only action was cancelled, the queue runs a new one with an earlier or later deadline")
    func emptied() throws {
        for seconds in [2, 5] {
            try onQueue { queue, clock, runs in
                queue.cancel(queue.schedule(at: Self.at(.seconds(3)), runs.action(0, clock)))
                _ = queue.schedule(at: Self.at(.seconds(seconds)), runs.action(1, clock))
                try await clock.sleep(until: Self.at(.seconds(10)))
                _ = queue.schedule(at: Self.at(.seconds(11)), runs.action(2, clock))
                try await clock.sleep(until: Self.at(.seconds(20)))
                #expect(
                    runs.all == [
                        Runs.Run(name: 1, at: Self.at(.seconds(seconds))), Runs.Run(name: 2, at: Self.at(.seconds(11))),
                    ])
            }
        }
    }

    @Test("a step of the wall clock does not move deadlines", arguments: [Duration.seconds(3600), .seconds(-3600)])
    func wallStep(step: Duration) throws {
        try onQueue { queue, clock, runs in
            _ = queue.schedule(at: Self.at(.seconds(2)), runs.action(0, clock))
            try await clock.sleep(until: Self.at(.seconds(1)))
            clock.stepWall(by: step)
            try await clock.sleep(until: Self.at(.milliseconds(1999)))
            #expect(runs.all.isEmpty)
            try await clock.sleep(until: Self.at(.seconds(3)))
            #expect(runs.all == [Runs.Run(name: 0, at: Self.at(.seconds(2)))])
        }
    }

    @Test("actions can schedule and cancel other actions")
    func reentrant() throws {
        try onQueue { queue, clock, runs in
            let cancelled = queue.schedule(at: Self.at(.seconds(2)), runs.action(2, clock))
            _ = queue.schedule(at: Self.at(.seconds(1))) {
                queue.cancel(cancelled)
                _ = queue.schedule(at: Self.at(.seconds(3)), runs.action(3, clock))
            }
            try await clock.sleep(until: Self.at(.seconds(5)))
            #expect(runs.all == [Runs.Run(name: 3, at: Self.at(.seconds(3)))])
        }
    }

    @Test("each of many scheduled actions runs once at its deadline or is cancelled; one task sleeps, and memory stays bounded")
    func many() throws {
        try onQueue { queue, clock, runs in
            var generator = SeededGenerator(seed: 7)
            var (expected, sleepers, entries) = ([Int: MonotonicInstant](), 0, 0)
            for name in 0..<5000 {
                let deadline = clock.monotonicNow().advanced(by: .milliseconds(Int.random(in: 1...10_000, using: &generator)))
                let ticket = queue.schedule(at: deadline, runs.action(name, clock))
                if name.isMultiple(of: 50) { expected[name] = deadline } else { queue.cancel(ticket) }
                if name.isMultiple(of: 10) { try await clock.sleep(until: clock.monotonicNow().advanced(by: .milliseconds(1))) }
                (sleepers, entries) = (max(sleepers, clock.sleeperCount), max(entries, queue.entryCount))
            }
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(11)))
            #expect(runs.all.count == expected.count)
            #expect(runs.all.allSatisfy { expected[$0.name] == $0.at })
            #expect(entries <= 2 * 100 + 65)
            #expect(sleepers <= 2, "a replaced sleeping task may not have ended yet")
        }
    }

    // MARK: - Inaccurate sleeps

    /// A clock whose sleeps end earlier or later than requested.
    private struct InaccurateClock: GatewayClock {
        let base: VirtualClock
        let offset: Duration

        func now() -> Timestamp { base.now() }
        func monotonicNow() -> MonotonicInstant { base.monotonicNow() }
        func sleep(until instant: MonotonicInstant) async throws {
            // A sleep that would end early waits at least one millisecond, so that time advances.
            let step = min(instant, monotonicNow().advanced(by: .milliseconds(1)))
            try await base.sleep(until: max(step, instant.advanced(by: offset)))
        }
    }

    @Test("no action runs before its deadline if a sleep ends early, and none is lost if a sleep ends late")
    func inaccurateSleep() throws {
        for (offset, instants) in [
            (Duration.milliseconds(-300), [1000, 2000, 2001]), (.milliseconds(1500), [2500, 2500, 2500]),
        ] {
            let base = VirtualClock()
            let executor = SeededExecutor(seed: 1, clock: base)
            try executor.run {
                let (clock, runs) = (InaccurateClock(base: base, offset: offset), Runs())
                let queue = DeadlineQueue(clock: clock, executor: executor)
                for (name, deadline) in [1000, 2000, 2001].enumerated() {
                    _ = queue.schedule(at: Self.at(.milliseconds(deadline)), runs.action(name, clock))
                }
                try await base.sleep(until: Self.at(.seconds(60)))
                #expect(runs.all == instants.enumerated().map { Runs.Run(name: $0, at: Self.at(.milliseconds($1))) })
            }
        }
    }

    @Test("a released queue leaves no sleeping task")
    func released() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            do {
                let queue = DeadlineQueue(clock: clock, executor: executor)
                _ = queue.schedule(at: Self.at(.seconds(1))) { Issue.record("an action of a released queue ran") }
                try await clock.sleep(until: Self.at(.milliseconds(1)))
                #expect(clock.sleeperCount == 1)
            }
            try await clock.sleep(until: Self.at(.milliseconds(2)))
            #expect(clock.sleeperCount == 0)
        }
    }
}
