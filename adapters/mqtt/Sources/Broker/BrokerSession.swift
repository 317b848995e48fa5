internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import DoorwardMQTT
internal import Logging
internal import Synchronization

/// One broker: its connection, the routing of its messages to locks, and its discovery.
final class BrokerSession: Sendable {
    /// The pause between the state requests to the locks of a broker, so as not to flood a bridge with a slow radio.
    static let roundPause = Duration.milliseconds(20)

    /// Maximum number of locks named in one log line.
    private static let maxNamed = 10

    let broker: MQTTBroker
    private let surroundings: AdapterContext
    private let random: RandomSource
    /// The connection; `nil` before `start` and after `stop`.
    private let current = Mutex<MQTTConnection?>(nil)
    /// Whether the connection was established according to the last event.
    private let stood = Atomic(false)
    private let routes: Mutex<Routes>
    private let found: FoundLocks
    /// Discovery topics on which this connection has dropped a message that was too long.
    private let tooLong = Mutex<Set<TopicText>>([])
    private let round = Mutex(Round())

    /// The locks to be queried for their state once the subscriptions for their answers are in place.
    private struct Round {
        /// Locks that wait for the next `.subscribed` event.
        var waiting: [MQTTLock] = []
        /// Locks to be queried one after the other, with a pause.
        var due: [MQTTLock] = []
        /// Number of `.subscribed` events so far.
        var settled = 0
        var task: Task<Void, Never>?
    }

    private struct Routes {
        var topics = TopicTree<MQTTLock>()
        var locks: Set<MQTTLock> = []
    }

    init(_ broker: MQTTBroker, random: RandomSource, found: FoundLocks, _ surroundings: AdapterContext) {
        (self.broker, self.random, self.found, self.surroundings) = (broker, random, found, surroundings)
        routes = Mutex(Routes())
    }

    // MARK: - Connection

    /// Whether a frame can be sent now.
    var isConnected: Bool { current.withLock { $0 }?.isConnected ?? false }

    /// Why the connection last ended or could not be established; `nil` before that happens, and while the gateway is stopped.
    var failure: MQTTFailure? { current.withLock { $0 }?.health.lastFailure }

    /// Why the broker cannot be used now, as one sentence without its full stop; `nil` while it can.
    var outage: String? {
        guard !isConnected else { return nil }
        return "Broker `\(broker.name)` is not connected\(failure.map { " (\($0.reason))" } ?? " yet")"
    }

    /// `outage` as the problem of a failed command.
    var disconnectedProblem: TransportProblem? {
        outage.map { TransportProblem(detail: $0 + ".", summary: "The gateway is not connected to the lock's MQTT broker.") }
    }

    /// Messages that the current connection has dropped.
    var droppedMessages: Int { current.withLock { $0 }?.health.counts.messagesDropped ?? 0 }

    /// Connects, and subscribes to the topics of all added locks.
    func start() {
        noteSilentProfiles()
        let connection = MQTTConnection(broker.settings, clock: surroundings.clock, random: random) { [weak self] in
            self?.take($0)
        }
        let isFirst = current.withLock { current in
            guard current == nil else { return false }
            current = connection
            return true
        }
        guard isFirst else { return }
        connection.subscribe(to: found.filters)
        Self.want(routes.withLock { $0.locks.map(\.dialect) }, on: connection)
        connection.start()
    }

    private func noteSilentProfiles() {
        let silent = Discovery.unannounced(broker.profiles)
        guard broker.isDiscovering, !silent.isEmpty else { return }
        note(
            .warning, "discovery finds no locks of some profiles, as they announce themselves nowhere: attach them by address",
            ["profiles": "\(silent.joined(separator: " "))"])
    }

    /// Closes the connection; no more messages are processed.
    func stop() async {
        let connection = current.withLock { $0.take() }
        await connection?.stop()
        surroundings.counters.dropped.add(connection?.health.counts.messagesDropped ?? 0, ordering: .relaxed)
        endRound()
    }

