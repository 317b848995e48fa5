internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import DoorwardMQTT
internal import Logging
internal import Synchronization

/// One attached lock: what is known of it, and the one place where its orders leave and its words come in.
///
/// Both happen under one mutex, under which each word gets the order that it came after, by the connection's own count: one that
/// is on its way to here, or further, is never taken for the answer to an order that leaves meanwhile. Words are handed on
/// outside of it, in their order.
final class MQTTLock: Sendable {
    struct State {
        var memory = LockMemory()
        var order: OrderTime?
        /// The order that was the last to leave, and its frame; `none` as soon as that connection is gone, as whatever comes on
        /// the next one comes after it.
        var lastOrder: (id: CommandID, frame: MQTTFrameNumber)?
        /// Recently sent frames, to be recognized when the broker delivers them.
        var frames = OwnFrames()
        /// The order before that one.
        var orderBefore: CommandID?
        var flood: FloodGuard
        var lastQuestion: MonotonicInstant?
        /// What found the lock says that it is no longer there.
        var isGone = false
        /// The lock's id in discovery while that lists it under another name than that of its command topic.
        var renamedID: TopicText?
        /// When it may be logged again that the lock says too much.
        var nextFloodNote: MonotonicInstant?
        /// The delivery status of the last command's frame.
        var delivery: CommandDelivery?
        /// The faults that the gateway itself detects.
        var delivered = DeliveryFaults()
        /// When a message was last dropped, while the lost values are still to be requested.
        var lastDrop: MonotonicInstant?
        /// What the lock may still tell of the last order as if it were news.
        var echo: OwnEcho?
        /// What was told of the last act at the door.
        var act = ActAtDoor()
        /// What is to be handed on, the first first.
        var outbox: [LockReport] = []
        /// Somebody is handing on, and goes on with whatever comes.
        var isHandingOn = false
        /// Nothing is said of the lock any more, and no order is taken.
        var isDetached = false
    }

    /// Between its frame and its deadline.
    struct OrderTime {
        let id: CommandID
        let until: MonotonicInstant
        var watch: Task<Void, Never>?
    }

    /// No order means anything for longer.
    private static let longestLife = Duration.seconds(3600)
    /// The pause between two questions: a battery lock pays for each.
    static let questionPause = Duration.seconds(1)

    let attached: AttachedLock
    let address: MQTTAddress
    let dialect: Dialect
    let link: BrokerLink
    let surroundings: Surroundings
    let state: Mutex<State>

    init(_ attached: AttachedLock, _ address: MQTTAddress, _ dialect: Dialect, link: BrokerLink, _ surroundings: Surroundings) {
        (self.attached, self.address, self.dialect) = (attached, address, dialect)
        (self.link, self.surroundings) = (link, surroundings)
        var memory = LockMemory()
        memory.isFresh = true
        state = Mutex(State(memory: memory, flood: FloodGuard(at: surroundings.clock.monotonicNow())))
    }

    var id: DeviceID { attached.id }

    /// Whether an order waits for its answer.
    var isUnderWay: Bool { state.withLock { $0.order.map { $0.until > surroundings.clock.monotonicNow() } ?? false } }

    /// Whether what found it says that it is no longer there.
    var isGone: Bool { state.withLock { $0.isGone } }

    /// The lock's id in discovery while that lists it under another name than its address has; else `nil`.
    var renamedID: TopicText? { state.withLock { $0.renamedID } }

    /// Its command topic under the name in its address.
    var named: CommandPlace { CommandPlace(dialect.commandTopic) }

    /// Where it is told to move.
    var keys: [LockKey] { dialect.places.map { LockKey(broker: link.broker.name, place: $0) } }

    // MARK: - Orders

    /// Hands the order's frame to the broker's connection, now, or throws.
    func send(_ order: LockOrder) throws(AdapterError) {
        let clock = surroundings.clock
        let now = clock.now()
        guard order.deadline > now else { throw .transportBusy }
        let lifetime = min(order.deadline, now.advanced(by: Self.longestLife)).duration(since: now)
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
        _ order: LockOrder, lifetime: Duration, until: MonotonicInstant, _ state: inout State
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
        let sent: MQTTSentFrame
        do {
            sent = try link.publish(frames.command, answeredBy: dialect.answerPaths, lifetime: lifetime)
        } catch {
            state.memory = before
            throw AdapterError(error)
        }
        state.frames.note(order.commandID, frames.command, until: until)
        surroundings.counters.orders.add(1, ordering: .relaxed)
        (state.orderBefore, state.lastOrder) = (state.lastOrder?.id, (order.commandID, sent.number))
        state.delivery = CommandDelivery(order.commandID, frames.command, sent)
        state.echo = OwnEcho(order.operation, until: until.advanced(by: OwnEcho.delay))
        state.order = OrderTime(
            id: order.commandID, until: until, watch: watch(order.commandID, lifetime: lifetime, until: until))
        ask(frames.questions, &state, at: nil)
    }

