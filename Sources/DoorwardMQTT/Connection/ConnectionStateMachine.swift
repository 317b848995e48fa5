internal import CMosquitto
internal import DoorwardDomain

/// The state machine of the connection to one broker. Its functions do not block. It is not synchronized: its owner must have
/// exclusive access.
struct ConnectionStateMachine: ~Copyable {
    enum Phase {
        case backingOff(until: MonotonicInstant)
        case creatingClient
        case connecting(until: MonotonicInstant)
        case connected
        /// The broker of an established connection has stalled. The connection has been reported as disconnected.
        case stalled(until: MonotonicInstant)
    }

    /// Maximum payload of a message in bytes; no lock accepts more than a few hundred.
    static let maximumPayloadBytes = 64 * 1024
    /// Maximum payload of a retainable message in bytes: enough for the oversized message that a simulated faulty device sends.
    private static let maxRetainablePayloadBytes = 32 * 1024 * 1024
    /// Maximum unacknowledged bytes in the kernel before a further message is rejected with `busy`. While the broker reads, there
    /// are always fewer.
    private static let maxUnackedBytes: UInt64 = 64 * 1024
    /// The interval between liveness probes, and the maximum interval between calls of the library's keep-alive function.
    private static let probeInterval = Duration.seconds(1)
    /// How long a stalled broker may take to resume before another connection is made. If it resumes in time, the messages that
    /// it has held back are still received, as this connection's subscriptions remain in place.
    static let stallTimeout = Duration.seconds(30)
    /// How long a host may delay an acknowledgement in TCP, to acknowledge several packets at once (RFC 1122, section 4.2.3.2,
    /// allows 500 ms; Linux starts with 40).
    private static let maxDelayedAck = Duration.milliseconds(50)

    let settings: MQTTSettings
    private let random: RandomSource
    var phase: Phase
    var client: MosquittoClient?
    var version = MQTTVersion.v5
    /// Whether the broker has accepted MQTT 5 before. If so, a lost connection does not mean that the broker lacks support for
    /// MQTT 5.
    var hasAcceptedMQTT5 = false
    private var backOff: BackOff
    /// Whether the other side has accepted the TCP connection of this attempt.
    private var wasTCPAccepted = false
    /// Why the connection was reset since the last step; `nil` if it was not.
    private var resetReason: MQTTFailure?
    private var unackedWrites = UnackedTCPWrites()
    private var livenessProbe = BrokerLivenessProbe()
    private var nextProbeAt: MonotonicInstant
    /// The last message that was sent.
    private var lastPublish = MQTTPublishNumber.none
    /// The last message that was sent before this connection was established.
    private var lastPublishBeforeConnect = MQTTPublishNumber.none
    private var inFlight = InFlightPublishes()
    private var subscriptions = Subscriptions()
    /// Whether all subscriptions were settled at the end of the last step.
    private var wasSettled = true
    /// The limits that the broker set in its CONNACK for this connection.
    private var brokerLimits = MosquittoCallbacks.ConnectResult(code: 0)
    /// Whether the next step is needed at once, and not only when the next probe is due.
    private(set) var needsStep = false

    init(_ settings: MQTTSettings, random: RandomSource, at now: MonotonicInstant) {
        (self.settings, self.random) = (settings, random)
        backOff = BackOff(initial: settings.initialBackoff, maximum: settings.maximumBackoff)
        (phase, nextProbeAt) = (.backingOff(until: now), now)
    }

    var isConnected: Bool { if case .connected = phase { resetReason == nil } else { false } }

    // MARK: - Sending

    /// Writes the whole message to the socket now, or throws.
    mutating func publish(
        _ message: MQTTPublish, requiring response: MQTTResponseSubscriptions, at now: MonotonicInstant
    ) throws(MQTTSendError) -> MQTTSentPublish {
        // Use QoS 0 when the broker's Receive Maximum is reached (MQTT 5.0, section 4.9; 20 for mosquitto): the library would
        // hold a message of QoS 1 back and send it late. Messages of QoS 0 are not counted.
        let requestedQoS = inFlight.count < brokerLimits.receiveMaximum ? message.qos : .atMostOnce
        let qos = try permittedQoS(for: message.payload, requestedQoS, maxBytes: Self.maximumPayloadBytes)
        guard subscriptions.fulfills(response) else { throw .notSubscribed }
        guard let socket = client?.socket, let tcp = TCPInfo(socket) else { throw .notConnected }
        guard tcp.unacked <= Self.maxUnackedBytes, !livenessProbe.isSlow(at: now) else { throw .busy }
        // Reject a message that cannot be acknowledged within its lifetime: it would cause a reset of the connection, and so
        // interrupt all other traffic.
        guard message.lifetime >= tcp.roundTrip * 2 + Self.maxDelayedAck else { throw .busy }
        guard
            let (packetID, result) = client?.publish(
                message.topic, message.payload, qos, isRetained: false, lifetime: message.lifetime)
        else { throw .notConnected }
        try checkResult(result)
        guard client?.hasUnsentBytes == false else {
            resetConnection(.writeTimeout)
            throw .busy
        }
        guard unackedWrites.record(on: socket, at: now, lifetime: message.lifetime) else {
            resetConnection(.writeTimeout)
            throw .notConnected
        }
        lastPublish = lastPublish.next
        if message.lifetime <= Self.probeInterval * 2 {
            // Send a probe in the next step: the next regular probe may be too late to show whether the broker received the
            // message in time.
            (nextProbeAt, needsStep) = (now, true)
        }
        guard qos == .atLeastOnce else { return MQTTSentPublish(number: lastPublish, id: nil) }
        inFlight.insert(packetID, lastPublish, until: now.advanced(by: message.lifetime))
        return MQTTSentPublish(number: lastPublish, id: lastPublish)
    }

