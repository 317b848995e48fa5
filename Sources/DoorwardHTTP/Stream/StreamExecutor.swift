internal import Dispatch
internal import Glibc
internal import Synchronization

/// A serial queue for a part of the streams, or for the distribution of changes to all of them.
///
/// A large snapshot, or a change that concerns thousands of streams, takes all the processor time that there is, and a distribution
/// waits for streams that are being rendered. On the threads of Swift's pool, the next step of each request would wait for all of
/// this. A serial queue occupies one thread of its own at a time, and the operating
/// system divides the time fairly.
final class StreamExecutor: TaskExecutor {
    /// One for each processor. Streams are assigned to them in turn.
    private static let all = (0..<max(2, activeProcessors)).map { StreamExecutor("\($0)") }
    /// The queue for the distribution of changes.
    static let changes = StreamExecutor("changes")
    private static let last = Atomic(0)

    private static var activeProcessors: Int { sysconf(Int32(_SC_NPROCESSORS_ONLN)) }

    private let queue: DispatchQueue

    private init(_ name: String) { queue = DispatchQueue(label: "doorward.stream.\(name)") }

    /// The queue for a new stream.
    static func next() -> StreamExecutor { all[last.add(1, ordering: .relaxed).oldValue % all.count] }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
