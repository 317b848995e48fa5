import DoorwardDomain
import DoorwardTesting
import Synchronization
import Testing

@Suite struct SeededExecutorTests {
    @Test("The same seed gives the same interleaving")
    func sameSeed() throws {
        for seed in 0..<50 as Range<UInt64> {
            #expect(try trace(seed: seed) == trace(seed: seed))
        }
    }

    @Test("Different seeds give different interleavings")
    func differentSeeds() throws {
        let traces = try Set((0..<50 as Range<UInt64>).map { try trace(seed: $0) })
        #expect(traces.count > 40)
    }

    @Test("Two racing steps run in either order, depending on the seed")
    func bothOrders() throws {
        let orders = try Set(
            (0..<32 as Range<UInt64>).map { seed in
                let log = Trace()
                try SeededExecutor(seed: seed).run {
                    async let a: Void = mark("a", in: log)
                    async let b: Void = mark("b", in: log)
                    _ = await (a, b)
                }
                return log.text
            })
        #expect(orders == ["a b", "b a"])
    }

    @Test("Actors and unstructured tasks with the executor preference run on the executor")
    func sameExecutor() throws {
        let executor = SeededExecutor(seed: 4)
        let total = try executor.run {
            let counter = Counter()
            let tasks = (1...20).map { amount in
                Task(executorPreference: executor) {
                    await Task.yield()
                    await counter.add(amount)
                }
            }
            for task in tasks { await task.value }
            return await counter.total
        }
        #expect(total == 210)
    }

    @Test("When no task can run, the clock advances to the next sleeper")
    func advancesClock() throws {
        let clock = VirtualClock()
        let log = Trace()
        try SeededExecutor(seed: 1, clock: clock).run {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for seconds in [3, 1, 2] {
                    group.addTask {
                        try await clock.sleep(until: MonotonicInstant(nanoseconds: 0).advanced(by: .seconds(seconds)))
                        log.add("\(seconds)@\(clock.monotonicNow().nanoseconds / 1_000_000_000)")
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(log.text == "1@1 2@2 3@3")
    }

    @Test("A body that waits forever is reported as a deadlock")
    func deadlock() {
        let held = Mutex<CheckedContinuation<Void, Never>?>(nil)
        #expect(throws: SeededExecutor.Stall.deadlock) {
            try SeededExecutor(seed: 1, clock: VirtualClock()).run {
                await withCheckedContinuation { continuation in held.withLock { $0 = continuation } }
            }
        }
        held.withLock { $0 }?.resume()
    }

    @Test("A body that never ends is stopped at the step limit")
    func endless() {
        #expect(throws: SeededExecutor.Stall.endless(steps: 100)) {
            try SeededExecutor(seed: 1).run(stepLimit: 100) { while !Task.isCancelled { await Task.yield() } }
        }
    }

    @Test("An error of the body is thrown by `run`")
    func throwing() {
        struct Broken: Error, Equatable {}
        #expect(throws: Broken()) { try SeededExecutor(seed: 1).run { throw Broken() } }
    }

    @Test("Tasks that the body has started are run before `run` returns")
    func drains() throws {
        let log = Trace()
        let executor = SeededExecutor(seed: 9)
        try executor.run {
            for step in 0..<5 { Task(executorPreference: executor) { log.add("\(step)") } }
        }
        #expect(log.text.split(separator: " ").sorted() == ["0", "1", "2", "3", "4"])
    }

    @Test("After `run` returns, the calling task has its own task-local values again and can suspend as before")
    func restoresCaller() async throws {
        try await Marker.$name.withValue("outer") {
            try SeededExecutor(seed: 3).run { await Task.yield() }
            #expect(Marker.name == "outer")
            await Task.yield()
            #expect(Marker.name == "outer")
        }
    }

    private func mark(_ name: String, in log: Trace) async { log.add(name) }

    /// Runs three tasks of three steps each, and returns the steps in the order in which they ran.
    private func trace(seed: UInt64) throws -> String {
        let log = Trace()
        try SeededExecutor(seed: seed).run {
            await withTaskGroup(of: Void.self) { group in
                for name in ["a", "b", "c"] {
                    group.addTask {
                        for step in 0..<3 {
                            log.add("\(name)\(step)")
                            await Task.yield()
                        }
                    }
                }
            }
        }
        return log.text
    }
}

private enum Marker {
    @TaskLocal static var name = "none"
}

private actor Counter {
    private(set) var total = 0

    func add(_ amount: Int) { total += amount }
}
