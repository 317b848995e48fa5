internal import Dispatch
internal import Glibc

/// Runs blocking work on a dedicated thread, so that many connections do not compete for a thread pool.
enum DedicatedThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs the body to its end. If no thread can be created, the body runs on a queue of Dispatch.
    static func run(_ body: @escaping @Sendable () -> Void) {
        let work = Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { context in
                if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body() }
                return nil
            }, work.toOpaque())
        guard result != 0 else {
            pthread_detach(thread)
            return
        }
        work.release()
        DispatchQueue.global().async(execute: body)
    }
}
