internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import DoorwardMQTT
internal import Logging
internal import Synchronization

/// One broker: its connection, the routing of its messages to locks, and its discovery.
final class BrokerSession: Sendable {
    /// The pause between the state requests to the locks of a broker, so as not to flood a bridge with a slow radio.
    static let stateRequestInterval = Duration.milliseconds(20)

    /// Maximum number of locks named in one log line.
    private static let maxLoggedNames = 10

    let broker: MQTTBroker
    private let context: AdapterContext
    private let random: RandomSource
    /// The connection; `nil` before `start` and after `stop`.
    private let currentConnection = Mutex<MQTTConnection?>(nil)
    /// Whether the connection was established according to the last event.
    private let wasConnected = Atomic(false)
    private let routes: Mutex<Routes>
    private let discovery: BrokerDiscovery
    /// Discovery topics on which this connection has dropped a message that was too long.
    private let tooLong = Mutex<Set<TopicText>>([])
    private let stateRequests = Mutex(StateRequestQueue())

    /// The locks to be queried for their state once the subscriptions for their responses are in place.
    private struct StateRequestQueue {
        /// Locks that wait for the next `.subscribed` event.
        var waitingForSubscription: [MQTTLock] = []
        /// Locks to be queried one after the other, with a pause.
        var pending: [MQTTLock] = []
        /// Number of `.subscribed` events so far.
        var subscribedCount = 0
        var task: Task<Void, Never>?
    }

    private struct Routes {
        var locks: Set<MQTTLock> = []
        var subscribers = TopicSubscribers<MQTTLock>()
    }

    init(_ broker: MQTTBroker, random: RandomSource, discovery: BrokerDiscovery, _ context: AdapterContext) {
        (self.broker, self.random, self.discovery, self.context) = (broker, random, discovery, context)
        routes = Mutex(Routes())
    }

    // MARK: - Connection

    /// Whether a message can be sent now.
    var isConnected: Bool { currentConnection.withLock { $0 }?.isConnected ?? false }

    /// Why the broker cannot be used now, as one sentence without its full stop; `nil` while it can.
    var outage: String? {
        guard !isConnected else { return nil }
        // There is no failure before the connection first ends, and while the gateway is stopped.
        let failure = currentConnection.withLock { $0 }?.lastFailure
        return "Broker `\(broker.name)` is not connected\(failure.map { " (\($0.reason))" } ?? " yet")"
    }

    /// `outage` as the problem of a failed command.
    var disconnectedProblem: TransportProblem? {
        outage.map { TransportProblem(detail: $0 + ".", summary: "The gateway is not connected to the lock's MQTT broker.") }
    }

    /// Messages that the current connection has dropped.
    var droppedMessages: Int { currentConnection.withLock { $0 }?.droppedMessages ?? 0 }

    /// Connects, and subscribes to the topics of all added locks.
    func start() {
        logUndiscoverableProfiles()
        let connection = MQTTConnection(broker.settings, clock: context.clock, random: random) { [weak self] in
            self?.handle($0)
        }
        let isFirst = currentConnection.withLock { current in
            guard current == nil else { return false }
            current = connection
            return true
        }
        guard isFirst else { return }
        connection.subscribe(to: discovery.filters)
        Self.subscribe(routes.withLock { $0.locks.map(\.dialect) }, on: connection)
        connection.start()
    }

    private func logUndiscoverableProfiles() {
        let undiscoverable = Discovery.unannounced(broker.profiles)
        guard broker.isDiscovering, !undiscoverable.isEmpty else { return }
        log(
            .warning, "locks of some profiles cannot be discovered, because they are not announced: attach them by address",
            ["profiles": "\(undiscoverable.joined(separator: " "))"])
    }

    /// Closes the connection; no more messages are processed.
    func stop() async {
        let connection = currentConnection.withLock { $0.take() }
        await connection?.stop()
        context.count(.messagesDropped, by: connection?.droppedMessages ?? 0)
        cancelStateRequests()
    }

    /// Publishes a message now, or throws. The message is never retained.
    ///
    /// - Parameter response: the subscriptions by which the lock's response arrives; the message is not sent before they are in
    ///   place.
    /// - Returns: the sequence number of the message, and the id that the broker's acknowledgement will carry.
    @discardableResult
    func publish(
        _ outgoing: OutgoingMessage, requiring response: MQTTResponseSubscriptions, lifetime: Duration
    ) throws(MQTTSendError) -> MQTTSentPublish {
        guard let connection = currentConnection.withLock({ $0 }) else { throw .notConnected }
        do {
            return try connection.publish(
                MQTTPublish(topic: outgoing.topic, payload: outgoing.payload, qos: outgoing.qos, lifetime: lifetime),
                requiring: response)
        } catch {
            context.count(.publishesFailed)
            throw error
        }
    }

    /// Whether the broker has processed the message with this number and is still responsive; see `MQTTConnection`.
    func isBrokerResponsive(since number: MQTTPublishNumber) -> Bool {
        currentConnection.withLock { $0 }?.isBrokerResponsive(since: number) ?? false
    }

