import Dispatch
import Foundation
import Glibc
import Synchronization

/// A serial queue with its own thread, for work that needs much processor time.
///
/// A large snapshot of a stream, or a change that concerns thousands of streams, can take all processor time. On the threads of Swift's
/// pool, each request would have to wait for this work at its next step. A serial queue occupies one thread of its own at a time, and the
/// operating system divides the time fairly.
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
    ///   - yieldsToCommands: whether the work takes so long that commands must have precedence; see `BackgroundExecutor`.
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

/// Runs long work, such as the lines of an export, on a thread with a lower scheduling priority than the threads of commands. While the
/// processors are busy, the commands get most of the time; otherwise the work gets all of it.
///
/// Each thread of Linux has a nice value of its own (setpriority(2), "C library/kernel differences"). An unprivileged thread cannot undo
/// this, so it does not come from a shared pool, and lives as long as the process.
package final class BackgroundExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    private let added = DispatchSemaphore(value: 0)
    /// The nice value of the thread. A thread with 10 gets about a tenth of the time of one with 0 (sched(7), "The nice value").
    private static let niceness: Int32 = 10

    /// - Parameter name: the kind of work, for the name of the thread.
    package init(_ name: String) {
        let thread = Thread { [self] in
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.niceness)
            while true {
                // Blocks: the executor's own thread.
                added.wait()
                jobs.withLock { $0.removeFirst() }.runSynchronously(on: asUnownedTaskExecutor())
            }
        }
        thread.name = "doorward.\(name)"
        thread.start()
    }

    /// Adds a job after the others.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        added.signal()
    }
}