    /// Whether the answer to a liveness probe shows that the broker has processed the message with this number, on the connection
    /// that it was sent on. The probe must have been sent within the last two seconds.
    func isBrokerResponsive(since number: MQTTPublishNumber, at now: MonotonicInstant) -> Bool {
        isConnected && number > lastPublishBeforeConnect && livenessProbe.isResponsive(since: number, at: now)
    }

    /// Records that all messages received before the broker's last answer have been delivered to the receiver.
    mutating func confirmDelivered() { livenessProbe.confirmDelivered() }

    /// Passes a retainable message to the library, which may hold a part of it until the socket accepts it.
    mutating func publishRetainable(_ message: MQTTRetainablePublish) throws(MQTTSendError) -> MQTTPublishNumber? {
        let qos = try permittedQoS(for: message.payload, message.qos, maxBytes: Self.maxRetainablePayloadBytes)
        guard
            let (packetID, result) = client?.publish(
                message.topic, message.payload, qos, isRetained: message.isRetained, lifetime: nil)
        else { throw .notConnected }
        try checkResult(result)
        (lastPublish, needsStep) = (lastPublish.next, true)
        guard qos == .atLeastOnce else { return nil }
        inFlight.insert(packetID, lastPublish, until: nil)
        return lastPublish
    }

    /// - Returns: the QoS that the broker allows.
    private mutating func permittedQoS(for payload: [UInt8], _ requested: MQTTQoS, maxBytes: Int) throws(MQTTSendError) -> MQTTQoS
    {
        guard isConnected else { throw .notConnected }
        guard payload.count <= maxBytes else { throw .tooLong }
        guard client?.hasUnsentBytes == false else { throw .busy }
        let qos = brokerLimits.maximumQoS == 0 ? .atMostOnce : requested
        guard qos == .atMostOnce || inFlight.count < brokerLimits.receiveMaximum else { throw .busy }
        return qos
    }

    private mutating func checkResult(_ result: mosq_err_t) throws(MQTTSendError) {
        switch result {
        case MOSQ_ERR_SUCCESS: return
        case MOSQ_ERR_OVERSIZE_PACKET, MOSQ_ERR_PAYLOAD_SIZE: throw .tooLong
        default:
            // Any part of the message that the library still holds is discarded with the client.
            resetConnection(.connectionLost("writing to the connection failed"))
            throw .notConnected
        }
    }

    /// Resets the connection, so that the kernel drops unsent bytes and the broker receives nothing
    /// more over it. The next step reports the failure.
    private mutating func resetConnection(_ failure: MQTTFailure) {
        if let socket = client?.socket, socket >= 0 { TCPInfo.resetOnClose(socket) }
        (resetReason, needsStep) = (failure, true)
        discardClient()
    }

    private mutating func discardClient() {
        client = nil
        (unackedWrites, livenessProbe, inFlight) = (UnackedTCPWrites(), BrokerLivenessProbe(), InFlightPublishes())
    }

    // MARK: - Steps

    /// Does all work that is due, without waiting.
    mutating func step(_ ready: Readiness, _ changes: [Subscriptions.Change], at now: MonotonicInstant) -> StepResult {
        subscriptions.apply(changes)
        noteUnsettled()
        var result = StepResult()
        needsStep = false
        do throws(MQTTFailure) {
            try advance(ready, at: now, &result)
            subscribe(at: now, &result)
        } catch {
            fail(error, at: now, &result)
        }
        return result
    }

