internal import CMosquitto
internal import DoorwardDomain

/// The state machine of the connection to one broker. Its functions do not block. It is not synchronized: its owner must have
/// exclusive access.
struct ConnectionStateMachine: ~Copyable {
    enum Phase {
        case resting(until: MonotonicInstant)
        case making
        case opening(until: MonotonicInstant)
        case standing
        /// The broker of an established connection has stalled. The connection has been reported as disconnected.
        case waking(until: MonotonicInstant)
    }

    /// Maximum payload of a frame in bytes; no lock accepts more than a few hundred.
    static let maximumPayloadBytes = 64 * 1024
    /// Maximum payload of an announcement in bytes: enough for the oversized message that a simulated faulty device sends.
    private static let maxAnnouncementBytes = 32 * 1024 * 1024
    /// Maximum unacknowledged bytes in the kernel before a further frame is rejected with `busy`. While the broker reads, there
    /// are always fewer.
    private static let maxBacklog: UInt64 = 64 * 1024
    /// The interval between liveness probes, and the maximum interval between calls of the library's keep-alive function.
    private static let heartbeat = Duration.seconds(1)
    /// How long a stalled broker may take to resume before another connection is made. If it resumes in time, the messages that
    /// it has held back are still received, as this connection's subscriptions remain in place.
    static let maxStandstill = Duration.seconds(30)
    /// How long a host may delay an acknowledgement in TCP, to acknowledge several packets at once (RFC 1122, section 4.2.3.2,
    /// allows 500 ms; Linux starts with 40).
    private static let slowestConfirmation = Duration.milliseconds(50)

    let settings: MQTTSettings
    private let random: RandomSource
    var phase: Phase
    var handle: MosquittoClient?
    var version = MQTTVersion.five
    /// Whether the broker has accepted MQTT 5 before. If so, a lost connection does not mean that the broker lacks support for MQTT
    /// 5.
    var isKnownToSpeakFive = false
    private var backOff: BackOff
    /// Whether the other side has accepted the TCP connection of this attempt.
    private var hasReached = false
    /// Why the connection was reset since the last step; `nil` if it was not.
    private var cutBecause: MQTTFailure?
    private var late = UnackedTCPWrites()
    private var livenessProbe = BrokerLivenessProbe()
    private var nextBeat: MonotonicInstant
    /// The last frame that was sent.
    private var lastFrame = MQTTFrameNumber.none
    /// The last frame that was sent before this connection was established.
    private var lastFrameBefore = MQTTFrameNumber.none
    private var unacknowledged = Unacknowledged()
    /// The last id given to a frame of QoS 1; ids are not reused.
    private var lastID = MQTTFrameID.none
    private var subscriptions = Subscriptions()
    /// Whether all subscriptions were settled at the end of the last step.
    private var wasSettled = true
    /// The limits that the broker set in its CONNACK for this connection.
    private var terms = MosquittoCallbacks.Answer(code: 0)
    /// Whether the next step is needed at once, and not only at the next heartbeat.
    private(set) var needsStep = false

    init(_ settings: MQTTSettings, random: RandomSource, at now: MonotonicInstant) {
        (self.settings, self.random) = (settings, random)
        backOff = BackOff(first: settings.initialBackoff, longest: settings.maximumBackoff)
        (phase, nextBeat) = (.resting(until: now), now)
    }

    var isConnected: Bool { if case .standing = phase { cutBecause == nil } else { false } }

    // MARK: - Sending

    /// Writes the whole frame to the socket now, or throws.
    mutating func publish(
        _ frame: MQTTPublish, answeredBy paths: MQTTAnswerPaths, at now: MonotonicInstant
    ) throws(MQTTSendError) -> MQTTSentFrame {
        // Use QoS 0 when the broker's Receive Maximum is reached (MQTT 5.0, section 4.9; 20 for mosquitto): the library would
        // hold a message of QoS 1 back and send it late. Messages of QoS 0 are not counted.
        let wished = unacknowledged.count < terms.receiveMaximum ? frame.qos : .atMostOnce
        let qos = try check(frame.payload, wished, longest: Self.maximumPayloadBytes)
        guard subscriptions.stand(paths) else { throw .notSubscribed }
        guard let socket = handle?.socket, let flow = TCPInfo(socket) else { throw .notConnected }
        guard flow.unconfirmed <= Self.maxBacklog, !livenessProbe.isSlow(at: now) else { throw .busy }
        // Reject a frame that cannot be acknowledged within its lifetime: it would cause a reset of the connection, and so
        // interrupt all other traffic.
        guard frame.lifetime >= flow.roundTrip * 2 + Self.slowestConfirmation else { throw .busy }
        guard let (number, result) = handle?.publish(frame, qos) else { throw .notConnected }
        try judge(result)
        guard handle?.hasUnsentBytes == false else {
            cut(.stuck)
            throw .busy
        }
        guard late.note(on: socket, at: now, lifetime: frame.lifetime) else {
            cut(.stuck)
            throw .notConnected
        }
        lastFrame = lastFrame.next
        if frame.lifetime <= Self.heartbeat * 2 {
            // Send a probe in the next step: the next heartbeat may be too late to show whether the broker received the frame in
            // time.
            (nextBeat, needsStep) = (now, true)
        }
        guard qos == .atLeastOnce else { return MQTTSentFrame(number: lastFrame, id: nil) }
        return MQTTSentFrame(number: lastFrame, id: awaitPuback(number, until: now.advanced(by: frame.lifetime)))
    }