    /// Sends a frame now, or throws. The frame is never retained.
    ///
    /// - Parameter subscriptions: those by which the lock's answers arrive; the frame is not sent before they are in place.
    /// - Returns: the sequence number of the frame, and the id that the broker's acknowledgement will carry.
    @discardableResult
    func publish(
        _ outgoing: OutgoingMessage, requiring subscriptions: MQTTResponseSubscriptions, lifetime: Duration
    ) throws(MQTTSendError) -> MQTTSentPublish {
        guard let connection = current.withLock({ $0 }) else { throw .notConnected }
        do {
            return try connection.publish(
                MQTTPublish(topic: outgoing.topic, payload: outgoing.payload, qos: outgoing.qos, lifetime: lifetime),
                requiring: subscriptions)
        } catch {
            surroundings.counters.refused.add(1, ordering: .relaxed)
            throw error
        }
    }

    /// Whether the broker has processed a frame and is still responsive; see `MQTTConnection`.
    func isBrokerResponsive(since number: MQTTPublishNumber) -> Bool {
        current.withLock { $0 }?.isBrokerResponsive(since: number) ?? false
    }

    // MARK: - Locks

    /// Routes the messages on the lock's topics to the lock from now on, including retained messages.
    func add(_ lock: MQTTLock) {
        routes.withLock { routes in
            routes.locks.insert(lock)
            for filter in lock.dialect.filters { _ = routes.topics.insert(lock, at: filter) }
        }
        if isConnected, !lock.dialect.questions.isEmpty { round.withLock { $0.waiting.append(lock) } }
        // Subscribe even to topics that have a subscription already, so that the broker sends their retained messages again, for
        // this lock.
        listenAnew(for: lock)
    }

    /// Subscribes to a lock's topics again, so that the broker sends their retained messages once more.
    func listenAnew(for lock: MQTTLock) {
        if let connection = current.withLock({ $0 }) { Self.want([lock.dialect], on: connection) }
    }

    /// Subscribes to command topics with Retain As Published, to detect a retained command at once. Subscribes to other topics
    /// without this option.
    private static func want(_ dialects: [Dialect], on connection: MQTTConnection) {
        connection.subscribe(to: dialects.flatMap(\.commandFilters), retainAsPublished: true)
        connection.subscribe(to: dialects.flatMap { dialect in dialect.filters.filter { !dialect.commandFilters.contains($0) } })
    }

    func remove(_ lock: MQTTLock) {
        let unwanted = routes.withLock { routes in
            routes.locks.remove(lock)
            return lock.dialect.filters.filter { routes.topics.remove(lock, at: $0) }
        }
        let stillWanted = Set(found.filters)
        current.withLock { $0 }?.unsubscribe(from: unwanted.filter { !stillWanted.contains($0) })
    }

    // MARK: - Events of the connection

    private func take(_ event: MQTTEvent) {
        switch event {
        case .message(let message): take(message)
        case .tooLong(let topic, let bytes): dropTooLong(topic, bytes)
        case .connected(let version):
            stood.store(true, ordering: .relaxed)
            note(.info, "the broker is there", ["mqtt": "\(version.rawValue)"])
            found.reset()
            tooLong.withLock { $0 = [] }
            let locks = routes.withLock { $0.locks }.filter { !$0.dialect.questions.isEmpty }
            // A lock that is added at this moment may be waiting already.
            round.withLock { round in round.waiting = locks + round.waiting.filter { !locks.contains($0) } }
        case .subscribed: queryWaiting()
        case .disconnected(let failure):
            if failure == .writeTimeout || failure == .notResponding { surroundings.counters.cuts.add(1, ordering: .relaxed) }
            note(.warning, "broker is not connected (\(failure.reason))", [:])
            // A failed attempt to connect changes no known state.
            guard stood.exchange(false, ordering: .relaxed) else { return }
            surroundings.counters.disconnects.add(1, ordering: .relaxed)
            endRound()
            for lock in routes.withLock({ $0.locks }) { lock.brokerDisconnected() }
        case .subscriptionRefused(let filter, let reason): refuse(filter, reason)
        case .subscriptionGranted(let filter):
            note(.notice, "subscription granted, which was refused before", ["filter": "\(filter)"])
            for lock in routes.withLock({ $0.topics.values(at: filter) }) { lock.grantSubscription(filter) }
        case .acknowledged(_, .accepted): break
        case .acknowledged(_, .noMatchingSubscribers): note(.warning, "a command has no matching subscribers", [:])
        case .acknowledged(let frame, .rejected(let reason, let isNotAuthorized)):
            // `reject` waits for the mutex of a lock that is sending. When it gets the mutex, the lock has stored the id of its
            // frame.
            let locks = routes.withLock { $0.locks }
            guard !locks.contains(where: { $0.reject(frame, reason: reason, isNotAuthorized: isNotAuthorized) }) else { return }
            note(.warning, "a frame was rejected by the broker", ["reason": "\(reason)"])
        }
    }

