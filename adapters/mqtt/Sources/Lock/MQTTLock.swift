internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import DoorwardMQTT
internal import Logging
internal import Synchronization

/// One attached lock: holds its known state, sends its commands and processes its messages.
///
/// All of this happens under one mutex. Each message carries the number of the last frame that was
/// sent before the message was read, so a message that was already in flight is never taken for the
/// answer to a later command. Reports are delivered outside of the mutex, in order.
final class MQTTLock: Sendable {
    struct State {
        var memory = DialectState()
        var order: PendingCommand?
        /// The last command that was sent, and its frame. The frame is `none` after its connection
        /// has ended, because every message of the next connection is received after the command.
        var lastOrder: (id: CommandID, frame: MQTTPublishNumber)?
        /// Recently sent frames, to be recognized when the broker delivers them.
        var frames = OwnFrames()
        /// The command that was sent before `lastOrder`.
        var orderBefore: CommandID?
        var flood: FloodGuard
        var lastQuestion: MonotonicInstant?
        /// Whether discovery has reported that the lock was removed.
        var isGone = false
        /// The lock's id in discovery, while discovery lists the lock under another name than that of its command topic; else
        /// `nil`.
        var renamedID: TopicText?
        /// When a warning about the rate limit may be logged again.
        var nextFloodNote: MonotonicInstant?
        /// The delivery status of the last command's frame.
        var delivery: CommandDelivery?
        /// The faults that the gateway itself detects.
        var delivered = DeliveryFaults()
        /// When a message was last dropped, while the lost values are still to be requested.
        var lastDrop: MonotonicInstant?
        /// Filters events that report the last command as if it were another operation.
        var echo: CommandEchoFilter?
        /// Merges the messages about the last operation at the door.
        var act = EventDeduplicator()
        /// Reports to be delivered, in order.
        var outbox: [LockReport] = []
        /// Whether a thread is delivering reports. The same thread delivers reports that are added
        /// meanwhile.
        var isHandingOn = false
        /// Whether the lock is detached. A detached lock reports nothing and accepts no command.
        var isDetached = false
    }

    /// A command between its sending and its deadline.
    struct PendingCommand {
        let id: CommandID
        let until: MonotonicInstant
        var watch: Task<Void, Never>?
    }

    /// Maximum lifetime of a command.
    private static let maxLifetime = Duration.seconds(3600)
    /// Minimum pause between two state requests, to save the battery of a lock.
    static let questionPause = Duration.seconds(1)

    let attached: AttachedLock
    let address: MQTTAddress
    let dialect: Dialect
    let link: BrokerSession
    let surroundings: AdapterContext
    let state: Mutex<State>

    init(
        _ attached: AttachedLock, _ address: MQTTAddress, _ dialect: Dialect, link: BrokerSession, _ surroundings: AdapterContext
    ) {
        (self.attached, self.address, self.dialect) = (attached, address, dialect)
        (self.link, self.surroundings) = (link, surroundings)
        var memory = DialectState()
        memory.isFresh = true
        state = Mutex(State(memory: memory, flood: FloodGuard(at: surroundings.clock.monotonicNow())))
    }

    var id: DeviceID { attached.id }

    /// Whether a command is in flight.
    var isUnderWay: Bool { state.withLock { $0.order.map { $0.until > surroundings.clock.monotonicNow() } ?? false } }

    /// Whether discovery has reported that the lock was removed.
    var isGone: Bool { state.withLock { $0.isGone } }

    /// The lock's id in discovery, while discovery lists the lock under another name than that of its address; else `nil`.
    var renamedID: TopicText? { state.withLock { $0.renamedID } }

    /// The command endpoint under the name in the lock's address.
    var named: CommandEndpoint { CommandEndpoint(dialect.commandTopic) }

    /// The lock's command endpoints on its broker.
    var keys: [LockKey] { dialect.places.map { LockKey(broker: link.broker.name, place: $0) } }

    // MARK: - Commands