    private mutating func awaitPuback(_ packet: Int32, until: MonotonicInstant?) -> MQTTFrameID {
        lastID = lastID.next
        unacknowledged.insert(packet, lastID, until: until)
        return lastID
    }

    /// Whether the answer to a liveness probe shows that the broker has processed this frame, on the connection that the frame
    /// was sent on. The probe must have been sent within the last two seconds.
    func isBrokerResponsive(_ frame: MQTTFrameNumber, at now: MonotonicInstant) -> Bool {
        isConnected && frame > lastFrameBefore && livenessProbe.proves(frame, at: now)
    }

    /// Records that all messages received before the broker's last answer have been delivered to the receiver.
    mutating func handedOn() { livenessProbe.handedOn() }

    /// Passes an announcement to the library, which may hold a part of it until the socket accepts it.
    mutating func announce(_ word: MQTTRetainablePublish) throws(MQTTSendError) -> MQTTFrameID? {
        let qos = try check(word.payload, word.qos, longest: Self.maxAnnouncementBytes)
        guard let (number, result) = handle?.announce(word, qos) else { throw .notConnected }
        try judge(result)
        needsStep = true
        guard qos == .atLeastOnce else { return nil }
        return awaitPuback(number, until: nil)
    }

    /// - Returns: the QoS that the broker allows.
    private mutating func check(_ payload: [UInt8], _ wished: MQTTQoS, longest: Int) throws(MQTTSendError) -> MQTTQoS {
        guard isConnected else { throw .notConnected }
        guard payload.count <= longest else { throw .tooLong }
        guard handle?.hasUnsentBytes == false else { throw .busy }
        let qos = terms.highestQuality == 0 ? .atMostOnce : wished
        guard qos == .atMostOnce || unacknowledged.count < terms.receiveMaximum else { throw .busy }
        return qos
    }

    private mutating func judge(_ result: mosq_err_t) throws(MQTTSendError) {
        switch result {
        case MOSQ_ERR_SUCCESS: return
        case MOSQ_ERR_OVERSIZE_PACKET, MOSQ_ERR_PAYLOAD_SIZE: throw .tooLong
        default:
            // Any part of the message that the library still holds is discarded with the handle.
            cut(.lost("writing to the connection failed"))
            throw .notConnected
        }
    }

    /// Resets the connection, so that the kernel drops unsent bytes and the broker receives nothing
    /// more over it. The next step reports the failure.
    private mutating func cut(_ failure: MQTTFailure) {
        if let socket = handle?.socket, socket >= 0 { TCPInfo.dropOnClose(socket) }
        (cutBecause, needsStep) = (failure, true)
        drop()
    }

    private mutating func drop() {
        handle = nil
        (late, livenessProbe, unacknowledged) = (UnackedTCPWrites(), BrokerLivenessProbe(), Unacknowledged())
    }

    // MARK: - Steps

    /// Does all work that is due, without waiting.
    mutating func turn(_ ready: Readiness, _ changes: [Subscriptions.Change], at now: MonotonicInstant) -> StepResult {
        subscriptions.apply(changes)
        noteUnsettled()
        var turn = StepResult()
        needsStep = false
        do throws(MQTTFailure) {
            try go(ready, at: now, &turn)
            subscribe(at: now, &turn)
        } catch {
            fail(error, at: now, &turn)
        }
        return turn
    }