    private func dropTooLong(_ topic: String, _ bytes: Int) {
        let longest = broker.settings.maximumPayloadBytes >> 20
        note(
            .warning, "a message was dropped: it is longer than \(longest) MiB", ["topic": "\(topic)", "bytes": "\(bytes)"])
        guard found.isAnnounced(on: topic) else { return }
        tooLong.withLock { if $0.count < Self.maxNamed { $0.insert(TopicText(topic)) } }
    }

    /// The gaps in discovery, one clause each; empty when all announced locks are found.
    var notices: [String] {
        let longest = broker.settings.maximumPayloadBytes >> 20
        return found.notices
            + tooLong.withLock { $0 }.map { "the list on `\($0.text)` was dropped: it is longer than \(longest) MiB" }.sorted()
    }

    private func refuse(_ filter: MQTTFilter, _ reason: String) {
        let locks = routes.withLock { $0.topics.values(at: filter) }
        let devices = locks.prefix(Self.maxNamed).map { "\($0.id)" }.sorted().joined(separator: " ")
        note(
            .error, "subscription refused; check the broker's access control list",
            ["filter": "\(filter)", "reason": "\(reason)", "devices": "\(devices)"])
        for lock in locks { lock.refuseSubscription(filter) }
    }

    private func take(_ message: MQTTMessage) {
        surroundings.counters.messages.add(1, ordering: .relaxed)
        for lock in routes.withLock({ $0.topics.values(for: message.topic) }) { lock.receive(message) }
        for notice in found.receive(message) { noteDiscovery(notice) }
    }

    private func noteDiscovery(_ notice: String) { note(.warning, "discovery is incomplete: \(notice)", [:]) }

    private func note(_ level: Logger.Level, _ sentence: String, _ more: Logger.Metadata) {
        let metadata = more.merging(["broker": "\(broker.name)"]) { $1 }
        surroundings.logger.log(level: level, "\(sentence)", metadata: metadata)
    }

    // MARK: - State requests

    /// Queries a lock for its state as soon as the broker accepts frames again.
    func queryLater(_ lock: MQTTLock) { goRound { if !$0.due.contains(lock) { $0.due.append(lock) } } }

    /// Queries the waiting locks for their state, because retained messages may be old.
    private func queryWaiting() {
        goRound { round in
            round.settled += 1
            round.due += round.waiting
            round.waiting = []
        }
    }

    /// Queries the locks that are due, one after the other.
    private func goRound(_ add: (inout Round) -> Void) {
        let clock = surroundings.clock
        round.withLock { round in
            add(&round)
            guard round.task == nil, !round.due.isEmpty else { return }
            round.task = Task(executorPreference: surroundings.executor) { [weak self] in
                while !Task.isCancelled, let (lock, settled) = self?.nextDue() {
                    guard self?.query(lock, settled) == true else { continue }
                    guard (try? await clock.sleep(until: clock.monotonicNow().advanced(by: Self.roundPause))) != nil else {
                        return
                    }
                }
            }
        }
    }

    /// - Returns: the next lock to be queried, and the number of `.subscribed` events so far.
    private func nextDue() -> (lock: MQTTLock, settled: Int)? {
        round.withLock { round in
            if round.due.isEmpty { round.task = nil }
            return round.due.isEmpty ? nil : (round.due.removeFirst(), round.settled)
        }
    }

    /// Queries a lock. A lock that cannot be queried yet stays in the round.
    ///
    /// - Returns: whether a pause must follow: the lock was queried, or the broker is busy.
    private func query(_ lock: MQTTLock, _ settled: Int) -> Bool {
        do throws(AdapterError) {
            try lock.refresh()
            return true
        } catch {
            round.withLock { round in
                switch error {
                case .transportBusy: round.due.append(lock)
                // The subscriptions of the lock are not granted yet, or they were granted after `nextDue`.
                case .offline: if round.settled == settled { round.waiting.append(lock) } else { round.due.append(lock) }
                default: break
                }
            }
            return error == .transportBusy
        }
    }

    private func endRound() {
        round.withLock { round in
            round.task?.cancel()
            round = Round()
        }
    }
}