    /// Sends the command's frame now, or throws.
    func send(_ order: LockCommand) throws(AdapterError) {
        let clock = surroundings.clock
        let now = clock.now()
        guard order.deadline > now else { throw .transportBusy }
        let lifetime = min(order.deadline, now.advanced(by: Self.maxLifetime)).duration(since: now)
        let result = state.withLock { state -> Result<Void, AdapterError> in
            do throws(AdapterError) {
                try send(order, lifetime: lifetime, until: clock.monotonicNow().advanced(by: lifetime), &state)
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    private func send(
        _ order: LockCommand, lifetime: Duration, until: MonotonicInstant, _ state: inout State
    ) throws(AdapterError) {
        guard !state.isDetached else { throw .notAttached }
        guard link.isConnected, state.memory.availability != .offline, state.renamedID == nil else { throw .offline }
        giveUpOrder(&state)
        let before = state.memory
        let code = surroundings.codes[id]
        if dialect.needsCode, code == nil { throw .codeRequired }
        let frames = try dialect.order(
            order.operation, code: dialect.takesCode(order.operation) ? code : nil, reference: order.commandID.description,
            at: surroundings.clock.now(), &state.memory)
        let sent: MQTTSentPublish
        do {
            sent = try link.publish(frames.command, requiring: dialect.answerPaths, lifetime: lifetime)
        } catch {
            state.memory = before
            throw AdapterError(error)
        }
        state.frames.note(order.commandID, frames.command, until: until)
        surroundings.counters.orders.add(1, ordering: .relaxed)
        (state.orderBefore, state.lastOrder) = (state.lastOrder?.id, (order.commandID, sent.number))
        state.delivery = CommandDelivery(order.commandID, frames.command, sent)
        state.echo = CommandEchoFilter(order.operation, until: until.advanced(by: CommandEchoFilter.delay))
        state.order = PendingCommand(
            id: order.commandID, until: until, watch: watch(order.commandID, lifetime: lifetime, until: until))
        ask(frames.questions, &state, at: nil)
    }

    /// Starts the timers of an unanswered command. At half time the state is requested; just before
    /// the deadline, the dialect decides what the lock's silence means.
    private func watch(_ order: CommandID, lifetime: Duration, until: MonotonicInstant) -> Task<Void, Never>? {
        guard dialect.retriesStateRequest || dialect.profile.quirks.contains(.alreadyInStateIsSuccess) else { return nil }
        let clock = surroundings.clock
        let halfTime = until.advanced(by: .zero - lifetime / 2)
        let nearEnd = until.advanced(by: .zero - min(lifetime / 4, .milliseconds(250)))
        return Task(executorPreference: surroundings.executor) { [weak self] in
            do {
                try await clock.sleep(until: halfTime)
                self?.askAgain(order)
                try await clock.sleep(until: nearEnd)
                self?.concludeSilence(order)
            } catch {
                // The command has ended, which cancels the timers.
            }
        }
    }

    private func askAgain(_ order: CommandID) {
        state.withLock { state in
            guard dialect.retriesStateRequest, state.order?.id == order else { return }
            ask(dialect.questions, &state, at: nil)
        }
    }

    private func concludeSilence(_ order: CommandID) {
        change { state in
            // Conclude nothing while the broker is stalled: it may withhold the lock's messages.
            guard state.order?.id == order, let frame = state.lastOrder?.frame, link.isBrokerResponsive(since: frame) else {
                return
            }
            // The silence of a lock that has not received the command confirms nothing.
            guard let delivery = state.delivery, !isMissing(delivery, state) else { return }
            let before = state.memory
            take(dialect.silence(&state.memory), after: before, &state)
        }
    }

    /// Ends a command whose outcome the lock has reported.
    func endOrder(_ state: inout State) {
        dialect.endOrder(&state.memory)
        giveUpOrder(&state)
    }

    /// Gives up a command; if it has no outcome yet, its outcome is unknown.
    func giveUpOrder(_ state: inout State) {
        state.order?.watch?.cancel()
        state.order = nil
        dialect.giveUpOrder(&state.memory)
    }

    // MARK: - Messages

    /// Processes a message on one of the lock's topics.
    func receive(_ message: MQTTMessage) {
        guard !dialect.isQuestionToOthers(message) else { return }
        let now = surroundings.clock.monotonicNow()
        change { state in
            // Ignore messages under the former name of a renamed lock: another lock may publish them.
            guard !state.isDetached, state.renamedID == nil else { return }
            if let order = state.order, order.until <= now { giveUpOrder(&state) }
            if state.delivery?.isOwn(message) == true { noteDelivered(&state, isAnswer: false) }
            if let order = state.frames.late(message, at: now) { return deliveredLate(order, &state) }
            if dialect.isOfAnswersOnly(message.topic) {
                // Answers of a bridge for other locks do not count against this lock's rate limit.
                guard state.order != nil else { return }
                return look(at: message, &state)
            }
            switch state.flood.take(at: now) {
            case .look: look(at: message, &state)
            case .drop(let isFirst):
                surroundings.counters.dropped.add(1, ordering: .relaxed)
                missed(isFirst: isFirst, &state, at: now)
            }
        }
    }

    private func look(at message: MQTTMessage, _ state: inout State) {
        var before = state.memory
        let isOfBefore = state.order != nil && state.isOfBefore(message)
        if isOfBefore { before.underWay = nil }
        let heard = isOfBefore ? dialect.decodeEarlier(message, &state.memory) : dialect.decode(message, &state.memory)
        for diagnostic in heard.diagnostics { note(diagnostic, message.topic) }
        take(heard, after: before, &state, of: message)
    }

    /// - Parameter message: the decoded message; `nil` for a conclusion from silence or a lost connection.
    func take(_ heard: DecodedMessage, after before: DialectState, _ state: inout State, of message: MQTTMessage? = nil) {
        let now = surroundings.clock.monotonicNow()
        let order = message.map(state.isOfBefore) == true ? state.orderBefore : state.lastOrder?.id
        state.act.note(heard.events, at: now)
        for fact in heard.facts(after: before) where state.echo?.isEcho(fact, at: now) != true {
            let isMovement = fact.movesBolt(from: before.position)
            guard let (fact, isRepeat) = state.act.tell(fact, isMovement: isMovement, at: now) else { continue }
            deliver(fact, isRepeat: isRepeat, &state, after: order)
        }
        ask(heard.publish, &state, at: now)
        switch heard.command {
        case .rejected(let rejection) where rejection.leavesDoubt(of: state.memory): giveUpOrder(&state)
        case .confirmed, .rejected: endOrder(&state)
        case .accepted, nil: break
        }
        if heard.command != nil { noteDelivered(&state, isAnswer: true) }
    }

    /// Reports a command that the broker delivered after its deadline: the lock may execute it now.
    private func deliveredLate(_ order: CommandID, _ state: inout State) {
        surroundings.logger.warning(
            "the broker delivered a command after its deadline; the lock may execute it now",
            metadata: ["device": "\(id)", "command": "\(order)"])
        state.memory.isUnanswered = true
        deliver(.deliveredLate(order), &state, after: state.lastOrder?.id)
        // Request the state again: the answer to an earlier request may be older than this movement.
        query(&state, at: nil)
    }

    func deliver(_ fact: LockReport.Fact, isRepeat: Bool = false, _ state: inout State, after order: CommandID?) {
        var fact = fact
        if case .faults(let faults) = fact {
            state.delivered.reported = gatewayFaults(state)
            fact = .faults(faults.union(state.delivered.reported.map(\.rawValue)))
        }
        state.outbox.append(LockReport(deviceID: id, fact, after: order, isRepeat: isRepeat))
    }

    /// Changes the state, and delivers the resulting reports. The mutex is not held during the
    /// delivery, so the receiver may send the next command at once.
    func change(_ body: (inout State) -> Void) {
        let handsOn = state.withLock { state in
            body(&state)
            defer { state.isHandingOn = true }
            return !state.isHandingOn
        }
        guard handsOn else { return }
        while let report = state.withLock({ $0.nextReport() }) { surroundings.listener.receive(report) }
    }

    private func note(_ diagnostic: Diagnostic, _ topic: String) {
        surroundings.counters.odd.add(1, ordering: .relaxed)
        let level: Logger.Level = diagnostic == .retainedCommandFound ? .warning : .debug
        surroundings.logger.log(
            level: level, "\(diagnostic.sentence)",
            metadata: ["device": "\(id)", "diagnostic": "\(diagnostic)", "topic": "\(topic)"])
    }

    // MARK: - State requests

    /// Requests the lock's state, unless a request was sent just now.
    ///
    /// - Parameter laterIfBusy: whether to send the request later if the broker is busy, instead of throwing.
    /// - Throws: if the request cannot be sent now.
    func refresh(laterIfBusy: Bool = false) throws(AdapterError) {
        guard !dialect.questions.isEmpty else { throw .unsupported }
        let now = surroundings.clock.monotonicNow()
        let result = state.withLock { state -> AdapterError? in
            guard !state.isDetached else { return .notAttached }
            guard link.isConnected, state.renamedID == nil else { return .offline }
            return ask(dialect.questions, &state, at: now)
        }
        if laterIfBusy, result == .transportBusy { return link.queryLater(self) }
        if let result { throw result }
    }

    /// Requests the lock's state, or does so later if the broker is busy. A broker is busy after it was stalled: its queued
    /// messages arrive before the answer to the liveness probe.
    ///
    /// - Parameter now: as for `ask`.
    func query(_ state: inout State, at now: MonotonicInstant?) {
        if ask(dialect.questions, &state, at: now) == .transportBusy { link.queryLater(self) }
    }

    /// - Parameter now: the current time, to send nothing if a request was sent less than
    ///   `questionPause` ago; `nil` to send a request in any case.
    /// - Returns: why a request was not sent. It is not repeated here: the lock's next message
    ///   reports its state as well.
    @discardableResult
    func ask(_ questions: [OutgoingMessage], _ state: inout State, at now: MonotonicInstant?) -> AdapterError? {
        guard !questions.isEmpty else { return nil }
        if let now, let last = state.lastQuestion, now < last.advanced(by: Self.questionPause) { return nil }
        for question in questions {
            do throws(MQTTSendError) {
                try link.publish(question, requiring: dialect.answerPaths, lifetime: .seconds(5))
            } catch {
                return AdapterError(error)
            }
            surroundings.counters.questions.add(1, ordering: .relaxed)
        }
        if let now { state.lastQuestion = now }
        return nil
    }
}

extension MQTTLock.State {
    /// Whether a message was read before the last command was sent.
    fileprivate func isOfBefore(_ message: MQTTMessage) -> Bool { lastOrder.map { message.readAfter < $0.frame } ?? false }

    /// Returns the next report to deliver; `nil` ends the delivery.
    fileprivate mutating func nextReport() -> LockReport? {
        isHandingOn = !outbox.isEmpty
        return isHandingOn ? outbox.removeFirst() : nil
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
