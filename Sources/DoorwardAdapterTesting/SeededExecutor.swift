import Synchronization

/// Runs tasks one job at a time on the thread that calls `run`, in an order drawn from a seed: the
/// same seed gives the same interleaving, and other seeds give other interleavings.
///
/// All tasks that the body of `run` starts must use this executor. Child tasks, groups and actors without their own executor
/// inherit it (SE-0417); an unstructured `Task` uses it if the task is created with `Task(executorPreference: executor)`. Other
/// tasks are not tracked: if the body waits for one, the executor may report a deadlock. When no job can run, the clock advances
/// to the deadline of its next sleeper.
public final class SeededExecutor: TaskExecutor {
    private let clock: VirtualClock?
    private let state: Mutex<(jobs: [UnownedJob], generator: SeededGenerator)>

    /// The reason why `run` stopped before the body ended.
    public enum Stall: Error, Equatable {
        /// The body waits, no job can run, and no task sleeps on the clock.
        case deadlock
        /// The body had not ended after this number of jobs.
        case endless(steps: Int)
    }

    /// - Parameters:
    ///   - seed: determines the interleaving.
    ///   - clock: the clock that the body sleeps on, if any.
    public init(seed: UInt64, clock: VirtualClock? = nil) {
        self.clock = clock
        state = Mutex(([], SeededGenerator(seed: seed)))
    }

    /// Adds a job; called by the Swift runtime. `run` executes the job when the job is drawn.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
    }

    /// Runs the body to its end, and then all jobs that can run without advancing the clock.
    ///
    /// Tasks that still sleep or wait at the end of the body remain suspended; to avoid this, await or cancel them in the body.
    ///
    /// - Parameter stepLimit: maximum number of jobs before the body counts as endless.
    /// - Throws: an error of the body, or a `Stall`.
    public func run<Value: Sendable>(
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

    /// - Returns: false if no job can run.
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

/// The result of the body, once it has ended.
private final class Outcome<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)

    var value: Result<Value, any Error>? { result.withLock { $0 } }

    func set(_ value: Result<Value, any Error>) { result.withLock { $0 = value } }
}

/// Reproducible random numbers by seed: SplitMix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA
/// 2014). For tests only, not for secrets.
public struct SeededGenerator: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    /// Returns 64 random bits; the period is 2^64.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
