import Dispatch
import Glibc
import Synchronization

/// A serial queue with a thread of its own, for work that computes for long.
///
/// A large snapshot of a stream, or a change that concerns thousands of streams, takes all the processor time that there is. On the
/// threads of Swift's pool, the next step of each request would wait for all of this. A serial queue occupies one thread of its own at a time, and the operating system divides the time fairly.
package final class SeparateExecutor: TaskExecutor {
    private let queue: DispatchQueue

    /// - Parameter name: the kind of work, for the label of the queue.
    package init(_ name: String) { queue = DispatchQueue(label: "doorward.\(name)") }

    /// Adds a job to the queue.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}

/// Executors for a kind of work: one for each processor, at least two.
package final class ExecutorGroup: Sendable {
    private let executors: [any TaskExecutor]
    private let last = Atomic<UInt>(0)

    /// - Parameters:
    ///   - name: the kind of work, for the labels of the threads.
    ///   - yieldsToCommands: whether the work lasts so long that commands go first; see `BackgroundExecutor`.
    package init(_ name: String, yieldsToCommands: Bool = false) {
        executors = (0..<max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)))).map { number -> any TaskExecutor in
            if yieldsToCommands { BackgroundExecutor("\(name).\(number)") } else { SeparateExecutor("\(name).\(number)") }
        }
    }

    /// Returns the executors in turn.
    package func next() -> any TaskExecutor {
        executors[Int(last.wrappingAdd(1, ordering: .relaxed).oldValue % UInt(executors.count))]
    }
}