    private mutating func advance(_ ready: Readiness, at now: MonotonicInstant, _ result: inout StepResult) throws(MQTTFailure) {
        switch phase {
        case .backingOff(let until):
            if until <= now { phase = .creatingClient }
        case .creatingClient: break
        case .connecting(let until):
            if let socket = client?.socket, TCPInfo.wasAccepted(socket) { wasTCPAccepted = true }
            try performConnectIO(ready)
            if let connectResult = client?.events.connectResult { return try handleConnAck(connectResult, at: now, &result) }
            if ready.isClosed {
                throw wasTCPAccepted ? .connectionLost("the broker closed it") : .unreachable("connection refused")
            }
            if until <= now { throw .unreachable("it does not respond") }
        case .connected:
            if let resetReason { throw resetReason }
            try performIO(ready)
            collectEvents(&result, at: now)
            if let failure = overdueFailure(at: now) {
                resetConnection(failure)
                throw failure
            }
            // Only an unanswered probe shows that the broker has stalled. If a PUBACK is missing, a probe is sent at once.
            if inFlight.expire(at: now) { nextProbeAt = now }
            if livenessProbe.hasTimedOut(at: now) {
                phase = .stalled(until: now.advanced(by: Self.stallTimeout))
                result.events.append(.disconnected(.notResponding))
            }
            probeIfDue(at: now)
        case .stalled(let until): try advanceStalled(ready, until: until, at: now, &result)
        }
    }

    /// Returns the failure for which the connection must be reset; `nil` if there is none. The failures are: an expired message
    /// is still unsent, a SUBACK is missing, or the broker acknowledges none of the maximum number of messages in flight.
    private mutating func overdueFailure(at now: MonotonicInstant) -> MQTTFailure? {
        if hasExpiredWrite(at: now) { return .writeTimeout }
        // A missing SUBACK or PUBACK is an error only if the broker has answered a later packet.
        guard let answered = livenessProbe.lastAnswered else { return nil }
        if subscriptions.hasOverdueSuback(answered: answered) {
            return .connectionLost("the broker sent no SUBACK within 10 seconds")
        }
        guard inFlight.isExhausted(brokerLimits.receiveMaximum, answered: answered) else { return nil }
        return .connectionLost("the broker sent no PUBACK for \(inFlight.count) messages, the maximum that it allows in flight")
    }

    /// Reads from a stalled broker, and sends nothing. Any message or acknowledgement shows that the broker has resumed.
    private mutating func advanceStalled(
        _ ready: Readiness, until: MonotonicInstant, at now: MonotonicInstant, _ result: inout StepResult
    ) throws(MQTTFailure) {
        try performIO(ready)
        if client?.events.hasEvents == true {
            resume(at: now, &result)
            return collectEvents(&result, at: now)
        }
        guard until > now, !hasExpiredWrite(at: now) else {
            resetConnection(.writeTimeout)
            throw .writeTimeout
        }
    }

    /// Marks the connection as established again after a stall, and requests all subscriptions once more.
    private mutating func resume(at now: MonotonicInstant, _ result: inout StepResult) {
        inFlight.extend(until: now.advanced(by: Subscriptions.subackTimeout))
        subscriptions.requestAll()
        enterConnected(at: now, &result)
    }

    private mutating func enterConnected(at now: MonotonicInstant, _ result: inout StepResult) {
        (phase, livenessProbe, nextProbeAt) = (.connected, BrokerLivenessProbe(), now)
        lastPublishBeforeConnect = lastPublish
        noteUnsettled()
        result.events.append(.connected(version))
    }

    /// Whether an expired message is still in this machine's socket buffer, where a reset of the connection discards it.
    private mutating func hasExpiredWrite(at now: MonotonicInstant) -> Bool {
        guard let socket = client?.socket else { return false }
        return unackedWrites.hasExpired(on: socket, at: now)
    }

    /// Sends a liveness probe, once per `probeInterval`.
    private mutating func probeIfDue(at now: MonotonicInstant) {
        guard case .connected = phase, livenessProbe.isAnswered, now >= nextProbeAt, let packetID = client?.sendProbe() else {
            return
        }
        nextProbeAt = now.advanced(by: Self.probeInterval)
        livenessProbe.recordSent(packetID, after: lastPublish, at: now)
    }

    /// Takes over the client that was created for `NextAction.createClient`, or the reason why there is none.
    mutating func adopt(_ newClient: consuming MosquittoClient?, _ failure: MQTTFailure?, at now: MonotonicInstant) -> StepResult
    {
        var result = StepResult()
        client = newClient
        wasTCPAccepted = false
        phase = .connecting(until: now.advanced(by: settings.connectTimeout))
        if let failure { fail(failure, at: now, &result) }
        return result
    }

    /// Reads and writes while the connection is being established. If a CONNACK rejects the
    /// connection, throws the failure for its reason code, not the disconnection that follows.
    private mutating func performConnectIO(_ ready: Readiness) throws(MQTTFailure) {
        do throws(MQTTFailure) {
            try performIO(ready)
        } catch {
            if let connectResult = client?.events.connectResult, connectResult.code != 0 {
                throw failure(forReasonCode: connectResult.code)
            }
            throw error
        }
    }

