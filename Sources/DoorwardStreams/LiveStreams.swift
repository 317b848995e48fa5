import DequeModule
package import DoorwardDomain
package import DoorwardKernel
internal import DoorwardPolicy
internal import Metrics
import Synchronization

/// The live streams of the gateway: opening and resuming them, their limits, and the distribution of changes.
///
/// One task reads the feed of changes for all streams, and another one checks them every second. So an idle stream has no task that wakes,
/// and a change costs one lookup for each idle stream.
package final class LiveStreams: Sendable {
    /// The maximum number of streams of one user. The API keys of a user count as the user.
    package static let maxStreamsOfUser = 16
    /// How long a stream that has ended can be resumed with its state.
    static let retention = StreamMirror.retention
    /// The maximum number of objects of streams that have ended.
    static let maxRetainedObjects = 1_000_000

    fileprivate struct State {
        var ofUser: [UserID: Int] = [:]
        var count = 0
        var lastNumber: UInt64 = 0
        /// Identifies the run of the gateway in positions; `nil` before the first stream.
        var generation: UInt64?
        var ended = EndedStreams(maxObjects: LiveStreams.maxRetainedObjects)
        /// The position in the feed; `nil` before the first stream.
        var position: FeedPosition?
        var isClosed = false
    }

    private let services: StreamServices
    let table: LiveStreamTable
    private let metrics: StreamMetrics
    private let firstStream = Signal()
    private let state = Mutex(State())

    /// - Parameter table: the gate of the tenancy's changes.
    package init(_ kernel: Kernel, devices: any DeviceStatuses, sessions: Sessions, table: LiveStreamTable) {
        services = StreamServices(kernel: kernel, devices: devices, sessions: sessions)
        (self.table, metrics) = (table, StreamMetrics(kernel.metrics))
    }

    private var feed: ChangeFeed { services.kernel.feed }
    private var random: RandomSource { services.kernel.random }

    /// The number of open streams.
    package var count: Int { state.withLock { $0.count } }

    private var generation: UInt64 { state.withLock { $0.generation ?? 0 } }

    /// Updates the gauge; to be called before metrics are read.
    package func sampleMetrics() { metrics.open.set(Int64(count)) }

    // MARK: - Opening

    /// Keeps a stream open; the stream ends when this object is freed.
    package final class Lease: Sendable {
        /// The open stream.
        package let stream: LiveStream
        private let streams: LiveStreams
        private let owner: UserID?

        fileprivate init(_ stream: LiveStream, _ streams: LiveStreams, owner: UserID?) {
            (self.stream, self.streams, self.owner) = (stream, streams, owner)
        }

        deinit { streams.close(stream, of: owner) }
    }

    /// Opens a stream.
    ///
    /// - Parameters:
    ///   - names: at most `maxNames`, with different names.
    ///   - position: the position of an earlier stream of this caller with the same names, from which it is resumed; `nil` for a new
    ///     stream.
    ///   - wasSent: whether the client has sent a position, even one that is not valid.
    ///   - maxStreams: the maximum number of streams of the gateway.
    /// - Throws: `.streamLimitReached` for a user with too many streams, `.unavailable` if the gateway has too many,
    ///   `.shuttingDown`.
    package func open(
        _ caller: Caller, _ names: [StreamName], from position: StreamPosition?, wasSent: Bool, maxStreams: Int
    ) throws(GatewayError) -> Lease {
        let owner = services.kernel.directory.resolve(caller).subject.actorUserID
        let number = try reserve(owner, maxStreams)
        let (mirror, isResumed) = mirror(for: caller, names, from: position, wasSent: wasSent)
        let positions = position?.records
        let stream = LiveStream(
            id: random.id(at: services.clock.now(), of: LiveStream.self).description, number: number, caller: caller,
            mirror: mirror,
            resumed: positions?.isComplete == true ? positions : nil, isResumed: isResumed, generation: generation,
            services: services)
        (wasSent ? isResumed ? metrics.resumed : metrics.reset : metrics.opened).increment()
        // Registered before anything is read, so that no later change is missed.
        table.insert(stream)
        if state.withLock({ $0.isClosed }) { stream.end(.shuttingDown, retryAfter: retryAfter) }
        firstStream.set()
        return Lease(stream, self, owner: owner)
    }

    private func reserve(_ owner: UserID?, _ maxStreams: Int) throws(GatewayError) -> UInt64 {
        try state.withLock { (state) throws(GatewayError) in
            guard !state.isClosed else { throw .shuttingDown }
            if let owner, state.ofUser[owner, default: 0] >= Self.maxStreamsOfUser {
                throw .streamLimitReached(Self.maxStreamsOfUser)
            }
            guard state.count < maxStreams else { throw .unavailable }
            if let owner { state.ofUser[owner, default: 0] += 1 }
            state.count += 1
            state.lastNumber += 1
            if state.position == nil { state.position = feed.position }
            if state.generation == nil { state.generation = random.word() }
            return state.lastNumber
        }
    }

    /// The state with which a stream begins: that of the earlier stream if it is known, and otherwise an empty one.
    private func mirror(
        for caller: Caller, _ names: [StreamName], from position: StreamPosition?, wasSent: Bool
    ) -> (StreamMirror, isResumed: Bool) {
        if let position, let earlier = earlier(position, of: caller) {
            return (earlier, earlier.activeNames.allSatisfy { !$0.needsReset })
        }
        var mirror = StreamMirror()
        var isResumed = wasSent
        for name in names {
            // Records are in the store: their position is valid in every run of the gateway.
            let isResumable = name.query.type == .accessRecord && position?.records.isComplete == true
            _ = mirror.put(name, needsReset: wasSent && !isResumable)
            if isResumable { mirror.setPhase(.resuming, of: name.name) }
            isResumed = isResumed && isResumable
        }
        return (mirror, isResumed)
    }

    private func earlier(_ position: StreamPosition, of caller: Caller) -> StreamMirror? {
        let now = services.clock.monotonicNow()
        guard position.generation == generation, now.duration(since: position.createdAt) <= Self.retention else { return nil }
        let found: StreamMirror?
        if let stream = table.stream(position.stream) {
            found = stream.caller.principal == caller.principal ? stream.mirror : nil
        } else {
            found = state.withLock { $0.ended[position.stream] }.flatMap { $0.principal == caller.principal ? $0.mirror : nil }
        }
        guard var mirror = found, mirror.rewind(to: position.number, at: now) else { return nil }
        return mirror
    }

    private func close(_ stream: LiveStream, of owner: UserID?) {
        table.remove(stream)
        stream.written()
        let mirror = stream.mirror
        let now = services.clock.monotonicNow()
        state.withLock { state in
            state.count -= 1
            if let owner {
                let count = state.ofUser[owner, default: 0] - 1
                state.ofUser[owner] = count > 0 ? count : nil
            }
            state.ended.add(stream.number, mirror, of: stream.caller.principal, at: now)
            state.ended.forget(before: now.advanced(by: .zero - Self.retention))
        }
    }

    /// The stream with this id, if it is one of the caller's.
    ///
    /// - Throws: `.notFound` for any other id.
    package func stream(_ id: String, of caller: Caller) throws(GatewayError) -> LiveStream {
        guard let stream = table.stream(id), stream.caller.principal == caller.principal else { throw .notFound }
        return stream
    }

    // MARK: - Running

    /// Distributes changes, and checks the streams every second. Runs until the task is cancelled.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.distribute() }
            group.addTask { await self.tick() }
        }
    }

    private func distribute() async {
        while !Task.isCancelled {
            guard let position = state.withLock({ $0.position }) else {
                await firstStream.waitUnlessCancelled()
                continue
            }
            do {
                distribute(try await feed.nextChanges(after: position))
            } catch {
                return
            }
        }
    }

    /// Passes changes to all streams.
    ///
    /// - Parameter changes: `nil` if they are not known any more.
    private func distribute(_ changes: ChangeFeed.Changes?) {
        // Read it before the streams are marked to compare everything.
        let next = changes?.position ?? feed.position
        for stream in table.all { if let changes { stream.markChanged(changes.objects) } else { stream.markAllChanged() } }
        state.withLock { $0.position = next }
    }

    /// Passes the changes until now to all streams, for tests without `run`.
    func distributePending() {
        while let position = state.withLock({ $0.position }) {
            let changes = feed.changes(after: position)
            if changes?.objects.isEmpty == true { return }
            distribute(changes)
        }
    }

    private func tick() async {
        while await services.clock.pause(.seconds(1)) {
            await check()
        }
    }

    /// Ends the streams whose sessions have ended, and disconnects clients that do not read. Called every second.
    package func check() async {
        let now = services.clock.monotonicNow()
        for stream in table.all where stream.tick(at: now) {
            metrics.disconnected.increment()
            await stream.disconnect()
        }
        state.withLock { _ = $0.ended.forget(before: now.advanced(by: .zero - Self.retention)) }
    }

    /// Ends all streams, and opens no more.
    package func stop() {
        state.withLock { $0.isClosed = true }
        for stream in table.all { stream.end(.shuttingDown, retryAfter: retryAfter) }
    }

    /// A random delay after which a client connects again. It grows with the number of streams, so that clients do not all reconnect at
    /// once.
    private var retryAfter: Duration {
        let most = UInt64(min(30_000, 1000 + 10 * count))
        return .milliseconds(Int64(500 + random.word() % most))
    }
}

