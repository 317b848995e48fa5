internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import DoorwardMQTT
internal import Logging
internal import Synchronization

/// One broker: its connection, who gets which of its messages, and what was found on it.
final class BrokerLink: Sendable {
    /// The pause between the questions that are put to all locks when the connection stands: a bridge with a slow radio is not
    /// to be flooded.
    static let roundPause = Duration.milliseconds(20)

    let broker: MQTTBroker
    private let surroundings: Surroundings
    private let random: RandomSource
    /// `nil` before `start` and after `stop`.
    private let current = Mutex<MQTTConnection?>(nil)
    /// Whether the connection stood when it was heard of last.
    private let stood = Atomic(false)
    private let routes: Mutex<Routes>
    private let found: FoundLocks
    private let round = Mutex<Task<Void, Never>?>(nil)

    private struct Routes {
        var topics = TopicTree<MQTTLock>()
        var locks: Set<MQTTLock> = []
    }

    init(_ broker: MQTTBroker, random: RandomSource, found: FoundLocks, _ surroundings: Surroundings) {
        (self.broker, self.random, self.found, self.surroundings) = (broker, random, found, surroundings)
        routes = Mutex(Routes())
    }

    // MARK: - Connection

    /// Whether a frame could leave at this moment.
    var isConnected: Bool { current.withLock { $0 }?.isConnected ?? false }

    /// Why the connection ended last, or could not be made; `nil` before anything of the kind, and while the gateway is stopped.
    var failure: MQTTFailure? { current.withLock { $0 }?.health.lastFailure }

    /// Messages that the connection of now did not take.
    var untaken: Int { current.withLock { $0 }?.health.counts.messagesDropped ?? 0 }

    /// Connects, and listens for every lock that was added.
    func start() {
        let connection = MQTTConnection(broker.settings, clock: surroundings.clock, random: random) { [weak self] in
            self?.take($0)
        }
        let isFirst = current.withLock { current in
            guard current == nil else { return false }
            current = connection
            return true
        }
        guard isFirst else { return }
        connection.want(found.filters)
        Self.want(routes.withLock { $0.locks.map(\.dialect) }, on: connection)
        connection.start()
    }

    /// Ends the connection; what it still says is heard by nobody.
    func stop() async {
        let connection = current.withLock { $0.take() }
        await connection?.stop()
        surroundings.counters.dropped.add(connection?.health.counts.messagesDropped ?? 0, ordering: .relaxed)
        endRound()
    }

    /// Hands a frame to the connection now, or throws. It is never retained.
    ///
    /// - Returns: its place among the frames of the connection.
    @discardableResult
    func publish(_ outgoing: Outgoing, lifetime: Duration) throws(MQTTSendError) -> MQTTFrameNumber {
        guard let connection = current.withLock({ $0 }) else { throw .notConnected }
        do {
            return try connection.publish(
                MQTTFrame(topic: outgoing.topic, payload: outgoing.payload, quality: outgoing.quality, lifetime: lifetime)
            ).number
        } catch {
            surroundings.counters.refused.add(1, ordering: .relaxed)
            throw error
        }
    }

    /// Whether the broker has certainly taken a frame in, and has been at work since.
    func hasTaken(_ frame: MQTTFrameNumber) -> Bool { current.withLock { $0 }?.hasTaken(frame) ?? false }

    // MARK: - Locks

    /// The lock gets the messages of its topics from now on, and what the broker keeps on them.
    func add(_ lock: MQTTLock) {
        routes.withLock { routes in
            routes.locks.insert(lock)
            for filter in lock.dialect.filters { _ = routes.topics.insert(lock, at: filter) }
        }
        // Also where another lock has asked for the same: what the broker keeps comes once more, for this one.
        if let connection = current.withLock({ $0 }) { Self.want([lock.dialect], on: connection) }
        if isConnected { try? lock.refresh() }
    }

    /// On command topics a command is to be known at once as one that is to stay.
    private static func want(_ dialects: [Dialect], on connection: MQTTConnection) {
        connection.want(
            Array(Set(dialects.flatMap { dialect in dialect.filters.filter { !dialect.commandFilters.contains($0) } })))
        connection.want(Array(Set(dialects.flatMap(\.commandFilters))), asPublished: true)
    }

    func remove(_ lock: MQTTLock) {
        let unwanted = routes.withLock { routes in
            routes.locks.remove(lock)
            return lock.dialect.filters.filter { routes.topics.remove(lock, at: $0) }
        }
        let stillWanted = Set(found.filters)
        current.withLock { $0 }?.leave(unwanted.filter { !stillWanted.contains($0) })
    }

    // MARK: - What the connection says

    private func take(_ event: MQTTEvent) {
        switch event {
        case .message(let message): take(message)
        case .connected(let version):
            stood.store(true, ordering: .relaxed)
            note(.info, "the broker is there", ["mqtt": "\(version.rawValue)"])
            found.beginAnew()
            beginRound()
        case .disconnected(let failure):
            if failure == .stuck { surroundings.counters.cuts.add(1, ordering: .relaxed) }
            note(.warning, "\(failure)", [:])
            // An attempt that failed takes away nothing that was known.
            guard stood.exchange(false, ordering: .relaxed) else { return }
            surroundings.counters.disconnects.add(1, ordering: .relaxed)
            endRound()
            for lock in routes.withLock({ $0.locks }) { lock.loseBroker() }
        case .subscriptionRefused(let filter, let reason):
            note(
                .error, "the broker does not give the gateway what it asks for; see its access list",
                [
                    "filter": "\(filter)", "reason": "\(reason)",
                ])
        case .acknowledged(_, .taken): break
        case .acknowledged(_, let answer): note(.warning, "the broker has a frame that reaches nobody", ["answer": "\(answer)"])
        }
    }

    private func take(_ message: MQTTMessage) {
        surroundings.counters.messages.add(1, ordering: .relaxed)
        for lock in routes.withLock({ $0.topics.values(for: message.topic) }) { lock.hear(message) }
        found.hear(message)
    }

    private func note(_ level: Logger.Level, _ sentence: String, _ more: Logger.Metadata) {
        let metadata = more.merging(["broker": "\(broker.name)"]) { $1 }
        surroundings.logger.log(level: level, "\(sentence)", metadata: metadata)
    }

    // MARK: - Asking all

    /// Asks every lock that can be asked for its state, one after the other: what the broker kept may be old.
    private func beginRound() {
        let locks = routes.withLock { $0.locks }.filter { !$0.dialect.questions.isEmpty }
        let clock = surroundings.clock
        let task = Task(executorPreference: surroundings.executor) {
            for lock in locks {
                try? lock.refresh()
                guard (try? await clock.sleep(until: clock.monotonicNow().advanced(by: Self.roundPause))) != nil else { return }
            }
        }
        round.withLock { old in
            old?.cancel()
            old = task
        }
    }

    private func endRound() { round.withLock { $0.take()?.cancel() } }
}
