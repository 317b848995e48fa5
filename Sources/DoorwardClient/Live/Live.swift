internal import FoundationEssentials
public import Observation
internal import Synchronization

/// The live stream of a client: one connection, on which any number of subscriptions share names.
///
/// The connection is opened with the first subscription and closed with the last one. It reconnects by itself whenever it breaks; `status`
/// has its current state.
public final class Live: Sendable, Observable {
    let engine: LiveEngine
    /// The subscriptions that the app has named.
    private let named = Mutex<[String: Need]>([:])

    /// Creates an instance with the services that it uses.
    package init(
        transport: any LiveTransport, clock: any LiveClock = SystemLiveClock(),
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        engine = LiveEngine(transport: transport, clock: clock, random: random)
    }

    /// The state of the connection; observable.
    public var status: LiveStatus { engine.published.status }

    /// The state of the connection now, and each later one. A slow reader receives only the latest.
    public var statuses: AsyncStream<LiveStatus> { engine.published.stream() }

    /// The number of names that the client has at the gateway.
    public var nameCount: Int { get async { await engine.nameCount } }

    /// Opens a delayed connection soon, and replaces an open one that has been silent for 20 s. Call it when the app comes to the
    /// foreground, or when the network returns.
    public func wake() async { await engine.wake() }

    // MARK: - Named subscriptions

    /// How long `subscribe` waits.
    public enum Wait: Sendable {
        /// Not at all.
        case never
        /// Waits until the data are complete, at most for this time.
        case untilReady(timeout: Duration)
    }

    /// Subscribes to a query under a name of the app. Subscriptions are independent: a new name replaces no other one.
    ///
    /// - Parameter isReplacing: whether a subscription with this name and another query is replaced.
    /// - Returns: the subscription, which ends with `cancel()`, or when it is released.
    /// - Throws: `DoorwardError.nameInUse`, `.timedOut`, `.revoked`, or why the gateway refused.
    @discardableResult public func subscribe<Noun: LiveNoun>(
        _ name: String, to query: LiveQuery<Noun>, wait: Wait = .never, replacing isReplacing: Bool = false
    ) async throws -> LiveSubscription<Noun> {
        try named.withLock { named in
            if let known = named[name], known != query.need, !isReplacing { throw DoorwardError.nameInUse(name) }
            named[name] = query.need
        }
        let subscription = LiveSubscription(query, engine, name: await engine.acquire(query)) { [weak self] in
            self?.named.withLock { if $0[name] == query.need { $0[name] = nil } }
        }
        if case .untilReady(let timeout) = wait { try await subscription.ready(timeout: timeout) }
        return subscription
    }

    /// Subscribes to what a view needs. Close the scope when the view disappears.
    public func open(_ needs: [Need]) async -> LiveScope { await LiveScope(needs, self) }

    /// Subscribes to what a view needs for as long as `body` runs, and unsubscribes however it ends.
    public func withSubscriptions<Result: Sendable>(
        _ needs: [Need], _ body: (LiveScope) async throws -> Result
    ) async throws -> Result {
        let scope = await open(needs)
        let result = await Swift.Result { try await body(scope) }
        await scope.close()
        return try result.get()
    }

    func subscription<Noun: LiveNoun>(_ query: LiveQuery<Noun>) async -> LiveSubscription<Noun> {
        LiveSubscription(query, engine, name: await engine.acquire(query))
    }
}

/// The published state of the connection.
final class PublishedStatus: Observable, Sendable {
    private struct State {
        var status = LiveStatus.idle
        var sinks: [UUID: AsyncStream<LiveStatus>.Continuation] = [:]
    }

    private let state = Mutex(State())
    private let registrar = ObservationRegistrar()

    var status: LiveStatus {
        registrar.access(self, keyPath: \.status)
        return state.withLock { $0.status }
    }

    func set(_ status: LiveStatus) {
        registrar.withMutation(of: self, keyPath: \.status) {
            state.withLock { state in
                state.status = status
                for sink in state.sinks.values { sink.yield(status) }
            }
        }
    }

    func stream() -> AsyncStream<LiveStatus> {
        let (stream, continuation) = AsyncStream<LiveStatus>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let id = UUID()
        state.withLock { state in
            state.sinks[id] = continuation
            continuation.yield(state.status)
        }
        continuation.onTermination = { [weak self] _ in _ = self?.state.withLock { $0.sinks.removeValue(forKey: id) } }
        return stream
    }
}

/// A subscription to one query. It ends with `cancel()`, or when it is released.
public final class LiveSubscription<Noun: LiveNoun>: Sendable {
    /// What is selected.
    public let query: LiveQuery<Noun>
    private let engine: LiveEngine
    private let name: String
    private let isOpen = Atomic(true)
    private let onCancel: @Sendable () -> Void

    init(_ query: LiveQuery<Noun>, _ engine: LiveEngine, name: String, onCancel: @escaping @Sendable () -> Void = {}) {
        (self.query, self.engine, self.name, self.onCancel) = (query, engine, name, onCancel)
    }

    deinit {
        guard close() else { return }
        Task { [engine, name] in await engine.release(name) }
    }

    private func close() -> Bool {
        guard isOpen.exchange(false, ordering: .acquiringAndReleasing) else { return false }
        onCancel()
        return true
    }

    /// Ends the subscription. When this returns, the client has unsubscribed from the data, unless another subscription needs them.
    public func cancel() async { if close() { await engine.release(name) } }

    /// Waits until the data is complete.
    ///
    /// - Throws: `DoorwardError.timedOut`, `.revoked`, or why the gateway refused.
    public func ready(timeout: Duration) async throws {
        let clock = engine.clock
        let deadline = clock.uptime + timeout
        let updates = updates()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await update in updates {
                    if let failure = update.failure { throw failure }
                    if update.isReady { return }
                }
                throw CancellationError()
            }
            group.addTask {
                try await clock.sleep(until: deadline)
                throw DoorwardError.timedOut
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// The objects received so far; empty before the first have arrived.
    public func objects() async -> [Noun] {
        (await engine.objects(query) ?? [:]).values.sorted { $0.id < $1.id }
    }

    /// Everything that changes, latest wins.
    func updates() -> AsyncStream<LiveUpdate<Noun>> {
        let (stream, continuation) = AsyncStream<LiveUpdate<Noun>>.makeStream(bufferingPolicy: .bufferingNewest(1))
        Task { [engine, name] in
            let sink = await engine.attach(name) { (update: LiveUpdate<Noun>) in continuation.yield(update) }
            continuation.onTermination = { _ in Task { await engine.detach(sink, from: name, Noun.self) } }
        }
        return stream
    }
}
