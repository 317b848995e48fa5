internal import DoorwardDomain
internal import DoorwardMQTT

/// Decodes one message, in the context of earlier ones.
struct MessageDecoder {
    let dialect: Dialect
    /// The message. It counts as retained if a bridge has published it again after a reconnection.
    private(set) var message: MQTTMessage
    var state: DialectState
    var decoded = DecodedMessage()
    var report = DecodedMessage.Report()
    /// The bolt state of the message, live or not.
    var observed: ObservedState?
    /// The parts of the profile with a flag or an event that newly reports a jam; `eventFaults` for an event.
    var jamFlags: Set<Int> = []
    /// Whether the message contains an event, reported or not. The event is then the reason why the message was sent.
    var containsEvent = false
    private let before: DialectState

    /// A bolt state that the message contains.
    struct ObservedState {
        var position: BoltState
        var quality: StateQuality
        /// The part of the profile that read the state.
        var part: Int
        /// The device's timestamp.
        var time: Int64?
        /// The faults that belong to the state.
        var faults: Set<LockFault> = []
        /// Whether the state is jammed, but may be a state on the way: the bolt is between its ends, or a flag says so.
        var isHalfWay = false
    }

    init(_ dialect: Dialect, _ message: MQTTMessage, _ state: DialectState) {
        (self.dialect, self.message, self.state, before) = (dialect, message, state, state)
    }

    mutating func run() {
        guard let route = dialect.routes[message.topic] else { return }
        if route.isCommand, message.isRetained { return noteRetainedCommand() }
        if route.isStateRequest, !message.isRetained, dialect.isStateRequest(message) {
            state.staleStateFilter?.isStateRequested = true
        }
        guard !(route.values + route.events + route.acks).isEmpty else { return }
        if message.payload.isEmpty {
            for index in route.events where dialect.parts.events[index].source == .topicSuffix {
                noteMalformed { try $0.decodeEvent(index, nil) }
            }
            return finish()
        }
        guard let payload = Payload(message.payload) else { return note(.malformedPayload) }
        let wasLive = !message.isRetained
        if wasLive, repeatsLastEvent(route) {
            message = MQTTMessage(topic: message.topic, payload: message.payload, isRetained: true, qos: message.qos)
        }
        for index in route.values { noteMalformed { try $0.decodeValue(index, payload) } }
        if dialect.republishesCachedState { hashOtherValues(route, payload) }
        let isJSON = route.values.contains { dialect.parts.values[$0].reader.source == .json }
        for index in route.events { noteMalformed { try $0.decodeEvent(index, payload, isJSON: isJSON) } }
        recordEventMessage(route, wasLive: wasLive)
        for index in route.acks where decoded.command == nil { noteMalformed { try $0.decodeAck(index, payload) } }
        // In a merged message, a missing value means that the event of this value is not active.
        if dialect.republishesCachedState { state.seenItems.formUnion(route.values) }
        finish()
    }

    /// Records a retained command, which a lock would execute each time that it subscribes. The command is not decoded.
    private mutating func noteRetainedCommand() {
        let isIdle = String(streamSafe: message.payload).map { dialect.parts.idlePayloads.contains($0) } ?? false
        if !message.payload.isEmpty, !isIdle { note(.retainedCommandFound) }
    }

    /// Decodes one part of the profile. The other parts are decoded even if the payload is malformed for this one.
    private mutating func noteMalformed(_ decode: (inout Self) throws -> Void) {
        do { try decode(&self) } catch { note(.malformedPayload) }
    }

    mutating func note(_ diagnostic: Diagnostic) {
        if !decoded.diagnostics.contains(diagnostic) { decoded.diagnostics.append(diagnostic) }
    }

    /// Requests the lock's state, at most once per message.
    mutating func requestState() { if decoded.publish.isEmpty { decoded.publish = dialect.stateRequests } }

    // MARK: - Conclusions

    private mutating func finish() {
        applyStaleStateFilter()
        holdPassingJam()
        applyState()
        decideOutcome()
        applyFaults()
        if report != DecodedMessage.Report() { decoded.reports.append(report) }
    }

    /// Marks a state as stale if it concerns the last command and may be older than that command, even after the command has
    /// ended.
    private mutating func applyStaleStateFilter() {
        guard let reported = observed, reported.quality == .confirmed, var filter = state.staleStateFilter else { return }
        guard !isContradicted else { return }
        let positionReport = StaleStateFilter.PositionReport(position: reported.position, time: reported.time)
        let isLive =
            filter.isFresh(positionReport, of: reported.part)
            || (filter.isStateRequested && mayAnswerStateRequest(in: reported.part))
        filter.record(positionReport, of: reported.part)
        let isConclusive = isLive && filter.concerns(reported.position)
        state.staleStateFilter = isConclusive ? nil : filter
        if !isLive, filter.concerns(reported.position) || state.hasUnansweredCommand { observed?.quality = .stale }
    }

