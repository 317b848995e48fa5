import Dispatch
import Foundation
import Synchronization

/// Runs long work, such as the lines of an export, on a thread with a lower scheduling priority than the threads of commands. While the
/// processors are busy, the commands get most of the time; otherwise the work gets all of it.
///
/// Each thread of Linux has a nice value of its own (setpriority(2), "C library/kernel differences"). An unprivileged thread cannot
/// take its value back, so it is not one of a shared pool, and lasts as long as the process.
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
