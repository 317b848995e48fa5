internal import NIOCore

/// Runs the tasks of a connection on the event loop that reads and writes it, which saves two thread switches per request.
///
/// A task on this executor MUST NOT block, and must do long work on the global executor, because
/// other connections share the event loop.
final class EventLoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