    /// Whether an event of the message reports a movement to another state.
    private var isContradicted: Bool {
        let position = observed?.position ?? state.position
        return decoded.events.contains { $0.contradicts(position) }
    }

    private mutating func applyState() {
        if let observed {
            (state.position, state.quality) = (observed.position, observed.quality)
            (report.position, report.quality) = (observed.position, observed.quality)
            if observed.quality == .confirmed, !isContradicted { state.hasUnansweredCommand = false }
            if observed.quality == .confirmed, decoded.events.isEmpty { state.faultsByItem[Self.eventFaults] = nil }
        }
        if isContradicted || report.availability == .offline && observed?.quality != .confirmed {
            state.markStale()
            report.quality = .stale
        }
        if isContradicted { requestState() }
        if before.availability == .offline, state.availability == .online, observed == nil { requestState() }
    }

    private mutating func applyFaults() {
        let faults = state.allFaults
        let isRepeated = report.faults?.subtracting(state.passingJam?.faults ?? []).isEmpty == false
        if faults != state.faults || isRepeated { report.faults = faults } else { report.faults = nil }
        state.faults = faults
    }

    /// Decides the outcome of the command in flight. Only live messages count.
    private mutating func decideOutcome() {
        guard let inFlight = state.inFlight, !message.isRetained else { return }
        if observed?.position == .jammed, observed?.quality == .confirmed { decoded.command = .rejected(.jammed) }
        if case .rejected? = decoded.command {
            state.staleStateFilter = nil
            return releasePassingJam()
        }
        guard let observed, state.quality == .confirmed, observed.position.lockState.satisfies(inFlight.operation) else { return }
        decoded.command = .confirmed
    }

    /// Whether a merged message may be the answer to a state request: no other value in it has changed that could have caused the
    /// message. A message that an unchanged value has caused cannot be distinguished from an answer. If a bridge repeats known
    /// values, each on its own topic, the cause of a message cannot be determined.
    private func mayAnswerStateRequest(in part: Int) -> Bool {
        let isWhole = !dialect.republishesCachedState || dialect.parts.values[part].reader.source != .raw
        return isWhole && !containsEvent && state.otherValues == before.otherValues
    }
}

extension LockEvent {
    /// Whether the event reports a movement to another state than this position.
    func contradicts(_ position: BoltState) -> Bool {
        guard kind == .operation, isDone != false else { return false }
        return switch (operation, position) {
        case (.lock, .unlocked), (.lock, .open), (.lock, .unlocking), (.lock, .opening), (.lock, .jammed): true
        case (.unlock, .locked), (.unlock, .locking), (.unlock, .jammed): true
        case (.open, .locked), (.open, .locking), (.open, .jammed): true
        default: false
        }
    }
}

extension MessageDecoder {
    mutating func decodeAck(_ index: Int, _ payload: Payload) throws(MalformedPayload) {
        let part = dialect.parts.acks[index]
        guard holds(part.conditions, payload), let text = try part.reader.read(payload),
            let response = part.response(to: text)
        else { return }
        guard let inFlight = state.inFlight, !message.isRetained, matches(part, payload, text, inFlight) else {
            // A lock whose response is its state also reports this state without a command.
            if observed == nil { note(.unexpectedAck) }
            return
        }
        decoded.command = response
    }

    private func matches(
        _ part: AckMapping, _ payload: Payload, _ text: String, _ inFlight: DialectState.InFlightCommand
    ) -> Bool {
        switch part.correlation {
        case .none: return true
        case .payload: return text == dialect.payload(of: inFlight.operation)
        case .reference(let path):
            guard let reference = inFlight.reference else { return true }
            return (try? payload.json(as: .json))?[path]?.string == reference
        }
    }

    private func holds(_ conditions: [EventRule.Condition], _ payload: Payload) -> Bool {
        guard !conditions.isEmpty else { return true }
        guard let document = try? payload.json(as: .json) else { return false }
        var values: [String: String] = [:]
        for condition in conditions {
            if case .string(let text)? = document[JSONPath(condition.field)] { values[condition.field] = text }
            if case .bool(let truth)? = document[JSONPath(condition.field)] { values[condition.field] = "\(truth)" }
        }
        return EventRule(conditions: conditions).match(values) != nil
    }
}
