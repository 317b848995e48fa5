internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import DoorwardMQTT
internal import Logging
internal import Synchronization

/// One attached lock: holds its known state, sends its commands and processes its messages.
///
/// All of this happens under one mutex. Each received message carries the number of the last message
/// that had been sent when it was read, so a message that was already in flight is never taken for the
/// response to a later command. Reports are delivered outside of the mutex, in order.
final class MQTTLock: Sendable {
    struct State {
        var dialectState = DialectState()
        var pendingCommand: PendingCommand?
        /// The last command that was sent, and the number of its message. The number is `none` after its connection
        /// has ended, because every message of the next connection is received after the command.
        var lastCommand: (id: CommandID, number: MQTTPublishNumber)?
        /// Recently sent commands, to be recognized when the broker delivers them.
        var publishedCommands = PublishedCommands()
        /// The command that was sent before `lastCommand`.
        var previousCommand: CommandID?
        var rateLimiter: RateLimiter
        var lastStateRequest: MonotonicInstant?
        /// Whether discovery has reported that the lock was removed.
        var isRemoved = false
        /// What the lock is, as last reported.
        var product = LockProduct()
        /// The lock's id in discovery, while discovery lists the lock under another name than that of its command topic; else
        /// `nil`.
        var renamedID: TopicText?
        /// When a warning about the rate limit may be logged again.
        var nextRateLimitLog: MonotonicInstant?
        /// The delivery status of the last command.
        var delivery: CommandDelivery?
        /// The faults that the gateway itself detects.
        var deliveryFaults = DeliveryFaults()
        /// When a message was last dropped, while the lost values are still to be requested.
        var lastDrop: MonotonicInstant?
        /// Decides when a jam that was reported during the command counts.
        var jamTimer = DeadlineTimer()
        /// Filters events that report the last command as if it were another operation.
        var echoFilter: CommandEchoFilter?
        /// Merges the messages about the last operation at the door.
        var eventDeduplicator = EventDeduplicator()
        /// Reports to be delivered, in order.
        var pendingReports: [LockReport] = []
        /// Whether a thread is delivering reports. The same thread delivers reports that are added meanwhile.
        var isDeliveringReports = false
        /// Whether the lock is detached. A detached lock reports nothing and accepts no command.
        var isDetached = false
    }

    /// A command between its sending and its deadline.
    struct PendingCommand {
        let id: CommandID
        let until: MonotonicInstant
        /// Just before `until`: the last moment at which the adapter concludes the command's outcome.
        let nearEnd: MonotonicInstant
        var timers: Task<Void, Never>?
    }

    /// Minimum pause between two state requests, to save the battery of a lock.
    static let stateRequestInterval = Duration.seconds(1)

    let attached: AttachedLock
    let address: MQTTAddress
    let dialect: Dialect
    let session: BrokerSession
    let context: AdapterContext
    let state: Mutex<State>

    init(
        _ attached: AttachedLock, _ address: MQTTAddress, _ dialect: Dialect, session: BrokerSession, _ context: AdapterContext
    ) {
        (self.attached, self.address, self.dialect) = (attached, address, dialect)
        (self.session, self.context) = (session, context)
        var dialectState = DialectState()
        dialectState.isNewlyAttached = true
        state = Mutex(State(dialectState: dialectState, rateLimiter: RateLimiter(at: context.clock.monotonicNow())))
    }

    var id: DeviceID { attached.id }

    /// Whether a command is in flight.
    var hasCommandInFlight: Bool { state.withLock { $0.pendingCommand.map { $0.until > context.clock.monotonicNow() } ?? false } }

    /// Whether discovery has reported that the lock was removed.
    var isRemoved: Bool { state.withLock { $0.isRemoved } }

    /// The lock's id in discovery, while discovery lists the lock under another name than that of its address; else `nil`.
    var renamedID: TopicText? { state.withLock { $0.renamedID } }

    /// The command endpoint under the name in the lock's address.
    var commandEndpoint: CommandEndpoint { CommandEndpoint(dialect.commandTopic) }

    /// The lock's command endpoints on its broker.
    var brokerEndpoints: [OnBroker<CommandEndpoint>] { dialect.endpoints.map { OnBroker(broker: address.broker, key: $0) } }