    private mutating func go(_ ready: Readiness, at now: MonotonicInstant, _ turn: inout StepResult) throws(MQTTFailure) {
        switch phase {
        case .resting(let until):
            if until <= now { phase = .making }
        case .making: break
        case .opening(let until):
            if let socket = handle?.socket, TCPInfo.wasAccepted(socket) { hasReached = true }
            try serveOpening(ready)
            if let answer = handle?.events.answer { return try stand(answer, at: now, &turn) }
            if ready.isOver { throw hasReached ? .lost("the broker closed it") : .unreachable("connection refused") }
            if until <= now { throw .unreachable("it does not respond") }
        case .standing:
            if let cutBecause { throw cutBecause }
            try serve(ready)
            collect(&turn, at: now)
            if let failure = overdue(at: now) {
                cut(failure)
                throw failure
            }
            // Only an unanswered probe shows that the broker has stalled. If a PUBACK is missing, a probe is sent at once.
            if unacknowledged.expire(at: now) { nextBeat = now }
            if livenessProbe.isGone(at: now) {
                phase = .waking(until: now.advanced(by: Self.maxStandstill))
                turn.events.append(.disconnected(.notResponding))
            }
            beat(at: now)
        case .waking(let until): try goOnWaking(ready, until: until, at: now, &turn)
        }
    }

    /// Returns the failure for which the connection must be reset; `nil` if there is none. The
    /// failures are: an expired frame is still unsent, a SUBACK is missing, or the broker
    /// acknowledges none of the maximum number of messages in flight.
    private mutating func overdue(at now: MonotonicInstant) -> MQTTFailure? {
        if isStuck(at: now) { return .stuck }
        // A missing SUBACK or PUBACK is an error only if the broker has answered a later packet.
        guard let answered = livenessProbe.lastAnswered else { return nil }
        if subscriptions.isOneOverdue(answered: answered) { return .lost("the broker sent no SUBACK within 10 seconds") }
        guard unacknowledged.isExhausted(terms.receiveMaximum, answered: answered) else { return nil }
        return .lost("the broker sent no PUBACK for \(unacknowledged.count) messages, the maximum that it allows in flight")
    }

    /// Reads from a stalled broker, and sends nothing. Any message or acknowledgement shows that the broker has resumed.
    private mutating func goOnWaking(
        _ ready: Readiness, until: MonotonicInstant, at now: MonotonicInstant, _ turn: inout StepResult
    ) throws(MQTTFailure) {
        try serve(ready)
        if handle?.events.hasAny == true {
            resume(at: now, &turn)
            return collect(&turn, at: now)
        }
        guard until > now, !isStuck(at: now) else {
            cut(.stuck)
            throw .stuck
        }
    }

    /// Marks a new connection as established, and requests all subscriptions.
    private mutating func rise(at now: MonotonicInstant, _ turn: inout StepResult) {
        subscriptions.reset()
        establish(at: now, &turn)
    }

    /// Marks the connection as established again after a standstill, and requests all subscriptions once more.
    private mutating func resume(at now: MonotonicInstant, _ turn: inout StepResult) {
        unacknowledged.extend(until: now.advanced(by: Subscriptions.patience))
        subscriptions.requestAnew()
        establish(at: now, &turn)
    }

    private mutating func establish(at now: MonotonicInstant, _ turn: inout StepResult) {
        (phase, livenessProbe, nextBeat) = (.standing, BrokerLivenessProbe(), now)
        lastFrameBefore = lastFrame
        noteUnsettled()
        turn.events.append(.connected(version))
    }

    /// Whether an expired frame is still in this machine's socket buffer, where a reset of the connection discards it.
    private mutating func isStuck(at now: MonotonicInstant) -> Bool {
        guard let socket = handle?.socket else { return false }
        return late.isOneStuck(on: socket, at: now)
    }

    /// Sends a liveness probe, once a heartbeat.
    private mutating func beat(at now: MonotonicInstant) {
        guard case .standing = phase, livenessProbe.isAnswered, now >= nextBeat, let number = handle?.sendProbe() else { return }
        nextBeat = now.advanced(by: Self.heartbeat)
        livenessProbe.ask(number, after: lastFrame, at: now)
    }

    /// Takes over the handle that was made for `Wait.make`, or the reason why there is none.
    mutating func adopt(_ made: consuming MosquittoClient?, _ failure: MQTTFailure?, at now: MonotonicInstant) -> StepResult {
        var turn = StepResult()
        handle = made
        hasReached = false
        phase = .opening(until: now.advanced(by: settings.patience))
        if let failure { fail(failure, at: now, &turn) }
        return turn
    }

    /// Reads and writes while the connection is being established. If a CONNACK rejects the
    /// connection, throws the failure for its reason code, not the disconnection that follows.
    private mutating func serveOpening(_ ready: Readiness) throws(MQTTFailure) {
        do throws(MQTTFailure) {
            try serve(ready)
        } catch {
            if let answer = handle?.events.answer, answer.code != 0 { throw refusal(answer.code) }
            throw error
        }
    }