    private mutating func performIO(_ ready: Readiness) throws(MQTTFailure) {
        if ready.isReadable { try client?.read() }
        if ready.isWritable { try client?.write() }
        try client?.keepAlive()
    }

    private mutating func handleConnAck(
        _ connectResult: MosquittoCallbacks.ConnectResult, at now: MonotonicInstant, _ result: inout StepResult
    ) throws(MQTTFailure) {
        guard connectResult.code == 0 else { throw failure(forReasonCode: connectResult.code) }
        brokerLimits = connectResult
        hasAcceptedMQTT5 = hasAcceptedMQTT5 || version == .v5
        backOff.reset()
        subscriptions.reset()
        enterConnected(at: now, &result)
        collectEvents(&result, at: now)
    }

    /// Sends pending SUBSCRIBE and UNSUBSCRIBE packets. Reports `.subscribed` when the broker has granted or refused all
    /// subscriptions.
    private mutating func subscribe(at now: MonotonicInstant, _ result: inout StepResult) {
        guard isConnected else { return }
        if subscriptions.canSendRequest {
            let unsendable = client?.sendPendingRequests(of: &subscriptions, at: now) ?? []
            result.events += unsendable.map { .subscriptionRefused($0.filter, reason: ReasonCode.text($0.code)) }
        }
        if subscriptions.isSettled, !wasSettled { result.events.append(.subscribed) }
        wasSettled = subscriptions.isSettled
    }

    private mutating func noteUnsettled() { wasSettled = wasSettled && subscriptions.isSettled }

    private mutating func collectEvents(_ result: inout StepResult, at now: MonotonicInstant) {
        guard let events = client?.events else { return }
        for packetID in events.unsubacks { livenessProbe.recordResponse(packetID) }
        result.hasProbeResponse = !events.unsubacks.isEmpty
        for (packetID, codes) in events.subacks {
            let outcome = subscriptions.handleSuback(packetID, codes)
            result.events += outcome.denied.map { .subscriptionRefused($0.filter, reason: ReasonCode.text($0.code)) }
            result.events += outcome.grantedLater.map { .subscriptionGranted($0) }
        }
        for (packetID, code) in events.pubacks {
            guard let id = inFlight.remove(packetID) else { continue }
            result.events.append(.acknowledged(id, MQTTAcknowledgement(code: code)))
        }
        (events.subacks, events.unsubacks, events.pubacks) = ([], [], [])
        let (messages, dropped, tooLong) = events.takeMessages()
        for message in tooLong { result.events.append(.tooLong(topic: message.topic, bytes: message.bytes)) }
        if !messages.isEmpty || dropped > 0 { livenessProbe.recordReceived(at: now) }
        for var message in messages {
            message.readAfter = lastPublish
            result.events.append(.message(message))
        }
        result.dropped += dropped
    }

    private mutating func fail(_ failure: MQTTFailure, at now: MonotonicInstant, _ result: inout StepResult) {
        // First deliver the events that arrived before the failure.
        if case .stalled = phase, client?.events.hasEvents == true { resume(at: now, &result) }
        if case .connected = phase { collectEvents(&result, at: now) }
        let reported = reportedFailure(for: failure)
        let fallsBack = fallsBackToMQTT311(after: failure)
        // A stalled connection has already been reported as disconnected.
        let isReported = if case .stalled = phase { true } else { false }
        discardClient()
        (version, resetReason) = (fallsBack ? .v311 : .v5, nil)
        phase = .backingOff(until: fallsBack ? now : now.advanced(by: backOff.nextDelay(random)))
        if !isReported { result.events.append(.disconnected(reported)) }
    }

    /// Closes the connection: with a DISCONNECT, or without one, so that the broker publishes the last will.
    mutating func stop(sendsDisconnect: Bool) {
        if isConnected, sendsDisconnect { client?.sendDisconnect() }
        discardClient()
        phase = .creatingClient
    }

    mutating func nextAction(at now: MonotonicInstant) -> NextAction {
        let nextStep = now.advanced(by: Self.probeInterval)
        func poll(until deadlines: MonotonicInstant?...) -> NextAction {
            let until = deadlines.compactMap(\.self).reduce(nextStep, min)
            guard let socket = client?.socket, socket >= 0 else { return .sleep(until: until) }
            return .poll(socket, forWriting: client?.hasUnsentBytes ?? false, until: until)
        }
        switch phase {
        case .backingOff(let until): return .sleep(until: until)
        case .creatingClient: return .createClient(version)
        case .connecting(let until): return poll(until: until)
        case .connected: return poll(until: unackedWrites.nextDeadline, inFlight.nextDeadline)
        case .stalled(let until): return poll(until: until, unackedWrites.nextDeadline)
        }
    }
}
