package import DoorwardDomain
internal import Glibc
import Synchronization

/// A connection to one broker, which reconnects by itself.
///
/// A message is written to the socket at once or rejected: it is never queued, sent twice or retained. If it has not reached the
/// broker when its lifetime ends, the connection is reset, so that the message does not arrive late. The connection runs on its
/// own thread from `start` to `stop`. The thread retains this object until then.
package final class MQTTConnection: Sendable {
    private struct Lifecycle {
        /// Changes that the thread has not applied yet.
        var subscriptions: [Subscriptions.Change] = []
        var isStarted = false
        var isStopped = false
        var sendsDisconnect = true
        var hasEnded = false
        /// Whether the thread is in the resolver's blocking call, which cannot be interrupted.
        var isResolvingHost = false
        var stopContinuations: [CheckedContinuation<Void, Never>] = []
        var lastFailure: MQTTFailure?
        var droppedMessages = 0
    }

    private let machine: Mutex<ConnectionStateMachine>
    private let lifecycle = Mutex(Lifecycle())
    /// Copy of `ConnectionStateMachine.isConnected`, read without its lock.
    private let connectedFlag = Atomic(false)
    private let wakeupSignal = WakeupPipe()
    private let settings: MQTTSettings
    private let clock: any GatewayClock
    private let receive: @Sendable (MQTTEvent) -> Void

    /// - Parameter receive: called for one event after the other, on the connection's own thread. The thread reads nothing
    ///   further until the call returns, so a slow receiver delays only this broker. The receiver may publish on this connection.
    package init(
        _ settings: MQTTSettings, clock: any GatewayClock, random: RandomSource, receive: @escaping @Sendable (MQTTEvent) -> Void
    ) {
        machine = Mutex(ConnectionStateMachine(settings, random: random, at: clock.monotonicNow()))
        (self.settings, self.clock, self.receive) = (settings, clock, receive)
    }

    /// Creates a connection with the machine's own clock and randomness, for programs that are not the gateway.
    package convenience init(_ settings: MQTTSettings, receive: @escaping @Sendable (MQTTEvent) -> Void) {
        self.init(settings, clock: MachineClock(), random: RandomSource(), receive: receive)
    }

    /// Whether a message could be sent at this moment.
    package var isConnected: Bool { connectedFlag.load(ordering: .acquiring) }

    /// Why the connection was last lost, stopped or could not be established; `nil` if that never happened. It is set before the
    /// receiver gets the event.
    package var lastFailure: MQTTFailure? { lifecycle.withLock(\.lastFailure) }

    /// How many messages were received and dropped, as they were too long or too many.
    package var droppedMessages: Int { lifecycle.withLock(\.droppedMessages) }

    // MARK: - Start and stop

    /// Connects, and reconnects until `stop`. Further calls have no effect.
    package func start() {
        let isFirst = lifecycle.withLock { lifecycle in
            guard !lifecycle.isStarted, !lifecycle.isStopped else { return false }
            lifecycle.isStarted = true
            return true
        }
        if isFirst { DedicatedThread.run { self.run() } }
    }

    /// Closes the connection permanently. When this returns, nothing more is sent or received.
    /// Waits only until the receiver has processed the event that is being delivered.
    ///
    /// - Parameter sendsDisconnect: false to close without a DISCONNECT, as a device that loses power does, so that the broker
    ///   publishes the last will.
    package func stop(sendsDisconnect: Bool = true) async {
        await withCheckedContinuation { continuation in
            let isOver = lifecycle.withLock { lifecycle in
                (lifecycle.isStopped, lifecycle.sendsDisconnect) = (true, sendsDisconnect)
                guard lifecycle.isStarted, !lifecycle.hasEnded, !lifecycle.isResolvingHost else { return true }
                lifecycle.stopContinuations.append(continuation)
                return false
            }
            if isOver { continuation.resume() } else { wakeupSignal.wake() }
        }
    }

    /// Subscribes to these filters now and after each reconnect. For filters already subscribed to,
    /// the broker sends the retained messages again.
    ///
    /// - Parameter retainAsPublished: asks for Retain As Published, so that live messages keep the retain flag of their
    ///   publisher. Needs MQTT 5, and has no effect where another caller subscribes to the same filter without it.
    package func subscribe(to filters: [MQTTFilter], retainAsPublished: Bool = false) {
        enqueue(.subscribe(filters, retainAsPublished: retainAsPublished))
    }

    /// Unsubscribes; messages that are in flight may still arrive.
    package func unsubscribe(from filters: [MQTTFilter]) { enqueue(.unsubscribe(filters)) }

    private func enqueue(_ change: Subscriptions.Change) {
        lifecycle.withLock { $0.subscriptions.append(change) }
        wakeupSignal.wake()
    }

    // MARK: - Publishing

    /// Writes a message to the broker's socket now, or throws. Does not wait.
    ///
    /// - Parameter subscriptions: those by which the response arrives. The message is rejected unless they are in place.
    /// - Returns: the number of the message, and for QoS 1 the id that its acknowledgement will carry. The message is sent with
    ///   QoS 0 and has no id if the broker acknowledges no messages, or if as many messages as the broker allows are
    ///   unacknowledged.
    @discardableResult
    package func publish(
        _ message: MQTTPublish, requiring subscriptions: MQTTResponseSubscriptions = .none
    ) throws(MQTTSendError) -> MQTTSentPublish {
        try send { machine throws(MQTTSendError) in
            try machine.publish(message, requiring: subscriptions, at: clock.monotonicNow())
        }
    }

    /// Whether the answer to a liveness probe shows that the broker has processed the message with this number. The probe must
    /// have been sent within the last two seconds. All messages that the broker sent before its answer have been delivered. The
    /// broker is probed once a second, so the result can be up to a second late. False if the connection has broken since.
    package func isBrokerResponsive(since number: MQTTPublishNumber) -> Bool {
        machine.withLock { $0.isBrokerResponsive(since: number, at: clock.monotonicNow()) }
    }

    /// Publishes a retainable message; see `MQTTRetainablePublish`. Does not wait. If this throws, the message is not sent later
    /// either.
    ///
    /// - Returns: for QoS 1, the id that the broker's acknowledgement will carry.
    @discardableResult
    package func publishRetainable(_ message: MQTTRetainablePublish) throws(MQTTSendError) -> MQTTPublishNumber? {
        try send { machine throws(MQTTSendError) in try machine.publishRetainable(message) }
    }

    private func send<Sent: Sendable>(
        _ body: (inout ConnectionStateMachine) throws(MQTTSendError) -> Sent
    ) throws(MQTTSendError) -> Sent {
        guard isConnected else { throw .notConnected }
        var needsStep = false
        defer { if needsStep { wakeupSignal.wake() } }
        return try machine.withLock { machine throws(MQTTSendError) in
            defer { needsStep = machine.needsStep }
            return try body(&machine)
        }
    }

    // MARK: - On the connection's own thread

    private func run() {
        var ready = ConnectionStateMachine.Readiness()
        while let changes = nextChanges() {
            let (result, action) = machine.withLock { machine in
                let now = clock.monotonicNow()
                let result = machine.step(ready, changes, at: now)
                connectedFlag.store(machine.isConnected, ordering: .releasing)
                return (result, machine.nextAction(at: now))
            }
            deliver(result)
            if case .createClient(let version) = action {
                makeClient(version)
                ready = ConnectionStateMachine.Readiness()
            } else {
                ready = wakeupSignal.wait(for: action, now: clock.monotonicNow())
            }
        }
        finish()
    }

    /// - Returns: the pending changes of subscriptions, or `nil` when the connection has been stopped.
    private func nextChanges() -> [Subscriptions.Change]? {
        lifecycle.withLock { lifecycle in
            defer { lifecycle.subscriptions = [] }
            return lifecycle.isStopped ? nil : lifecycle.subscriptions
        }
    }

    /// Makes a client without holding the lock of `machine`, as name resolution blocks. Discards the client if the connection was
    /// stopped meanwhile.
    private func makeClient(_ version: MQTTVersion) {
        let isWanted = lifecycle.withLock { lifecycle in
            lifecycle.isResolvingHost = !lifecycle.isStopped
            return lifecycle.isResolvingHost
        }
        guard isWanted else { return }
        var client: MosquittoClient?
        var failure: MQTTFailure?
        do throws(MQTTFailure) { client = try MosquittoClient.make(settings, version) } catch { failure = error }
        let isStillWanted = lifecycle.withLock { lifecycle in
            lifecycle.isResolvingHost = false
            return !lifecycle.isStopped
        }
        guard isStillWanted else { return }
        deliver(machine.withLock { $0.adopt(client.take(), failure, at: clock.monotonicNow()) })
    }

    private func deliver(_ result: ConnectionStateMachine.StepResult) {
        if result.dropped > 0 { lifecycle.withLock { $0.droppedMessages += result.dropped } }
        for event in result.events {
            if case .disconnected(let failure) = event { lifecycle.withLock { $0.lastFailure = failure } }
            receive(event)
        }
        if result.hasProbeResponse { machine.withLock { $0.confirmDelivered() } }
    }

    private func finish() {
        let sendsDisconnect = lifecycle.withLock(\.sendsDisconnect)
        let wasConnected = machine.withLock { machine in
            defer { machine.stop(sendsDisconnect: sendsDisconnect) }
            return machine.isConnected
        }
        connectedFlag.store(false, ordering: .releasing)
        if wasConnected { deliver(ConnectionStateMachine.StepResult(events: [.disconnected(.stopped)])) }
        let stopContinuations = lifecycle.withLock { lifecycle in
            lifecycle.hasEnded = true
            defer { lifecycle.stopContinuations = [] }
            return lifecycle.stopContinuations
        }
        for continuation in stopContinuations { continuation.resume() }
    }
}