    private mutating func serve(_ ready: Readiness) throws(MQTTFailure) {
        if ready.toRead { try handle?.read() }
        if ready.toWrite { try handle?.write() }
        try handle?.look()
    }

    private mutating func stand(
        _ answer: MosquittoCallbacks.Answer, at now: MonotonicInstant, _ turn: inout StepResult
    ) throws(MQTTFailure) {
        guard answer.code == 0 else { throw refusal(answer.code) }
        terms = answer
        isKnownToSpeakFive = isKnownToSpeakFive || version == .five
        backOff.reset()
        rise(at: now, &turn)
        collect(&turn, at: now)
    }

    /// Sends pending SUBSCRIBE and UNSUBSCRIBE packets. Reports `.subscribed` when the broker has granted or refused all
    /// subscriptions.
    private mutating func subscribe(at now: MonotonicInstant, _ turn: inout StepResult) {
        guard isConnected else { return }
        if subscriptions.isWaiting {
            for (filter, code) in handle?.tell(&subscriptions, at: now) ?? [] { refuse(filter, code, &turn) }
        }
        if subscriptions.isSettled, !wasSettled { turn.events.append(.subscribed) }
        wasSettled = subscriptions.isSettled
    }

    private mutating func noteUnsettled() { wasSettled = wasSettled && subscriptions.isSettled }

    private func refuse(_ filter: MQTTFilter, _ code: Int32, _ turn: inout StepResult) {
        turn.events.append(.subscriptionRefused(filter, reason: ReasonCode.text(code)))
    }

    private mutating func collect(_ turn: inout StepResult, at now: MonotonicInstant) {
        guard let noted = handle?.events else { return }
        for number in noted.unsubscriptions { livenessProbe.answered(number) }
        turn.hasAnswer = !noted.unsubscriptions.isEmpty
        for (number, codes) in noted.subscriptions {
            let answers = subscriptions.answered(number, codes)
            for (filter, code) in answers.denied { refuse(filter, code, &turn) }
            for filter in answers.grantedLater { turn.events.append(.subscriptionGranted(filter)) }
        }
        for (number, code) in noted.acknowledgements {
            guard let id = unacknowledged.remove(number) else { continue }
            turn.events.append(.acknowledged(id, MQTTAcknowledgement(code: code)))
        }
        (noted.subscriptions, noted.unsubscriptions, noted.acknowledgements) = ([], [], [])
        let (messages, dropped, tooLong) = noted.take()
        for message in tooLong { turn.events.append(.tooLong(topic: message.topic, bytes: message.bytes)) }
        if !messages.isEmpty || dropped > 0 { livenessProbe.hear(at: now) }
        for var message in messages {
            message.after = lastFrame
            turn.events.append(.message(message))
        }
        turn.dropped += dropped
    }

    // MARK: - Failing

    private mutating func fail(_ failure: MQTTFailure, at now: MonotonicInstant, _ turn: inout StepResult) {
        // First deliver the events that arrived before the failure.
        if case .waking = phase, handle?.events.hasAny == true { resume(at: now, &turn) }
        if case .standing = phase { collect(&turn, at: now) }
        let shown = shown(failure)
        let isFallBack = isFallBack(after: failure)
        // A stalled connection has already been reported as disconnected.
        let isKnown = if case .waking = phase { true } else { false }
        drop()
        (version, cutBecause) = (isFallBack ? .three : .five, nil)
        phase = .resting(until: isFallBack ? now : now.advanced(by: backOff.pause(random)))
        if !isKnown { turn.events.append(.disconnected(shown)) }
    }

    /// Closes the connection: with a DISCONNECT, or without one, so that the broker publishes the last will.
    mutating func stop(withoutGoodbye isSudden: Bool) {
        if isConnected, !isSudden { handle?.sendDisconnect() }
        drop()
        phase = .making
    }

    // MARK: - Waiting

    mutating func wait(at now: MonotonicInstant) -> Wait {
        let heartbeat = now.advanced(by: Self.heartbeat)
        switch phase {
        case .resting(let until): return .pause(until: until)
        case .making: return .make(version)
        case .opening(let until): return socketWait(until: min(until, heartbeat))
        case .standing:
            return socketWait(until: [late.next, unacknowledged.next, heartbeat].compactMap(\.self).min() ?? heartbeat)
        case .waking(let until):
            return socketWait(until: [until, late.next, heartbeat].compactMap(\.self).min() ?? heartbeat)
        }
    }

    private mutating func socketWait(until: MonotonicInstant) -> Wait {
        guard let socket = handle?.socket, socket >= 0 else { return .pause(until: until) }
        return .socket(socket, toWrite: handle?.hasUnsentBytes ?? false, until: until)
    }
}