/// The state of streams that have ended, from which they can be resumed for a time.
///
/// The cost of adding or removing a stream does not depend on the number of ended streams, so that thousands of clients can lose their
/// connections at once.
struct EndedStreams {
    /// A stream that has ended.
    struct Ended {
        let principal: Principal
        let mirror: StreamMirror
        fileprivate let at: MonotonicInstant
    }

    private var byNumber: [UInt64: Ended] = [:]
    /// The numbers of the streams in the order in which they ended.
    private var order: Deque<UInt64> = []
    private let maxObjects: Int
    /// The number of objects of all these streams.
    private(set) var objectCount = 0

    /// - Parameter maxObjects: the maximum number of objects of all streams. The streams that ended first are forgotten if there are
    ///   more.
    init(maxObjects: Int) { self.maxObjects = maxObjects }

    /// The number of streams.
    var count: Int { byNumber.count }

    subscript(number: UInt64) -> Ended? { byNumber[number] }

    /// Adds a stream, whose number is greater than 0 and was never added, and forgets those of which there are too many.
    ///
    /// - Parameter now: not before the time of an earlier call.
    /// - Returns: the number of streams that were looked at.
    @discardableResult
    mutating func add(_ number: UInt64, _ mirror: StreamMirror, of principal: Principal, at now: MonotonicInstant) -> Int {
        byNumber[number] = Ended(principal: principal, mirror: mirror, at: now)
        order.append(number)
        objectCount += mirror.objectCount
        return 1 + forget(before: nil)
    }

