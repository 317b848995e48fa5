import Dispatch
package import DoorwardDomain
import Synchronization

/// A connection to one broker, which stands again by itself whenever it can.
///
/// What is published is handed to the socket now or not at all: nothing is kept for later, nothing is sent twice, and nothing
/// is retained. What has not reached the broker when it no longer means anything is cut off with the connection.
package final class MQTTConnection: Sendable {
    private struct Wishes {
        /// What the thread has not taken over yet.
        var subscriptions: [Subscriptions.Change] = []
        var isStopped = false
        var isSudden = false
        var isRunning = false
    }

    private let line: Mutex<Line>
    private let wishes = Mutex(Wishes())
    /// Whether it is worth asking for the line; while it is being opened, the one who opens it holds it.
    private let stands = Atomic(false)
    private let bell = Bell()
    private let clock: any GatewayClock
    private let receive: @Sendable (MQTTEvent) -> Void
    private let queue: DispatchQueue

    /// - Parameter receive: called for one event after the other, on the connection's own thread, which reads nothing further
    ///   until it returns: a slow receiver slows this broker down and nobody else. It may publish.
    package init(
        _ settings: MQTTSettings, clock: any GatewayClock, random: RandomSource, receive: @escaping @Sendable (MQTTEvent) -> Void
    ) {
        line = Mutex(Line(settings, random: random, at: clock.monotonicNow()))
        (self.clock, self.receive) = (clock, receive)
        queue = DispatchQueue(label: "doorward.mqtt")
    }

    /// With the machine's own clock and randomness, for programs that are not the gateway.
    package convenience init(_ settings: MQTTSettings, receive: @escaping @Sendable (MQTTEvent) -> Void) {
        self.init(settings, clock: MachineClock(), random: RandomSource(), receive: receive)
    }

    /// Whether a frame could be sent at this moment.
    package var isConnected: Bool { stands.load(ordering: .acquiring) }

    /// Begins to connect, and goes on until `stop`. Once.
    package func start() {
        let isFirst = wishes.withLock { wishes in
            defer { wishes.isRunning = true }
            return !wishes.isRunning
        }
        if isFirst { queue.async { self.run() } }
    }

    /// Ends the connection. When this returns, nothing more is sent or received.
    ///
    /// - Parameter isSudden: without a goodbye, as a device that loses its power does, so that the broker says the last will.
    package func stop(withoutGoodbye isSudden: Bool = false) async {
        let wasRunning = wishes.withLock { wishes in
            (wishes.isStopped, wishes.isSudden) = (true, isSudden)
            return wishes.isRunning
        }
        guard wasRunning else { return }
        bell.ring()
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    /// Wants the messages of these filters too, on this connection and each that follows. What the broker keeps on them comes
    /// once more where they were wanted before.
    package func want(_ filters: [MQTTFilter]) { change(.want(filters)) }

    /// Wants them no longer; some that are on their way may still come.
    package func leave(_ filters: [MQTTFilter]) { change(.leave(filters)) }

    private func change(_ change: Subscriptions.Change) {
        wishes.withLock { $0.subscriptions.append(change) }
        bell.ring()
    }

    /// Hands a frame to the broker's connection, now, or throws. Waits for nobody.
    ///
    /// - Returns: for quality `.atLeastOnce`, what the broker's acknowledgement will name.
    @discardableResult
    package func publish(_ frame: MQTTFrame) throws(MQTTSendError) -> MQTTFrameID? {
        try hand { line throws(MQTTSendError) in try line.publish(frame, at: clock.monotonicNow()) }
    }

    /// Says something about oneself; see `MQTTAnnouncement`. Waits for nobody, and is not said later when it throws.
    ///
    /// - Returns: for quality `.atLeastOnce`, what the broker's acknowledgement will name.
    @discardableResult
    package func announce(_ word: MQTTAnnouncement) throws(MQTTSendError) -> MQTTFrameID? {
        try hand { line throws(MQTTSendError) in try line.announce(word) }
    }

    private func hand(
        _ body: (inout Line) throws(MQTTSendError) -> MQTTFrameID?
    ) throws(MQTTSendError) -> MQTTFrameID? {
        guard isConnected else { throw .notConnected }
        let result = line.withLock { line -> Result<MQTTFrameID?, MQTTSendError> in
            do throws(MQTTSendError) {
                return .success(try body(&line))
            } catch {
                return .failure(error)
            }
        }
        // A frame that is on its way has a time at which it is looked at, and a connection that was cut must be told of.
        bell.ring()
        return try result.get()
    }

    // MARK: - On the connection's own thread

    private func run() {
        var ready = Line.Readiness()
        while true {
            let (changes, isStopped) = wishes.withLock { wishes in
                defer { wishes.subscriptions = [] }
                return (wishes.subscriptions, wishes.isStopped)
            }
            if isStopped { return end() }
            let (events, wait, isStanding) = line.withLock { line in
                let (events, wait) = line.turn(ready, changes, at: clock.monotonicNow())
                return (events, wait, line.isStanding)
            }
            stands.store(isStanding, ordering: .releasing)
            for event in events { receive(event) }
            ready = bell.wait(wait, now: clock.monotonicNow())
        }
    }

    private func end() {
        let isSudden = wishes.withLock(\.isSudden)
        let wasStanding = line.withLock { line in
            defer { line.stop(withoutGoodbye: isSudden) }
            return line.isStanding
        }
        stands.store(false, ordering: .releasing)
        if wasStanding { receive(.disconnected(.stopped)) }
    }
}
