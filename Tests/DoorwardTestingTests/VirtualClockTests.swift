import DoorwardDomain
import DoorwardTesting
import Synchronization
import Testing

@Suite struct VirtualClockTests {
    let start = Timestamp(milliseconds: 1_000_000)

    @Test("The wall clock and the monotonic clock advance together, and only on request")
    func advance() {
        let clock = VirtualClock(start: start)
        #expect(clock.now() == start)
        #expect(clock.monotonicNow() == MonotonicInstant(nanoseconds: 0))
        clock.advance(by: .milliseconds(1500))
        #expect(clock.now() == start.advanced(by: .milliseconds(1500)))
        #expect(clock.monotonicNow() == MonotonicInstant(nanoseconds: 1_500_000_000))
    }

    @Test("Fractions of a millisecond add up, and the wall clock is never rounded up")
    func fractions() {
        let clock = VirtualClock(start: start)
        for _ in 0..<3 { clock.advance(by: .microseconds(333)) }
        #expect(clock.now() == start)
        clock.advance(by: .microseconds(1))
        #expect(clock.now() == start.advanced(by: .milliseconds(1)))
    }

    @Test("Stepping the wall clock changes neither the monotonic clock nor the sleepers", arguments: [-3_600, 3_600])
    func stepWall(seconds: Int) async throws {
        let clock = VirtualClock(start: start)
        let sleeper = Task { try await clock.sleep(until: MonotonicInstant(nanoseconds: 5)) }
        await clock.waitForSleepers(1)
        clock.stepWall(by: .seconds(seconds))
        #expect(clock.now() == start.advanced(by: .seconds(seconds)))
        #expect(clock.monotonicNow() == MonotonicInstant(nanoseconds: 0))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .nanoseconds(5))
        try await sleeper.value
    }

    @Test("Sleeping until an instant in the past returns at once")
    func past() async throws {
        let clock = VirtualClock()
        clock.advance(by: .seconds(1))
        try await clock.sleep(until: MonotonicInstant(nanoseconds: 1_000_000_000))
        try await clock.sleep(until: MonotonicInstant(nanoseconds: 0))
        #expect(clock.sleeperCount == 0)
    }

    @Test("A sleeper wakes at its instant and not before")
    func notBefore() async throws {
        let clock = VirtualClock()
        let sleeper = Task { try await clock.sleep(until: MonotonicInstant(nanoseconds: 10)) }
        await clock.waitForSleepers(1)
        clock.advance(by: .nanoseconds(9))
        #expect(clock.sleeperCount == 1)
        #expect(clock.nextSleeper == MonotonicInstant(nanoseconds: 10))
        clock.advance(by: .nanoseconds(1))
        #expect(clock.nextSleeper == nil)
        try await sleeper.value
    }

    @Test("A sleeper that begins while the clock advances is not passed over")
    func duringAdvance() async throws {
        let clock = VirtualClock()
        let hasEnded = Atomic(false)
        let sleeper = Task {
            defer { hasEnded.store(true, ordering: .relaxed) }
            for _ in 0..<50_000 { try await clock.sleep(until: clock.monotonicNow().advanced(by: .nanoseconds(1))) }
        }
        var passedOver = 0
        while !hasEnded.load(ordering: .relaxed) {
            for _ in 0..<100 {
                clock.advance(by: .nanoseconds(1))
                let now = clock.monotonicNow()
                if let next = clock.nextSleeper, next <= now { passedOver += 1 }
            }
            await Task.yield()
        }
        try await sleeper.value
        #expect(passedOver == 0)
    }

    @Test("advanceToNextSleeper wakes all sleepers of the next instant, and no others")
    func nextInstant() throws {
        let clock = VirtualClock()
        let wakeups = Trace()
        try SeededExecutor(seed: 7, clock: clock).run {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for instant in [20, 10, 10, 30] {
                    group.addTask {
                        try await clock.sleep(until: MonotonicInstant(nanoseconds: Int64(instant)))
                        wakeups.add("\(instant)@\(clock.monotonicNow().nanoseconds)")
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(wakeups.text == "10@10 10@10 20@20 30@30")
        #expect(!clock.advanceToNextSleeper())
    }

    @Test("A cancelled sleeper throws and is removed")
    func cancelled() async {
        let clock = VirtualClock()
        let sleeper = Task { try await clock.sleep(until: MonotonicInstant(nanoseconds: 10)) }
        await clock.waitForSleepers(1)
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test("A task that is already cancelled does not sleep")
    func cancelledBefore() async {
        let clock = VirtualClock()
        let sleeper = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(until: MonotonicInstant(nanoseconds: 10))
        }
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.sleeperCount == 0)
    }
}