    /// The lock's topic uses on its broker.
    var brokerUses: [OnBroker<TopicUse>] { dialect.uses.map { OnBroker(broker: address.broker, key: $0) } }

    // MARK: - Commands

    /// Publishes the command now, or throws.
    func send(_ command: LockCommand) throws(AdapterError) {
        let lifetime = try command.lifetime(at: context.clock.now())
        try state.withLock { state throws(AdapterError) in
            try send(command, lifetime: lifetime, until: context.clock.monotonicNow().advanced(by: lifetime), &state)
        }
    }

    private func send(
        _ command: LockCommand, lifetime: Duration, until: MonotonicInstant, _ state: inout State
    ) throws(AdapterError) {
        guard !state.isDetached else { throw .notAttached }
        guard session.isConnected, state.dialectState.availability != .offline, state.renamedID == nil else { throw .offline }
        abandonCommand(&state)
        let before = state.dialectState
        let code = context.codes.withLock { $0[id] }
        if dialect.needsCode, code == nil { throw .codeRequired }
        let messages = try dialect.encodeCommand(
            command.operation, code: dialect.acceptsCode(command.operation) ? code : nil,
            reference: command.commandID.description, at: context.clock.now(), &state.dialectState)
        let sent: MQTTSentPublish
        do {
            sent = try session.publish(messages.command, requiring: dialect.responseSubscriptions, lifetime: lifetime)
        } catch {
            state.dialectState = before
            throw AdapterError(error)
        }
        state.publishedCommands.record(command.commandID, messages.command, until: until)
        context.count(.commandsPublished)
        (state.previousCommand, state.lastCommand) = (state.lastCommand?.id, (command.commandID, sent.number))
        state.delivery = CommandDelivery(command.commandID, messages.command, sent)
        state.echoFilter = CommandEchoFilter(command.operation, until: until.advanced(by: CommandEchoFilter.delay))
        let nearEnd = until.advanced(by: .zero - min(lifetime / 4, .milliseconds(250)))
        state.pendingCommand = PendingCommand(
            id: command.commandID, until: until, nearEnd: nearEnd,
            timers: startTimers(command.commandID, lifetime: lifetime, until: until, nearEnd: nearEnd))
        publishStateRequests(messages.stateRequests, &state, at: nil)
    }

    /// Starts the timers of an unanswered command. At half time the state is requested; just before
    /// the deadline, the dialect decides what the lock's silence means.
    private func startTimers(
        _ command: CommandID, lifetime: Duration, until: MonotonicInstant, nearEnd: MonotonicInstant
    ) -> Task<Void, Never>? {
        guard dialect.retriesStateRequest || dialect.profile.quirks.contains(.alreadyInStateIsSuccess) else { return nil }
        let clock = context.clock
        let halfTime = until.advanced(by: .zero - lifetime / 2)
        return Task(executorPreference: context.executor) { [weak self] in
            do {
                try await clock.sleep(until: halfTime)
                self?.repeatStateRequest(command)
                try await clock.sleep(until: nearEnd)
                self?.concludeFromSilence(command)
            } catch {
                // The command has ended, which cancels the timers.
            }
        }
    }

    private func repeatStateRequest(_ command: CommandID) {
        state.withLock { state in
            guard dialect.retriesStateRequest, state.pendingCommand?.id == command else { return }
            publishStateRequests(dialect.stateRequests, &state, at: nil)
        }
    }

    private func concludeFromSilence(_ command: CommandID) {
        update { state in
            // Conclude nothing while the broker is stalled: it may withhold the lock's messages.
            guard state.pendingCommand?.id == command, let number = state.lastCommand?.number,
                session.isBrokerResponsive(since: number)
            else { return }
            // The silence of a lock that has not received the command confirms nothing.
            guard let delivery = state.delivery, !isMissing(delivery, state) else { return }
            conclude(&state, dialect.concludeFromSilence)
        }
    }

    /// Ends a command whose outcome the lock has reported.
    func completeCommand(_ state: inout State) {
        dialect.completeCommand(&state.dialectState)
        abandonCommand(&state)
    }

    /// Abandons a command; if it has no outcome yet, its outcome is unknown.
    func abandonCommand(_ state: inout State) {
        if !state.isDetached { concludePassingJam(&state) }
        state.jamTimer.cancel()
        state.pendingCommand?.timers?.cancel()
        state.pendingCommand = nil
        dialect.abandonCommand(&state.dialectState)
    }

