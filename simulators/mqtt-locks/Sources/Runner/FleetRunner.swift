import Dispatch
import DoorwardMQTT
import Foundation
import Glibc
import Synchronization

/// Runs a fleet: connects it to the broker, the clock, standard input and output.
///
/// Everything runs on one queue, in the order of arrival.
final class FleetRunner: Sendable {
    private struct State {
        var fleet: Fleet
        var connections: [ClientConnection]
        var isReadyPrinted = false
        var timer: (any DispatchSourceTimer)?
        var isFlushPlanned = false
        /// When the last lock stops ignoring commands after connecting.
        var guardTimeEnd: Duration
        /// Whether the connections are closed without a DISCONNECT.
        var skipsDisconnect = false
    }

    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "doorward.fleet")
    private let log: MessageLog?
    private let start: MessageLog.Moment
    /// A stream that finishes when the run has to end, even if that happens before `run` awaits it.
    private let (running, stopSignal) = AsyncStream<Void>.makeStream()

    init(_ plan: FleetPlan, settings: MQTTSettings, log: MessageLog?) {
        let start = MessageLog.Moment.now()
        let fleet = Fleet(plan, startedAt: start.wall)
        (self.start, self.log) = (start, log)
        let connections = fleet.clients.map { client in
            var settings = settings
            settings.clientID = "doorward-mqtt-locks-\(plan.seed)-\(client.id)"
            settings.will = client.will.flatMap { will in
                MQTTTopic(will.topic).map { .init(topic: $0, payload: will.payload, isRetained: will.isRetained) }
            }
            return ClientConnection(settings: settings, filters: client.filters.compactMap { MQTTFilter($0) })
        }
        state = Mutex(State(fleet: fleet, connections: connections, guardTimeEnd: .zero))
    }

    private var now: Duration { .nanoseconds(MessageLog.Moment.now().monotonic - start.monotonic) }

    /// Runs until `quit` is read, SIGINT or SIGTERM arrives, or standard output is closed.
    func run() async {
        Self.raiseDescriptorLimit()
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
        // End of file is ignored: a fleet without a terminal keeps running.
        Thread.detachNewThread {
            while let line = readLine() { self.queue.async { self.execute(line) } }
        }
        for await _ in running {}
        for source in signals { source.cancel() }
        await stop()
    }

    /// Raises the soft limit of open file descriptors to the hard limit: each connection needs some.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit)
    }

    // MARK: - On the queue

    private func begin() {
        state.withLock { state in
            for number in state.connections.indices { connect(number, &state) }
            scheduleTimer(&state)
        }
    }

    private func connect(_ number: Int, _ state: inout State) {
        guard state.connections[number].mqtt == nil else { return }
        state.connections[number].generation += 1
        let (generation, id) = (state.connections[number].generation, state.fleet.clients[number].id)
        let connection = MQTTConnection(state.connections[number].settings) { [weak self] event in
            self?.receive(event, number, generation, id)
        }
        connection.subscribe(to: state.connections[number].filters)
        connection.start()
        state.connections[number].mqtt = connection
    }

    /// Called on the connection's thread.
    private func receive(_ event: MQTTEvent, _ number: Int, _ generation: Int, _ id: String) {
        let moment = MessageLog.Moment.now()
        if case .message(let message) = event {
            log?.append(Message(message), .received, client: id, at: moment)
        }
        queue.async { self.handle(event, number, generation) }
    }

    private func handle(_ event: MQTTEvent, _ number: Int, _ generation: Int) {
        state.withLock { state in
            guard state.connections[number].generation == generation, state.connections[number].mqtt != nil else { return }
            switch event {
            case .connected:
                state.fleet.connected(client: number, at: now)
                let guardTime = state.fleet.clients[number].guardTime
                state.guardTimeEnd = max(state.guardTimeEnd, now + guardTime)
                state.connections[number].needsProbe = true
            case .disconnected(let reason):
                state.fleet.disconnected(client: number, at: now)
                state.connections[number].outbox.removeAll()
                if reason != .stopped { printError("\(state.fleet.clients[number].id): \(reason)") }
            case .message(let message):
                state.fleet.receive(Message(message), client: number, at: now)
            case .acknowledged(let id, _):
                if state.connections[number].probe == id { state.connections[number].isReady = true }
            case .subscribed, .subscriptionGranted, .tooLong: break
            case .subscriptionRefused(let filter, let reason):
                printError("\(state.fleet.clients[number].id) may not subscribe to \(filter): \(reason)")
            }
            advance(&state)
        }
    }

    private func execute(_ line: String) {
        let words = line.split(separator: " ")
        guard !words.isEmpty else { return }
        if words == ["quit"] { return end() }
        guard let command = ControlCommand(line) else { return printLine("error: \(line): unknown command; see --help") }
        state.withLock { state in
            state.fleet.advance(to: now)
            let problem = state.fleet.execute(command, at: now)
            advance(&state)
            printLine(problem.map { "error: \(line): \($0)" } ?? "ok: \(line)")
        }
    }

    /// Runs what is due, applies the fleet's effects, and sets the next timer.
    private func advance(_ state: inout State) {
        state.fleet.advance(to: now)
        for effect in state.fleet.takeEffects() {
            switch effect {
            case .publish(let client, let message): state.connections[client].outbox.append(message)
            case .cut(let client): cut(client, &state)
            case .connect(let client): connect(client, &state)
            }
        }
        flush(&state)
        reportReady(&state)
        scheduleTimer(&state)
    }

    private func cut(_ number: Int, _ state: inout State) {
        // Messages published before the cut are still sent.
        flush(number, &state)
        state.connections[number].outbox.removeAll()
        let connection = state.connections[number].mqtt
        state.connections[number].mqtt = nil
        guard let connection else { return }
        Task { await connection.stop(sendsDisconnect: false) }
    }

    // MARK: - Publishing

    private func flush(_ state: inout State) {
        for number in state.connections.indices { flush(number, &state) }
        let isBusy = state.connections.contains { !$0.outbox.isEmpty || $0.needsProbe && $0.mqtt?.isConnected == true }
        guard isBusy, !state.isFlushPlanned else { return }
        state.isFlushPlanned = true
        queue.asyncAfter(deadline: .now() + .milliseconds(2)) { [weak self] in
            self?.state.withLock { state in
                state.isFlushPlanned = false
                self?.advance(&state)
            }
        }
    }

    private func flush(_ number: Int, _ state: inout State) {
        guard let connection = state.connections[number].mqtt else { return }
        let id = state.fleet.clients[number].id
        state.connections[number].outbox.drain { message throws(MQTTSendError) in _ = try publish(message, connection, id) }
        guard state.connections[number].outbox.isEmpty, state.connections[number].needsProbe else { return }
        // The broker processes packets in order: when it acknowledges this message, it has
        // processed the subscriptions and all earlier messages.
        do {
            let probe = try publish(Message("doorward-mqtt-locks/ready/\(id)", "", qos: 1), connection, id)
            (state.connections[number].probe, state.connections[number].needsProbe) = (probe, false)
            // Do not wait for a broker that acknowledges no messages.
            if probe == nil { state.connections[number].isReady = true }
        } catch {
            // The connection is busy or lost: the probe is sent later.
        }
    }

    /// - Returns: the number that the broker's acknowledgement will carry; `nil` for none, and for a message that was dropped: it has
    ///   an invalid topic, or is longer than the broker accepts.
    private func publish(
        _ message: Message, _ connection: MQTTConnection, _ id: String
    ) throws(MQTTSendError) -> MQTTPublishNumber? {
        guard let topic = MQTTTopic(message.topic) else { return nil }
        let moment = MessageLog.Moment.now()
        do throws(MQTTSendError) {
            let number = try connection.publishRetainable(
                MQTTRetainablePublish(
                    topic: topic, payload: message.payload, qos: message.qos == 0 ? .atMostOnce : .atLeastOnce,
                    isRetained: message.isRetained))
            log?.append(message, .published, client: id, at: moment)
            return number
        } catch {
            guard error == .tooLong else { throw error }
            printError("\(id): the broker accepts no message of \(message.payload.count) bytes on \(message.topic)")
            return nil
        }
    }

    private func reportReady(_ state: inout State) {
        guard !state.isReadyPrinted, state.connections.allSatisfy(\.isReady), now >= state.guardTimeEnd else { return }
        state.isReadyPrinted = true
        printLine("ready")
    }

    /// Writes a line to standard output. If standard output is closed, the fleet ends without a
    /// DISCONNECT, so that the last wills are published.
    private func printLine(_ line: String) {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
        } catch {
            queue.async {
                self.state.withLock { $0.skipsDisconnect = true }
                self.end()
            }
        }
    }

    /// Writes a line to standard error. Failures are ignored.
    private func printError(_ line: String) { try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8)) }

    // MARK: - Time

    private func scheduleTimer(_ state: inout State) {
        var next = state.fleet.nextDue
        if !state.isReadyPrinted, state.connections.allSatisfy(\.isReady) {
            next = min(next ?? state.guardTimeEnd, state.guardTimeEnd)
        }
        guard let next else { return }
        let timer = state.timer ?? newTimer()
        state.timer = timer
        let wait = max(Duration.zero, next - now)
        // Round up, so that the item is due when the timer fires.
        timer.schedule(deadline: .now() + .milliseconds(Int(wait.milliseconds) + 1))
    }

    private func newTimer() -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.state.withLock { self?.advance(&$0) } }
        timer.resume()
        return timer
    }

    // MARK: - Ending

    private func end() { stopSignal.finish() }

    private func stop() async {
        let (connections, skipsDisconnect, counts, locks) = state.withLock { state in
            defer { state.timer?.cancel() }
            return (state.connections.compactMap(\.mqtt), state.skipsDisconnect, state.fleet.counts, state.fleet.locks.count)
        }
        await withTaskGroup(of: Void.self) { group in
            for connection in connections { group.addTask { await connection.stop(sendsDisconnect: !skipsDisconnect) } }
        }
        printLine(counts.summary(locks: locks))
    }
}

extension Message {
    fileprivate init(_ message: MQTTMessage) {
        self.init(message.topic, message.payload, qos: Int(message.qos.rawValue), isRetained: message.isRetained)
    }
}
