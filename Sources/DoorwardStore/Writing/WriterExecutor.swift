import Dispatch

/// Runs the writer on a serial queue of its own: a flush blocks its thread, which must not be one of Swift's cooperative threads.
final class WriterExecutor: SerialExecutor {
    let queue = DispatchQueue(label: "doorward.store.writer", qos: .userInitiated)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