    // MARK: - Messages

    /// Processes a message on one of the lock's topics.
    func receive(_ message: MQTTMessage) {
        guard !dialect.isStateRequestToOtherLock(message) else { return }
        let now = context.clock.monotonicNow()
        update { state in
            // Ignore messages under the former name of a renamed lock: another lock may publish them.
            guard !state.isDetached, state.renamedID == nil else { return }
            if let pending = state.pendingCommand, pending.until <= now { abandonCommand(&state) }
            if state.delivery?.matches(message) == true { recordDelivery(&state, isAnswer: false) }
            if let command = state.publishedCommands.lateDelivery(of: message, at: now) {
                return reportLateDelivery(of: command, &state)
            }
            if dialect.carriesOnlyAcks(message.topic) {
                // Responses of a bridge to other locks do not count against this lock's rate limit.
                guard state.pendingCommand != nil else { return }
                return process(message, &state)
            }
            switch state.rateLimiter.admit(at: now) {
            case .accept: process(message, &state)
            case .drop(let isFirst):
                context.count(.messagesDropped)
                recordDrop(isFirst: isFirst, &state, at: now)
            }
        }
    }

    private func process(_ message: MQTTMessage, _ state: inout State) {
        var before = state.dialectState
        let isEarlier = state.pendingCommand != nil && state.precedesLastCommand(message)
        if isEarlier { before.inFlight = nil }
        let decoded =
            isEarlier ? dialect.decodeEarlier(message, &state.dialectState) : dialect.decode(message, &state.dialectState)
        for diagnostic in decoded.diagnostics { log(diagnostic, message.topic) }
        apply(decoded, after: before, &state, of: message)
    }

    /// - Parameter message: the decoded message; `nil` for a conclusion from silence or a lost connection.
    func apply(_ decoded: DecodedMessage, after before: DialectState, _ state: inout State, of message: MQTTMessage? = nil) {
        let now = context.clock.monotonicNow()
        let command = message.map(state.precedesLastCommand) == true ? state.previousCommand : state.lastCommand?.id
        state.eventDeduplicator.record(decoded.events, at: now)
        for fact in decoded.facts(after: before) where state.echoFilter?.isEcho(fact, at: now) != true {
            let isMovement = fact.movesBolt(from: before.position)
            guard let (fact, isRepeat) = state.eventDeduplicator.deduplicate(fact, isMovement: isMovement, at: now) else {
                continue
            }
            enqueue(fact, isRepeat: isRepeat, &state, after: command)
        }
        publishStateRequests(decoded.publish, &state, at: now)
        switch decoded.command {
        case .rejected(let rejection) where rejection.mayHaveMoved(from: state.dialectState): abandonCommand(&state)
        case .confirmed, .rejected: completeCommand(&state)
        case .accepted, nil: break
        }
        if decoded.command != nil { recordDelivery(&state, isAnswer: true) }
        setJamTimer(&state)
    }

    /// Applies what the dialect concludes without a message: from silence, or from a lost connection.
    func conclude(_ state: inout State, _ conclusion: (inout DialectState) -> DecodedMessage) {
        let before = state.dialectState
        apply(conclusion(&state.dialectState), after: before, &state)
    }

    /// Reports a command that the broker delivered after its deadline: the lock may execute it now.
    private func reportLateDelivery(of command: CommandID, _ state: inout State) {
        context.logger.warning(
            "the broker delivered a command after its deadline; the lock may execute it now",
            metadata: ["device": "\(id)", "command": "\(command)"])
        state.dialectState.hasUnansweredCommand = true
        enqueue(.deliveredLate(command), &state, after: state.lastCommand?.id)
        // Request the state again: the answer to an earlier request may be older than this movement.
        requestState(&state, at: nil)
    }

    /// Reports all faults of the lock, and those that the gateway itself detects.
    func enqueueFaults(_ state: inout State) {
        enqueue(.faults(Set(state.dialectState.faults.map(\.rawValue))), &state, after: state.lastCommand?.id)
    }

