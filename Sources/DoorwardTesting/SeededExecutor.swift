import Synchronization

/// Runs tasks one piece at a time on the thread that calls `run`, in an order drawn from a seed: the same seed gives the
/// same interleaving again, other seeds give others.
///
/// Everything that the body starts must stay on this executor. Child tasks, groups and actors without an executor of
/// their own do so by themselves (SE-0417); an unstructured `Task` does so when it is made with
/// `Task(executorPreference: executor)`. What runs elsewhere is not seen, and the executor may then take a body that
/// waits for it for stuck. When nothing can run, the clock jumps to its next sleeper.
package final class SeededExecutor: TaskExecutor {
    private let clock: VirtualClock?
    private let state: Mutex<(jobs: [UnownedJob], generator: SeededGenerator)>

    /// Why `run` gave up.
    package enum Stall: Error, Equatable {
        /// The body waits, nothing can run, and nobody sleeps on the clock.
        case deadlock
        /// The body had not ended after so many steps.
        case endless(steps: Int)
    }

    /// - Parameters:
    ///   - seed: chooses the interleaving.
    ///   - clock: the clock that the body sleeps on, if it does.
    package init(seed: UInt64, clock: VirtualClock? = nil) {
        self.clock = clock
        state = Mutex(([], SeededGenerator(seed: seed)))
    }

    /// Called by the runtime. The job waits for `run`, on whose thread it is run when it is drawn.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
    }

    /// Runs the body to its end, then what can still run without the clock moving on.
    ///
    /// Tasks that sleep or wait beyond the body's end are left as they are; a body that cares awaits or cancels them.
    ///
    /// - Parameter stepLimit: how many pieces of work may run before the body counts as endless.
    /// - Throws: what the body throws, or a `Stall`.
    package func run<Value: Sendable>(
        stepLimit: Int = 1_000_000, _ body: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let outcome = Outcome<Value>()
        let task = Task(executorPreference: self) {
            do { outcome.set(.success(try await body())) } catch { outcome.set(.failure(error)) }
        }
        var steps = 0
        while outcome.value == nil {
            guard steps < stepLimit else {
                task.cancel()
                throw Stall.endless(steps: steps)
            }
            if !runOneJob() {
                guard clock?.advanceToNextSleeper() == true else {
                    task.cancel()
                    throw Stall.deadlock
                }
            }
            steps += 1
        }
        while steps < stepLimit, runOneJob() { steps += 1 }
        guard let value = outcome.value else { throw Stall.deadlock }
        return try value.get()
    }

    /// - Returns: false when there was none.
    private func runOneJob() -> Bool {
        let job: UnownedJob? = state.withLock { state in
            guard !state.jobs.isEmpty else { return nil }
            let choice = state.jobs.count == 1 ? 0 : Int.random(in: 0..<state.jobs.count, using: &state.generator)
            state.jobs.swapAt(choice, state.jobs.count - 1)
            return state.jobs.removeLast()
        }
        guard let job else { return false }
        job.runSynchronously(on: asUnownedTaskExecutor())
        return true
    }
}

/// What the body came to, once it has.
private final class Outcome<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)

    var value: Result<Value, any Error>? { result.withLock { $0 } }

    func set(_ value: Result<Value, any Error>) { result.withLock { $0 = value } }
}