/// The system's clocks, for programs without their own clock.
struct MachineClock: GatewayClock {
    func now() -> Timestamp { Timestamp(milliseconds: Self.read(CLOCK_REALTIME) / 1_000_000) }

    func monotonicNow() -> MonotonicInstant { MonotonicInstant(nanoseconds: Self.read(CLOCK_MONOTONIC)) }

    func sleep(until instant: MonotonicInstant) async throws {
        try await Task.sleep(for: max(.zero, instant.duration(since: monotonicNow())))
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// Exponential back-off between connection attempts: the pause doubles up to a maximum, with jitter.
package struct BackOff {
    private let initial: Duration
    private let maximum: Duration
    private var next: Duration

    package init(initial: Duration, maximum: Duration) { (self.initial, self.maximum, next) = (initial, maximum, initial) }

    /// Returns the pause after one more failure: random between half of the current back-off and the whole of it, so that many
    /// gateways do not reconnect in step.
    package mutating func nextDelay(_ random: RandomSource) -> Duration {
        let share = random.bytes(2).reduce(0) { $0 << 8 | Int64($1) }
        defer { next = min(next * 2, maximum) }
        return next / 2 + next * Int(share) / (2 * 65_535)
    }

    /// Starts again from the first pause, after a connection was established.
    package mutating func reset() { next = initial }
}