    /// Forgets the first streams while there are too many objects, or while the streams ended before a time.
    ///
    /// - Returns: the number of streams that were looked at.
    @discardableResult
    mutating func forget(before oldest: MonotonicInstant?) -> Int {
        var seen = 0
        while let number = order.first, let first = byNumber[number] {
            seen += 1
            guard objectCount > maxObjects || oldest.map({ first.at < $0 }) == true else { break }
            order.removeFirst()
            byNumber[number] = nil
            objectCount -= first.mirror.objectCount
        }
        return seen
    }
}

/// The open streams, whose gates a change of the tenancy passes.
package final class LiveStreamTable: DecisionGate {
    /// How long a change waits for a client that does not read objects in flight that the change has made outdated. The client is then
    /// disconnected.
    static let gateTimeout = Duration.milliseconds(100)

    private let clock: any GatewayClock
    private let deadlines: DeadlineQueue
    private let streams = Mutex(Streams())

    private struct Streams {
        var byNumber: [UInt64: LiveStream] = [:]
        var byID: [String: LiveStream] = [:]
    }

    /// A table without streams.
    package init(clock: any GatewayClock, executor: (any TaskExecutor)? = nil) {
        self.clock = clock
        deadlines = DeadlineQueue(clock: clock, executor: executor)
    }

    var all: [LiveStream] { streams.withLock { Array($0.byNumber.values) } }

    func stream(_ number: UInt64) -> LiveStream? { streams.withLock { $0.byNumber[number] } }

    func stream(_ id: String) -> LiveStream? { streams.withLock { $0.byID[id] } }

    func insert(_ stream: LiveStream) {
        streams.withLock { ($0.byNumber[stream.number], $0.byID[stream.id]) = (stream, stream) }
    }

    func remove(_ stream: LiveStream) { streams.withLock { ($0.byNumber[stream.number], $0.byID[stream.id]) = (nil, nil) } }

    /// Waits until no stream has objects in flight that its caller may no longer see. Decisions from now on use the directory that was
    /// published before the call.
    package func pass() async {
        let outdated = all.filter { $0.isOutdatedInFlight() }
        guard !outdated.isEmpty else { return }
        let ticket = deadlines.schedule(at: clock.monotonicNow().advanced(by: Self.gateTimeout)) {
            for stream in outdated { Task { await stream.disconnect() } }
        }
        for stream in outdated { await stream.awaitGate() }
        deadlines.cancel(ticket)
    }
}

/// The metrics of the live streams.
private struct StreamMetrics: Sendable {
    /// The number of open streams.
    let open: Meter
    let opened: Counter
    let resumed: Counter
    /// Streams that began with a position that could not be resumed completely.
    let reset: Counter
    /// Streams whose client was disconnected because it did not read.
    let disconnected: Counter

    init(_ factory: any MetricsFactory) {
        func begun(_ word: String) -> Counter {
            Counter(label: "doorward_streams_total", dimensions: [("begin", word)], factory: factory)
        }
        (opened, resumed, reset) = (begun("new"), begun("resumed"), begun("reset"))
        open = Meter(label: "doorward_streams", factory: factory)
        disconnected = Counter(label: "doorward_streams_cut_total", factory: factory)
    }
}
