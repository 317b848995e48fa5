import Dispatch
import DoorwardMQTT
import Foundation
import Synchronization

/// Runs a fleet: connects it to the broker, the clock, standard input and output.
///
/// Everything runs on one queue, in the order of arrival.
final class FleetRunner: Sendable {
    private struct State {
        var fleet: Fleet
        var lines: [ClientLine]
        var isAnnounced = false
        var timer: (any DispatchSourceTimer)?
        var isFlushPlanned = false
        /// When the last lock stops ignoring commands after connecting.
        var guardedUntil: Duration
        /// Whether the connections are closed without a DISCONNECT.
        var endsSuddenly = false
    }

    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "doorward.fleet")
    private let log: FrameLog?
    private let start: FrameLog.Moment
    /// A stream that finishes when the run has to end, even if that happens before `run` awaits it.
    private let (running, ending) = AsyncStream<Void>.makeStream()

    init(_ plan: FleetPlan, settings: MQTTSettings, log: FrameLog?) {
        let start = FrameLog.Moment.now()
        let fleet = Fleet(plan, startedAt: start.wall)
        (self.start, self.log) = (start, log)
        let lines = fleet.clients.map { client in
            var settings = settings
            settings.clientID = "doorward-mqtt-locks-\(plan.seed)-\(client.id)"
            settings.will = client.will.flatMap { will in
                MQTTTopic(will.topic).map { .init(topic: $0, payload: will.payload, isRetained: will.isRetained) }
            }
            return ClientLine(settings: settings, filters: client.filters.compactMap { MQTTFilter($0) })
        }
        state = Mutex(State(fleet: fleet, lines: lines, guardedUntil: .zero))
    }

    private var now: Duration { .nanoseconds(FrameLog.Moment.now().monotonic - start.monotonic) }

    /// Runs until `quit` is read, SIGINT or SIGTERM arrives, or standard output is closed.
    func run() async {
        Descriptors.allowMost()
        // A closed pipe is detected by the result of a write.
        signal(SIGPIPE, SIG_IGN)
        let signals = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { self.end() }
            source.resume()
            return source
        }
        queue.async { self.begin() }
        ControlInput.read { line in self.queue.async { self.obey(line) } }
        for await _ in running {}
        for source in signals { source.cancel() }
        await stop()
    }

    // MARK: - On the queue

    private func begin() {
        state.withLock { state in
            for number in state.lines.indices { connect(number, &state) }
            plan(&state)
        }
    }

    private func connect(_ number: Int, _ state: inout State) {
        guard state.lines[number].connection == nil else { return }
        state.lines[number].generation += 1
        let (generation, id) = (state.lines[number].generation, state.fleet.clients[number].id)
        let connection = MQTTConnection(state.lines[number].settings) { [weak self] event in
            self?.receive(event, number, generation, id)
        }
        connection.want(state.lines[number].filters)
        connection.start()
        state.lines[number].connection = connection
    }

    /// Called on the connection's thread.
    private func receive(_ event: MQTTEvent, _ number: Int, _ generation: Int, _ id: String) {
        let moment = FrameLog.Moment.now()
        if case .message(let message) = event {
            let frame = Frame(
                message.topic, message.payload, qos: Int(message.qos.rawValue), isRetained: message.isRetained)
            log?.note(frame, .heard, client: id, at: moment)
        }
        queue.async { self.take(event, number, generation) }
    }

    private func take(_ event: MQTTEvent, _ number: Int, _ generation: Int) {
        state.withLock { state in
            guard state.lines[number].generation == generation, state.lines[number].connection != nil else { return }
            switch event {
            case .connected:
                state.fleet.connected(client: number, at: now)
                let guardTime = state.fleet.clients[number].guardTime
                state.guardedUntil = max(state.guardedUntil, now + guardTime)
                state.lines[number].wantsProbe = true
            case .disconnected(let why):
                state.fleet.disconnected(client: number, at: now)
                state.lines[number].outbox.forget()
                if why != .stopped { complain("\(state.fleet.clients[number].id): \(why)") }
            case .message(let message):
                state.fleet.receive(
                    Message(message.topic, message.payload, isRetained: message.isRetained), client: number, at: now)
            case .acknowledged(let id, _):
                if state.lines[number].probe == id { state.lines[number].isReady = true }
            case .subscribed, .subscriptionGranted, .tooLong: break
            case .subscriptionRefused(let filter, let reason):
                complain("\(state.fleet.clients[number].id) may not subscribe to \(filter): \(reason)")
            }
            carryOn(&state)
        }
    }

    private func obey(_ line: String) {
        let words = line.split(separator: " ")
        guard !words.isEmpty else { return }
        if words == ["quit"] { return end() }
        guard let order = ControlCommand(line) else { return publish("error: \(line): unknown command; see --help") }
        state.withLock { state in
            state.fleet.advance(to: now)
            let refusal = state.fleet.obey(order, at: now)
            carryOn(&state)
            publish(refusal.map { "error: \(line): \($0)" } ?? "ok: \(line)")
        }
    }

    /// Runs what is due, applies the fleet's effects, and sets the next timer.
    private func carryOn(_ state: inout State) {
        state.fleet.advance(to: now)
        for effect in state.fleet.takeDeeds() {
            switch effect {
            case .publish(let client, let frame): state.lines[client].outbox.add(frame)
            case .cut(let client): cut(client, &state)
            case .connect(let client): connect(client, &state)
            }
        }
        flush(&state)
        announce(&state)
        plan(&state)
    }

    private func cut(_ number: Int, _ state: inout State) {
        // Messages published before the cut are still sent.
        flush(number, &state)
        state.lines[number].outbox.forget()
        let connection = state.lines[number].connection
        state.lines[number].connection = nil
        guard let connection else { return }
        Task { await connection.stop(withoutGoodbye: true) }
    }

    // MARK: - Publishing

    private func flush(_ state: inout State) {
        var isBusy = false
        for number in state.lines.indices {
            flush(number, &state)
            if !state.lines[number].outbox.isEmpty
                || state.lines[number].wantsProbe && state.lines[number].connection?.isConnected == true
            {
                isBusy = true
            }
        }
        guard isBusy, !state.isFlushPlanned else { return }
        state.isFlushPlanned = true
        queue.asyncAfter(deadline: .now() + .milliseconds(2)) { [weak self] in
            self?.state.withLock { state in
                state.isFlushPlanned = false
                self?.carryOn(&state)
            }
        }
    }

    private func flush(_ number: Int, _ state: inout State) {
        guard let connection = state.lines[number].connection else { return }
        let id = state.fleet.clients[number].id
        state.lines[number].outbox.empty { frame in handOver(frame, connection, id).handover }
        guard state.lines[number].outbox.isEmpty, state.lines[number].wantsProbe else { return }
        // The broker processes packets in order: when it acknowledges this message, it has
        // processed the subscriptions and all earlier messages.
        let (probe, handover) = handOver(Frame("doorward-mqtt-locks/ready/\(id)", "", qos: 1), connection, id)
        guard handover == .done else { return }
        (state.lines[number].probe, state.lines[number].wantsProbe) = (probe, false)
        // Do not wait for a broker that acknowledges no messages.
        if probe == nil { state.lines[number].isReady = true }
    }

    private func handOver(_ frame: Frame, _ connection: MQTTConnection, _ id: String) -> (id: MQTTFrameID?, handover: Handover) {
        guard let topic = MQTTTopic(frame.topic) else { return (nil, .done) }
        let moment = FrameLog.Moment.now()
        do throws(MQTTSendError) {
            let number = try connection.announce(
                MQTTRetainablePublish(
                    topic: topic, payload: frame.payload, qos: frame.qos == 0 ? .atMostOnce : .atLeastOnce,
                    isRetained: frame.isRetained))
            log?.note(frame, .said, client: id, at: moment)
            return (number, .done)
        } catch {
            switch error {
            case .busy: return (nil, .busy)
            case .notConnected, .notSubscribed: return (nil, .gone)
            case .tooLong:
                complain("\(id): the broker accepts no message of \(frame.payload.count) bytes on \(frame.topic)")
                return (nil, .done)
            }
        }
    }

    private func announce(_ state: inout State) {
        guard !state.isAnnounced, state.lines.allSatisfy(\.isReady), now >= state.guardedUntil else { return }
        state.isAnnounced = true
        publish("ready")
    }

    /// Writes a line to standard output. If standard output is closed, the fleet ends without a
    /// DISCONNECT, so that the last wills are published.
    private func publish(_ line: String) {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
        } catch {
            queue.async {
                self.state.withLock { $0.endsSuddenly = true }
                self.end()
            }
        }
    }

    /// Writes a line to standard error. Failures are ignored.
    private func complain(_ line: String) { try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8)) }

    // MARK: - Time

    private func plan(_ state: inout State) {
        var next = state.fleet.next
        if !state.isAnnounced, state.lines.allSatisfy(\.isReady) { next = min(next ?? state.guardedUntil, state.guardedUntil) }
        guard let next else { return }
        let timer = state.timer ?? newTimer()
        state.timer = timer
        let wait = max(Duration.zero, next - now)
        // Round up, so that the item is due when the timer fires.
        timer.schedule(deadline: .now() + .milliseconds(Int(wait.milliseconds) + 1))
    }

    private func newTimer() -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.state.withLock { self?.carryOn(&$0) } }
        timer.resume()
        return timer
    }

    // MARK: - Ending

    private func end() { ending.finish() }

    private func stop() async {
        let (connections, isSudden, counts, locks) = state.withLock { state in
            defer { state.timer?.cancel() }
            return (state.lines.compactMap(\.connection), state.endsSuddenly, state.fleet.counts, state.fleet.locks.count)
        }
        await withTaskGroup(of: Void.self) { group in
            for connection in connections { group.addTask { await connection.stop(withoutGoodbye: isSudden) } }
        }
        publish(counts.summary(locks: locks))
    }
}