    // MARK: - Locks

    /// Routes the messages on the lock's topics to the lock from now on, including retained messages.
    func add(_ lock: MQTTLock) {
        routes.withLock { routes in
            routes.locks.insert(lock)
            for filter in lock.dialect.filters { routes.subscribers.insert(lock, at: filter) }
        }
        if isConnected, !lock.dialect.stateRequests.isEmpty { stateRequests.withLock { $0.waitingForSubscription.append(lock) } }
        // Subscribe even to topics that have a subscription already, so that the broker sends their retained messages again, for
        // this lock.
        resubscribe(lock)
    }

    /// Subscribes to a lock's topics again, so that the broker sends their retained messages once more.
    func resubscribe(_ lock: MQTTLock) {
        if let connection = currentConnection.withLock({ $0 }) { Self.subscribe([lock.dialect], on: connection) }
    }

    /// Subscribes to command topics with Retain As Published, to detect a retained command at once. Subscribes to other topics
    /// without this option.
    private static func subscribe(_ dialects: [Dialect], on connection: MQTTConnection) {
        connection.subscribe(to: dialects.flatMap(\.commandFilters), retainAsPublished: true)
        connection.subscribe(to: dialects.flatMap { dialect in dialect.filters.filter { !dialect.commandFilters.contains($0) } })
    }

    func remove(_ lock: MQTTLock) {
        let unusedFilters = routes.withLock { routes in
            routes.locks.remove(lock)
            for filter in lock.dialect.filters { routes.subscribers.remove(lock, at: filter) }
            return lock.dialect.filters.filter { routes.subscribers[$0].isEmpty }
        }
        let discoveryFilters = Set(discovery.filters)
        currentConnection.withLock { $0 }?.unsubscribe(from: unusedFilters.filter { !discoveryFilters.contains($0) })
    }

    // MARK: - Events of the connection

    private func handle(_ event: MQTTEvent) {
        switch event {
        case .message(let message): route(message)
        case .tooLong(let topic, let bytes): recordTooLong(topic, bytes)
        case .connected(let version):
            wasConnected.store(true, ordering: .relaxed)
            log(.info, "connected to broker", ["mqtt": "\(version.rawValue)"])
            discovery.reset()
            tooLong.withLock { $0 = [] }
            let locks = routes.withLock { $0.locks }.filter { !$0.dialect.stateRequests.isEmpty }
            // A lock that is added at this moment may be waiting already.
            stateRequests.withLock { stateRequests in
                stateRequests.waitingForSubscription = locks + stateRequests.waitingForSubscription.filter { !locks.contains($0) }
            }
        case .subscribed: requestWaitingStates()
        case .disconnected(let failure):
            if failure == .writeTimeout || failure == .notResponding { context.count(.writeTimeouts) }
            log(.warning, "broker is not connected (\(failure.reason))", [:])
            // A failed attempt to connect changes no known state.
            guard wasConnected.exchange(false, ordering: .relaxed) else { return }
            context.count(.disconnects)
            cancelStateRequests()
            for lock in routes.withLock({ $0.locks }) { lock.brokerDisconnected() }
        case .subscriptionRefused(let filter, let reason): handleRefusal(of: filter, reason)
        case .subscriptionGranted(let filter):
            log(.notice, "subscription granted, which was refused before", ["filter": "\(filter)"])
            for lock in routes.withLock({ $0.subscribers[filter] }) { lock.grantSubscription(filter) }
        case .acknowledged(_, .accepted): break
        case .acknowledged(_, .noMatchingSubscribers): log(.warning, "a command has no matching subscribers", [:])
        case .acknowledged(let id, .rejected(let reason, let isNotAuthorized)):
            // `reject` waits for the mutex of a lock that is sending. When it gets the mutex, the lock has stored the id of its
            // message.
            let locks = routes.withLock { $0.locks }
            guard !locks.contains(where: { $0.reject(id, reason: reason, isNotAuthorized: isNotAuthorized) }) else { return }
            log(.warning, "a publish was rejected by the broker", ["reason": "\(reason)"])
        }
    }

    private func recordTooLong(_ topic: String, _ bytes: Int) {
        let maxMiB = broker.settings.maximumPayloadBytes >> 20
        log(.warning, "a message was dropped: it is longer than \(maxMiB) MiB", ["topic": "\(topic)", "bytes": "\(bytes)"])
        guard discovery.isDiscoveryTopic(topic) else { return }
        tooLong.withLock { if $0.count < Self.maxLoggedNames { $0.insert(TopicText(topic)) } }
    }

    /// The gaps in discovery, one clause each; empty when all announced locks are found.
    var notices: [String] {
        let maxMiB = broker.settings.maximumPayloadBytes >> 20
        return discovery.notices
            + tooLong.withLock { $0 }.map { "the list on `\($0.text)` was dropped: it is longer than \(maxMiB) MiB" }.sorted()
    }