    func enqueue(_ fact: LockReport.Fact, isRepeat: Bool = false, _ state: inout State, after command: CommandID?) {
        var fact = fact
        if case .faults(let faults) = fact {
            state.deliveryFaults.reported = gatewayFaults(state)
            fact = .faults(faults.union(state.deliveryFaults.reported.map(\.rawValue)))
        }
        state.pendingReports.append(LockReport(deviceID: id, fact, after: command, isRepeat: isRepeat))
    }

    /// Changes the state, and delivers the resulting reports. The mutex is not held during the
    /// delivery, so the receiver may send the next command at once.
    func update(_ body: (inout State) -> Void) {
        let delivers = state.withLock { state in
            body(&state)
            defer { state.isDeliveringReports = true }
            return !state.isDeliveringReports
        }
        guard delivers else { return }
        while let report = state.withLock({ $0.nextReport() }) { context.receiver.withLock { $0 }?.receive(report) }
    }

    private func log(_ diagnostic: Diagnostic, _ topic: String) {
        context.count(.malformedMessages)
        let level: Logger.Level = diagnostic == .retainedCommandFound ? .warning : .debug
        context.logger.log(
            level: level, "\(diagnostic.logMessage)",
            metadata: ["device": "\(id)", "diagnostic": "\(diagnostic)", "topic": "\(topic)"])
    }

    // MARK: - State requests

    /// Requests the lock's state, unless a request was sent just now.
    ///
    /// - Parameter laterIfBusy: whether to send the request later if the broker is busy, instead of throwing.
    /// - Throws: if the request cannot be sent now.
    func refresh(laterIfBusy: Bool = false) throws(AdapterError) {
        guard !dialect.stateRequests.isEmpty else { throw .unsupported }
        let now = context.clock.monotonicNow()
        let result = state.withLock { state -> AdapterError? in
            guard !state.isDetached else { return .notAttached }
            guard session.isConnected, state.renamedID == nil else { return .offline }
            return publishStateRequests(dialect.stateRequests, &state, at: now)
        }
        if laterIfBusy, result == .transportBusy { return session.enqueueStateRequest(for: self) }
        if let result { throw result }
    }

    /// Requests the lock's state, or does so later if the broker is busy. A broker is busy after it was stalled: its queued
    /// messages arrive before the answer to the liveness probe.
    ///
    /// - Parameter now: as for `publishStateRequests`.
    func requestState(_ state: inout State, at now: MonotonicInstant?) {
        if publishStateRequests(dialect.stateRequests, &state, at: now) == .transportBusy {
            session.enqueueStateRequest(for: self)
        }
    }

    /// - Parameter now: the current time, to send nothing if a request was sent less than
    ///   `stateRequestInterval` ago; `nil` to send a request in any case.
    /// - Returns: why a request was not sent. It is not repeated here: the lock's next message reports its state as well.
    @discardableResult
    func publishStateRequests(_ stateRequests: [OutgoingMessage], _ state: inout State, at now: MonotonicInstant?)
        -> AdapterError?
    {
        guard !stateRequests.isEmpty else { return nil }
        if let now, let last = state.lastStateRequest, now < last.advanced(by: Self.stateRequestInterval) { return nil }
        for stateRequest in stateRequests {
            do throws(MQTTSendError) {
                try session.publish(stateRequest, requiring: dialect.responseSubscriptions, lifetime: .seconds(5))
            } catch {
                return AdapterError(error)
            }
            context.count(.stateRequestsPublished)
        }
        if let now { state.lastStateRequest = now }
        return nil
    }
}

extension MQTTLock.State {
    /// Whether a message was read before the last command was sent.
    fileprivate func precedesLastCommand(_ message: MQTTMessage) -> Bool {
        lastCommand.map { message.readAfter < $0.number } ?? false
    }

    /// Returns the next report to deliver; `nil` ends the delivery.
    fileprivate mutating func nextReport() -> LockReport? {
        isDeliveringReports = !pendingReports.isEmpty
        return isDeliveringReports ? pendingReports.removeFirst() : nil
    }
}

extension AdapterError {
    fileprivate init(_ error: MQTTSendError) {
        switch error {
        case .notConnected, .notSubscribed: self = .offline
        case .busy: self = .transportBusy
        case .tooLong: self = .unsupported
        }
    }
}

extension MQTTLock: Hashable {
    static func == (one: MQTTLock, other: MQTTLock) -> Bool { one === other }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