    /// What is due while the lock is silent: a question at half time, and the dialect's word on silence just before the end.
    private func watch(_ order: CommandID, lifetime: Duration, until: MonotonicInstant) -> Task<Void, Never>? {
        guard dialect.asksAgain || dialect.profile.quirks.contains(.alreadyInStateIsSuccess) else { return nil }
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
                // The order had its end before.
            }
        }
    }

    private func askAgain(_ order: CommandID) {
        state.withLock { state in
            guard dialect.asksAgain, state.order?.id == order else { return }
            ask(dialect.questions, &state, at: nil)
        }
    }

    private func concludeSilence(_ order: CommandID) {
        change { state in
            // A broker that stands still keeps the lock's words to itself: that is no silence of the lock's.
            guard state.order?.id == order, let frame = state.lastOrder?.frame, link.hasTaken(frame) else { return }
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

    /// Takes in what came on one of the lock's topics.
    func hear(_ message: MQTTMessage) {
        guard !dialect.isQuestionToOthers(message) else { return }
        let now = surroundings.clock.monotonicNow()
        change { state in
            // Under its former name another lock may publish.
            guard !state.isDetached, state.renamedID == nil else { return }
            if let order = state.order, order.until <= now { giveUpOrder(&state) }
            if state.delivery?.isOwn(message) == true { noteDelivered(&state, isAnswer: false) }
            if let order = state.frames.late(message, at: now) { return deliveredLate(order, &state) }
            if dialect.isOfAnswersOnly(message.topic) {
                // What a bridge says of others is not this lock's talk.
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
        let heard = isOfBefore ? dialect.hearOfBefore(message, &state.memory) : dialect.hear(message, &state.memory)
        for diagnostic in heard.diagnostics { note(diagnostic, message.topic) }
        take(heard, after: before, &state, of: message)
    }

    /// - Parameter message: what it was heard from; `nil` for what follows from this moment.
    func take(_ heard: Heard, after before: LockMemory, _ state: inout State, of message: MQTTMessage? = nil) {
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

    /// Reports a command that the broker delivered after its deadline: the lock may move by it now.
    private func deliveredLate(_ order: CommandID, _ state: inout State) {
        surroundings.logger.warning(
            "the broker has handed a command on after its deadline; the lock may move by it now",
            metadata: ["device": "\(id)", "command": "\(order)"])
        state.memory.isUnanswered = true
        deliver(.deliveredLate(order), &state, after: state.lastOrder?.id)
        // What an earlier query brings may be of before.
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

    /// Changes what is known, and hands on what follows. Whoever receives it may send the next order at once.
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

    // MARK: - Questions

    /// Queries the lock for its state, unless it was queried just now.
    ///
    /// - Parameter laterIfBusy: whether a busy broker is no error: the query is sent once it answers again.
    /// - Throws: also where the request could not be sent at this moment.
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

    /// Queries the lock for its state, later where the broker is busy. After a standstill it is: its messages come before the answer
    /// that shows that it is at work again.
    ///
    /// - Parameter now: as of `ask`.
    func query(_ state: inout State, at now: MonotonicInstant?) {
        if ask(dialect.questions, &state, at: now) == .transportBusy { link.queryLater(self) }
    }

    /// - Parameter now: for a question that the last one may stand for; `nil` for one that must be asked.
    /// - Returns: why a question was not sent. It is not sent later by itself: the lock's next message reports its state as well.
    @discardableResult
    func ask(_ questions: [Outgoing], _ state: inout State, at now: MonotonicInstant?) -> AdapterError? {
        guard !questions.isEmpty else { return nil }
        if let now, let last = state.lastQuestion, now < last.advanced(by: Self.questionPause) { return nil }
        for question in questions {
            do throws(MQTTSendError) {
                try link.publish(question, answeredBy: dialect.answerPaths, lifetime: .seconds(5))
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
    /// Whether a message was read before the last order left.
    fileprivate func isOfBefore(_ message: MQTTMessage) -> Bool { lastOrder.map { message.after < $0.frame } ?? false }

    /// What is to be handed on next by whoever is at it; after `nil` nobody is.
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
