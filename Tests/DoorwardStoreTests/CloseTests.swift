import Dispatch
import DoorwardDomain
import Testing

@testable import DoorwardStore

/// Closing a store waits for its readers. Nothing that the readers wait for may need the thread on which `close` was called.
@Suite(.timeLimit(.minutes(5))) struct CloseTests {
    /// Runs all its jobs on one thread, like a pool whose other threads are taken.
    private final class OneThread: TaskExecutor {
        private let queue = DispatchQueue(label: "doorward.tests.one-thread")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }

    @Test("Two stores with running reads are closed while the only thread of the pool lets the reads end")
    func runningReads() async throws {
        let pool = OneThread()
        let gate = DispatchSemaphore(value: 0)
        let databases = [try TemporaryDatabase(), try TemporaryDatabase()]
        let stores = try databases.map { try $0.open() }
        let (begun, arrival) = AsyncStream<Void>.makeStream()
        let reads = try databases.map { database in
            let reader = try StoreReader(path: database.path, clock: database.clock)
            let read = Task {
                try await reader.read { _ in
                    arrival.yield()
                    // Blocks: the reader's own thread.
                    gate.wait()
                }
            }
            return (reader, read)
        }
        var arrivals = begun.makeAsyncIterator()
        for _ in reads { await arrivals.next() }
        let closing = (reads.map(\.0)).map { reader in Task(executorPreference: pool) { await reader.close() } }
        // Runs after the closing tasks have begun, on the thread on which they were called.
        await Task(executorPreference: pool) { for _ in reads { gate.signal() } }.value
        for task in closing { await task.value }
        for (_, read) in reads { try await read.value }
        for store in stores { try await store.close() }
    }
}
