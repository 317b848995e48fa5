package import DoorwardDomain
import Synchronization

/// A connection to one broker, which stands again by itself whenever it can.
///
/// What is published is handed to the socket now or not at all: nothing is kept for later, nothing is sent twice, and nothing
/// is retained. What has not reached the broker when it no longer means anything is cut off with the connection. It lives on a
/// thread of its own from `start` to `stop`, and is kept alive by it.
package final class MQTTConnection: Sendable {
    private struct Life {
        /// What the thread has not taken over yet.
        var subscriptions: [Subscriptions.Change] = []
        var isStarted = false
        var isStopped = false
        var isSudden = false
        var hasEnded = false
        /// Whether the thread is where nothing can wake it: the system looks up the broker's name.
        var isAway = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let line: Mutex<Line>
    private let life = Mutex(Life())
    private let state = Mutex(MQTTHealth())
    /// Whether it is worth asking for the line.
    private let stands = Atomic(false)
    private let bell = Bell()
    private let settings: MQTTSettings
    private let clock: any GatewayClock
    private let receive: @Sendable (MQTTEvent) -> Void

    /// - Parameter receive: called for one event after the other, on the connection's own thread, which reads nothing further
    ///   until it returns: a slow receiver slows this broker down and nobody else. It may publish on this connection.
    package init(
        _ settings: MQTTSettings, clock: any GatewayClock, random: RandomSource, receive: @escaping @Sendable (MQTTEvent) -> Void
    ) {
        line = Mutex(Line(settings, random: random, at: clock.monotonicNow()))
        (self.settings, self.clock, self.receive) = (settings, clock, receive)
    }

    /// With the machine's own clock and randomness, for programs that are not the gateway.
    package convenience init(_ settings: MQTTSettings, receive: @escaping @Sendable (MQTTEvent) -> Void) {
        self.init(settings, clock: MachineClock(), random: RandomSource(), receive: receive)
    }

    /// Whether a frame could be sent at this moment.
    package var isConnected: Bool { stands.load(ordering: .acquiring) }

    /// How it is, and what has been counted. An event is counted before it is received.
    package var health: MQTTHealth { state.withLock { $0 } }

    // MARK: - Beginning and ending

    /// Begins to connect, and goes on until `stop`. Once.
    package func start() {
        let isFirst = life.withLock { life in
            guard !life.isStarted, !life.isStopped else { return false }
            life.isStarted = true
            return true
        }
        if isFirst { OwnThread.run { self.run() } }
    }

    /// Ends the connection, for good. When this returns, nothing more is sent or received. Waits for the receiver to return from
    /// an event that it has, and for nobody else.
    ///
    /// - Parameter isSudden: without a goodbye, as a device that loses its power does, so that the broker says the last will.
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

    /// Wants the messages of these filters too, on this connection and each that follows. What the broker keeps on them comes
    /// once more where they were wanted before.
    ///
    /// - Parameter asPublished: a message that its sender tells the broker to keep comes marked also at once, where the broker
    ///   speaks MQTT 5 and nobody wants the same filter otherwise.
    package func want(_ filters: [MQTTFilter], asPublished: Bool = false) { change(.want(filters, asPublished: asPublished)) }

    /// Wants them no longer; some that are on their way may still come.
    package func leave(_ filters: [MQTTFilter]) { change(.leave(filters)) }

    private func change(_ change: Subscriptions.Change) {
        life.withLock { $0.subscriptions.append(change) }
        bell.ring()
    }

    // MARK: - Speaking

    /// Hands a frame to the broker's connection, now, or throws. Waits for nobody.
    ///
    /// - Parameter paths: the subscriptions by which its answer arrives; it is not sent until they are in place.
    /// - Returns: what later words tell it by; with the id of the broker's acknowledgement for quality `.atLeastOnce`, unless
    ///   the broker acknowledges nothing, or as many frames as it allows wait for their acknowledgements: then it leaves with QoS 0.
    @discardableResult
    package func publish(
        _ frame: MQTTFrame, answeredBy paths: MQTTAnswerPaths = .none
    ) throws(MQTTSendError) -> MQTTSentFrame {
        try hand { line throws(MQTTSendError) in
            try line.publish(frame, answeredBy: paths, at: clock.monotonicNow())
        }
    }

    /// Whether the broker has shown, after it was given a frame and within the last two seconds, that it is at work: whatever it
    /// had sent by then has been received. It is asked once a second, so the word comes up to a second late; a connection that
    /// broke since shows nothing.
    package func hasTaken(_ frame: MQTTFrameNumber) -> Bool {
        line.withLock { $0.hasTaken(frame, at: clock.monotonicNow()) }
    }

    /// Says something about oneself; see `MQTTAnnouncement`. Waits for nobody, and is not said later when it throws.
    ///
    /// - Returns: for quality `.atLeastOnce`, what the broker's acknowledgement will name.
    @discardableResult
    package func announce(_ word: MQTTAnnouncement) throws(MQTTSendError) -> MQTTFrameID? {
        try hand { line throws(MQTTSendError) in try line.announce(word) }
    }

    private func hand<Sent: Sendable>(
        _ body: (inout Line) throws(MQTTSendError) -> Sent
    ) throws(MQTTSendError) -> Sent {
        do throws(MQTTSendError) {
            guard isConnected else { throw .notConnected }
            let (result, wantsTurn) = line.withLock { line -> (Result<Sent, MQTTSendError>, Bool) in
                do throws(MQTTSendError) {
                    return (.success(try body(&line)), line.wantsTurn)
                } catch {
                    return (.failure(error), line.wantsTurn)
                }
            }
            if wantsTurn { bell.ring() }
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
        var ready = Line.Readiness()
        while let changes = nextChanges() {
            let (turn, wait) = line.withLock { line in
                let now = clock.monotonicNow()
                let turn = line.turn(ready, changes, at: now)
                stands.store(line.isStanding, ordering: .releasing)
                return (turn, line.wait(at: now))
            }
            deliver(turn)
            if case .make(let version) = wait {
                make(version)
                ready = Line.Readiness()
            } else {
                ready = bell.wait(wait, now: clock.monotonicNow())
            }
        }
        end()
    }

    /// - Returns: what is to be subscribed to otherwise, or `nil` when the connection has been stopped.
    private func nextChanges() -> [Subscriptions.Change]? {
        life.withLock { life in
            defer { life.subscriptions = [] }
            return life.isStopped ? nil : life.subscriptions
        }
    }

    /// Makes a handle, away from the line's lock, as looking up a name blocks; unless somebody has stopped the connection, also
    /// meanwhile.
    private func make(_ version: MQTTVersion) {
        let isWanted = life.withLock { life in
            life.isAway = !life.isStopped
            return life.isAway
        }
        guard isWanted else { return }
        var made: Handle?
        var failure: MQTTFailure?
        do throws(MQTTFailure) { made = try Handle.make(settings, version) } catch { failure = error }
        let isStillWanted = life.withLock { life in
            life.isAway = false
            return !life.isStopped
        }
        guard isStillWanted else { return }
        deliver(line.withLock { $0.adopt(made.take(), failure, at: clock.monotonicNow()) })
    }

    private func deliver(_ turn: Line.Turn) {
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
            return line.isStanding
        }
        stands.store(false, ordering: .releasing)
        if wasStanding { deliver(Line.Turn(events: [.disconnected(.stopped)])) }
        let waiting = life.withLock { life in
            life.hasEnded = true
            defer { life.waiting = [] }
            return life.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