    private func handleRefusal(of filter: MQTTFilter, _ reason: String) {
        let locks = routes.withLock { $0.subscribers[filter] }
        let devices = locks.prefix(Self.maxLoggedNames).map { "\($0.id)" }.sorted().joined(separator: " ")
        log(
            .error, "subscription refused; check the broker's access control list",
            ["filter": "\(filter)", "reason": "\(reason)", "devices": "\(devices)"])
        for lock in locks { lock.refuseSubscription(filter) }
    }

    private func route(_ message: MQTTMessage) {
        context.count(.messagesReceived)
        for lock in routes.withLock({ $0.subscribers.matching(message.topic) }) { lock.receive(message) }
        for notice in discovery.receive(message) { log(.warning, "discovery is incomplete: \(notice)", [:]) }
    }

    private func log(_ level: Logger.Level, _ text: String, _ more: Logger.Metadata) {
        let metadata = more.merging(["broker": "\(broker.name)"]) { $1 }
        context.logger.log(level: level, "\(text)", metadata: metadata)
    }

    // MARK: - State requests

    /// Queries a lock for its state as soon as the broker accepts messages again.
    func enqueueStateRequest(for lock: MQTTLock) {
        sendStateRequests { if !$0.pending.contains(lock) { $0.pending.append(lock) } }
    }

    /// Queries the waiting locks for their state, because retained messages may be old.
    private func requestWaitingStates() {
        sendStateRequests { stateRequests in
            stateRequests.subscribedCount += 1
            stateRequests.pending += stateRequests.waitingForSubscription
            stateRequests.waitingForSubscription = []
        }
    }

    /// Queries the locks that are due, one after the other.
    private func sendStateRequests(_ add: (inout StateRequestQueue) -> Void) {
        let clock = context.clock
        stateRequests.withLock { stateRequests in
            add(&stateRequests)
            guard stateRequests.task == nil, !stateRequests.pending.isEmpty else { return }
            stateRequests.task = Task(executorPreference: context.executor) { [weak self] in
                while !Task.isCancelled, let (lock, subscribedCount) = self?.nextPending() {
                    guard self?.requestState(of: lock, subscribedCount) == true else { continue }
                    guard (try? await clock.sleep(until: clock.monotonicNow().advanced(by: Self.stateRequestInterval))) != nil
                    else { return }
                }
            }
        }
    }

    /// - Returns: the next lock to be queried, and the number of `.subscribed` events so far.
    private func nextPending() -> (lock: MQTTLock, subscribedCount: Int)? {
        stateRequests.withLock { stateRequests in
            if stateRequests.pending.isEmpty { stateRequests.task = nil }
            return stateRequests.pending.isEmpty ? nil : (stateRequests.pending.removeFirst(), stateRequests.subscribedCount)
        }
    }

    /// Queries a lock. A lock that cannot be queried yet stays in the queue.
    ///
    /// - Returns: whether a pause must follow: the lock was queried, or the broker is busy.
    private func requestState(of lock: MQTTLock, _ subscribedCount: Int) -> Bool {
        do throws(AdapterError) {
            try lock.refresh()
            return true
        } catch {
            stateRequests.withLock { stateRequests in
                switch error {
                // The subscriptions of the lock are not granted yet. If the number differs, they were granted after `nextPending`.
                case .offline where stateRequests.subscribedCount == subscribedCount:
                    stateRequests.waitingForSubscription.append(lock)
                case .offline, .transportBusy: stateRequests.pending.append(lock)
                default: break
                }
            }
            return error == .transportBusy
        }
    }

    private func cancelStateRequests() {
        stateRequests.withLock { stateRequests in
            stateRequests.task?.cancel()
            stateRequests = StateRequestQueue()
        }
    }
}

/// Rate limiter (token bucket) for the messages of one lock, so that a lock that publishes without end does not delay the others.
struct RateLimiter {
    /// Messages per second that are processed in the long run; no lock publishes so many.
    static let refillPerSecond = 50
    /// Messages that may arrive at once: a bridge publishes all topics of a lock when it starts.
    static let burst = 200

    private var tokens = Double(burst)
    private var lastRefill: MonotonicInstant
    /// Whether the last message was dropped.
    private var isDropping = false

    init(at now: MonotonicInstant) { lastRefill = now }

    enum Decision: Equatable {
        case accept
        /// - Parameter isFirst: whether the previous message was processed, so that the known state may be wrong from now on.
        case drop(isFirst: Bool)
    }

    mutating func admit(at now: MonotonicInstant) -> Decision {
        let seconds = Double(now.duration(since: lastRefill).wholeMilliseconds) / 1000
        if seconds > 0 {
            tokens = min(Double(Self.burst), tokens + seconds * Double(Self.refillPerSecond))
            lastRefill = now
        }
        let wasDropping = isDropping
        isDropping = tokens < 1
        guard !isDropping else { return .drop(isFirst: !wasDropping) }
        tokens -= 1
        return .accept
    }
}
