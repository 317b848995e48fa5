import Dispatch

/// Runs the writer on a serial queue of its own: a flush blocks its thread, and must not block one of Swift's few.
final class WriterExecutor: SerialExecutor {
    let queue = DispatchQueue(label: "doorward.store.writer", qos: .userInitiated)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
