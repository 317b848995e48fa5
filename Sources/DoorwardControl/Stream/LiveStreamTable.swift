internal import DoorwardDomain
import Synchronization

/// The open streams, whose gates a change of the tenancy passes.
final class LiveStreamTable: Sendable {
    /// How long a change waits for a client that does not take what the change has made outdated. The client is then disconnected.
    static let patience = Duration.milliseconds(100)

    private let clock: any GatewayClock
    private let deadlines: DeadlineQueue
    private let streams = Mutex(Streams())

    private struct Streams {
        var byNumber: [UInt64: LiveStream] = [:]
        var byID: [String: LiveStream] = [:]
    }

    init(clock: any GatewayClock, executor: (any TaskExecutor)? = nil) {
        self.clock = clock
        deadlines = DeadlineQueue(clock: clock, executor: executor)
    }

    var all: [LiveStream] { streams.withLock { Array($0.byNumber.values) } }
    var count: Int { streams.withLock { $0.byNumber.count } }

    func stream(_ number: UInt64) -> LiveStream? { streams.withLock { $0.byNumber[number] } }

    func stream(_ id: String) -> LiveStream? { streams.withLock { $0.byID[id] } }

    func insert(_ stream: LiveStream) {
        streams.withLock { ($0.byNumber[stream.number], $0.byID[stream.id]) = (stream, stream) }
    }

    func remove(_ stream: LiveStream) { streams.withLock { ($0.byNumber[stream.number], $0.byID[stream.id]) = (nil, nil) } }

    /// Waits until no stream has in flight what its caller may not see any more. What is decided from now on is decided with the
    /// directory that was published before the call.
    func awaitGates() async {
        let outdated = all.filter { $0.isOutdatedInFlight() }
        guard !outdated.isEmpty else { return }
        let ticket = deadlines.schedule(at: clock.monotonicNow().advanced(by: Self.patience)) {
            for stream in outdated { Task { await stream.cutOff() } }
        }
        for stream in outdated { await stream.awaitGate() }
        deadlines.cancel(ticket)
    }
}
