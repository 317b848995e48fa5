package import DoorwardDomain
import Synchronization

/// A connection to one broker, which reconnects by itself.
///
/// A frame is written to the socket at once or rejected: it is never queued, sent twice or retained. If it has not reached the
/// broker when its lifetime ends, the connection is reset, so that the frame does not arrive late. The connection runs on its own
/// thread from `start` to `stop`. The thread retains this object until then.
package final class MQTTConnection: Sendable {
    private struct Life {
        /// Changes that the thread has not applied yet.
        var subscriptions: [Subscriptions.Change] = []
        var isStarted = false
        var isStopped = false
        var isSudden = false
        var hasEnded = false
        /// Whether the thread is in the resolver's blocking call, which cannot be interrupted.
        var isAway = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let line: Mutex<ConnectionStateMachine>
    private let life = Mutex(Life())
    private let state = Mutex(MQTTHealth())
    /// Copy of `ConnectionStateMachine.isConnected`, read without its lock.
    private let stands = Atomic(false)
    private let bell = WakeupPipe()
    private let settings: MQTTSettings
    private let clock: any GatewayClock
    private let receive: @Sendable (MQTTEvent) -> Void

    /// - Parameter receive: called for one event after the other, on the connection's own thread. The thread reads nothing
    ///   further until the call returns, so a slow receiver delays only this broker. The receiver may publish on this connection.
    package init(
        _ settings: MQTTSettings, clock: any GatewayClock, random: RandomSource, receive: @escaping @Sendable (MQTTEvent) -> Void
    ) {
        line = Mutex(ConnectionStateMachine(settings, random: random, at: clock.monotonicNow()))
        (self.settings, self.clock, self.receive) = (settings, clock, receive)
    }

    /// Creates a connection with the machine's own clock and randomness, for programs that are not the gateway.
    package convenience init(_ settings: MQTTSettings, receive: @escaping @Sendable (MQTTEvent) -> Void) {
        self.init(settings, clock: MachineClock(), random: RandomSource(), receive: receive)
    }

    /// Whether a frame could be sent at this moment.
    package var isConnected: Bool { stands.load(ordering: .acquiring) }

    /// The state of the connection, and its counters. An event is counted before it is delivered to the receiver.
    package var health: MQTTHealth { state.withLock { $0 } }

    // MARK: - Start and stop

    /// Connects, and reconnects until `stop`. Further calls have no effect.
    package func start() {
        let isFirst = life.withLock { life in
            guard !life.isStarted, !life.isStopped else { return false }
            life.isStarted = true
            return true
        }
        if isFirst { DedicatedThread.run { self.run() } }
    }

    /// Closes the connection permanently. When this returns, nothing more is sent or received.
    /// Waits only until the receiver has processed the event that is being delivered.
    ///
    /// - Parameter isSudden: whether to close without a DISCONNECT, as a device that loses power does, so that the broker
    ///   publishes the last will.
    package func stop(withoutGoodbye isSudden: Bool = false) async {
        await withCheckedContinuation { continuation in
            let isOver = life.withLock { life in
                (life.isStopped, life.isSudden) = (true, isSudden)
                guard life.isStarted, !life.hasEnded, !life.isAway else { return true }
                life.waiting.append(continuation)
                return false
            }
            if isOver { continuation.resume() } else { bell.ring() }
        }
    }

    /// Subscribes to these filters now and after each reconnect. For filters already subscribed to,
    /// the broker sends the retained messages again.
    ///
    /// - Parameter retainAsPublished: asks for Retain As Published, so that live messages keep the retain flag of their publisher.
    ///   Needs MQTT 5, and has no effect where another caller subscribes to the same filter without it.
    package func want(_ filters: [MQTTFilter], retainAsPublished: Bool = false) {
        change(.want(filters, retainAsPublished: retainAsPublished))
    }

    /// Unsubscribes; messages that are in flight may still arrive.
    package func leave(_ filters: [MQTTFilter]) { change(.leave(filters)) }

    private func change(_ change: Subscriptions.Change) {
        life.withLock { $0.subscriptions.append(change) }
        bell.ring()
    }

    // MARK: - Publishing

    /// Writes a frame to the broker's socket now, or throws. Does not wait.
    ///
    /// - Parameter paths: the subscriptions by which the answer arrives. The frame is rejected unless they are in place.
    /// - Returns: the number of the frame, and for QoS 1 the id that its acknowledgement will carry. The frame is sent with QoS 0
    ///   and has no id if the broker acknowledges no messages, or if as many frames as the broker allows are unacknowledged.
    @discardableResult
    package func publish(
        _ frame: MQTTPublish, answeredBy paths: MQTTAnswerPaths = .none
    ) throws(MQTTSendError) -> MQTTSentFrame {
        try hand { line throws(MQTTSendError) in
            try line.publish(frame, answeredBy: paths, at: clock.monotonicNow())
        }
    }

    /// Whether the answer to a liveness probe shows that the broker has processed this frame. The probe must have been sent
    /// within the last two seconds. All messages that the broker sent before its answer have been delivered. The broker is probed
    /// once a second, so the result can be up to a second late. False if the connection has broken since.
    package func isBrokerResponsive(_ frame: MQTTFrameNumber) -> Bool {
        line.withLock { $0.isBrokerResponsive(frame, at: clock.monotonicNow()) }
    }

    /// Publishes an announcement; see `MQTTRetainablePublish`. Does not wait. If this throws, the announcement is not sent later
    /// either.
    ///
    /// - Returns: for QoS 1, the id that the broker's acknowledgement will carry.
    @discardableResult
    package func announce(_ word: MQTTRetainablePublish) throws(MQTTSendError) -> MQTTFrameID? {
        try hand { line throws(MQTTSendError) in try line.announce(word) }
    }

    private func hand<Sent: Sendable>(
        _ body: (inout ConnectionStateMachine) throws(MQTTSendError) -> Sent
    ) throws(MQTTSendError) -> Sent {
        do throws(MQTTSendError) {
            guard isConnected else { throw .notConnected }
            let (result, needsStep) = line.withLock { line -> (Result<Sent, MQTTSendError>, Bool) in
                do throws(MQTTSendError) {
                    return (.success(try body(&line)), line.needsStep)
                } catch {
                    return (.failure(error), line.needsStep)
                }
            }
            if needsStep { bell.ring() }
            let sent = try result.get()
            state.withLock { $0.counts.framesOut += 1 }
            return sent
        } catch {
            state.withLock { $0.counts.framesRefused += 1 }
            throw error
        }
    }

    // MARK: - On the connection's own thread

    private func run() {
        var ready = ConnectionStateMachine.Readiness()
        while let changes = nextChanges() {
            let (turn, wait) = line.withLock { line in
                let now = clock.monotonicNow()
                let turn = line.turn(ready, changes, at: now)
                stands.store(line.isConnected, ordering: .releasing)
                return (turn, line.wait(at: now))
            }
            deliver(turn)
            if case .make(let version) = wait {
                make(version)
                ready = ConnectionStateMachine.Readiness()
            } else {
                ready = bell.wait(wait, now: clock.monotonicNow())
            }
        }
        end()
    }

    /// - Returns: the pending changes of subscriptions, or `nil` when the connection has been stopped.
    private func nextChanges() -> [Subscriptions.Change]? {
        life.withLock { life in
            defer { life.subscriptions = [] }
            return life.isStopped ? nil : life.subscriptions
        }
    }

    /// Makes a handle without holding the lock of `line`, as name resolution blocks. Discards the handle if the connection was
    /// stopped meanwhile.
    private func make(_ version: MQTTVersion) {
        let isWanted = life.withLock { life in
            life.isAway = !life.isStopped
            return life.isAway
        }
        guard isWanted else { return }
        var made: MosquittoClient?
        var failure: MQTTFailure?
        do throws(MQTTFailure) { made = try MosquittoClient.make(settings, version) } catch { failure = error }
        let isStillWanted = life.withLock { life in
            life.isAway = false
            return !life.isStopped
        }
        guard isStillWanted else { return }
        deliver(line.withLock { $0.adopt(made.take(), failure, at: clock.monotonicNow()) })
    }

    private func deliver(_ turn: ConnectionStateMachine.StepResult) {
        if turn.dropped > 0 { state.withLock { $0.counts.messagesDropped += turn.dropped } }
        for event in turn.events {
            state.withLock { $0.note(event, at: clock.now()) }
            receive(event)
        }
        if turn.hasAnswer { line.withLock { $0.handedOn() } }
    }

    private func end() {
        let isSudden = life.withLock(\.isSudden)
        let wasStanding = line.withLock { line in
            defer { line.stop(withoutGoodbye: isSudden) }
            return line.isConnected
        }
        stands.store(false, ordering: .releasing)
        if wasStanding { deliver(ConnectionStateMachine.StepResult(events: [.disconnected(.stopped)])) }
        let waiting = life.withLock { life in
            life.hasEnded = true
            defer { life.waiting = [] }
            return life.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
