internal import DoorwardDomain
internal import DoorwardMQTT

/// Decodes one message, in the context of earlier ones.
struct MessageDecoder {
    let dialect: Dialect
    let message: MQTTMessage
    var memory: DialectState
    var heard = DecodedMessage()
    var report = DecodedMessage.Report()
    /// The bolt state of the message, live or not.
    var told: Told?
    /// Whether a jam was reported live.
    var isJam = false
    /// Whether the message contains an event, reported or not. The event is then the reason why the message was sent.
    var isOfEvent = false
    private let before: DialectState

    /// A bolt state that the message contains.
    struct Told {
        var position: BoltState
        var quality: StateQuality
        /// The part of the profile that read the state.
        var part: Int
        /// The device's timestamp.
        var time: Int64?
    }

    init(_ dialect: Dialect, _ message: MQTTMessage, _ memory: DialectState) {
        (self.dialect, self.message, self.memory, before) = (dialect, message, memory, memory)
    }

    mutating func run() {
        guard let route = dialect.routes[message.topic] else { return }
        if route.isCommand, message.isRetained { return noteRetainedCommand() }
        if route.isQuestion, !message.isRetained, dialect.isQuestion(message) { memory.doubt?.isAsked = true }
        guard !(route.values + route.events + route.answers).isEmpty else { return }
        if message.payload.isEmpty {
            for index in route.events where dialect.parts.events[index].source == .topicSuffix { decodeEvent(index, nil) }
            return finish()
        }
        guard let payload = Payload(message.payload) else { return note(.malformedPayload) }
        for index in route.values { decodeValue(index, payload) }
        if dialect.republishesCachedState { decodeRest(route, payload) }
        let isJSON = route.values.contains { dialect.parts.values[$0].reader.source == .json }
        for index in route.events { decodeEvent(index, payload, isJSON: isJSON) }
        for index in route.answers where heard.command == nil { decodeAck(index, payload) }
        // In a merged message, a missing value means that the event of this value is not active.
        if dialect.republishesCachedState { memory.seenItems.formUnion(route.values) }
        finish()
    }

    /// Records a retained command, which a lock would execute each time that it subscribes. The
    /// command is not decoded.
    private mutating func noteRetainedCommand() {
        let isIdle = String(streamSafe: message.payload).map { dialect.parts.idle.contains($0) } ?? false
        if !message.payload.isEmpty, !isIdle { note(.retainedCommandFound) }
    }

    mutating func note(_ diagnostic: Diagnostic) {
        if !heard.diagnostics.contains(diagnostic) { heard.diagnostics.append(diagnostic) }
    }

    /// Requests the lock's state, at most once per message.
    mutating func ask() { if heard.publish.isEmpty { heard.publish = dialect.questions } }

    // MARK: - Conclusions

    private mutating func finish() {
        settleDoubt()
        settleState()
        settleFaults()
        judge()
        if report != DecodedMessage.Report() { heard.reports.append(report) }
    }

    /// Marks a state as stale if it concerns the last command and may be older than that command, even after the command has
    /// ended.
    private mutating func settleDoubt() {
        guard let said = told, said.quality == .confirmed, var doubt = memory.doubt else { return }
        guard !isContradicted else { return }
        let word = StaleStateFilter.Word(position: said.position, time: said.time)
        let isLive = doubt.isFresh(word, of: said.part) || (doubt.isAsked && isAnswer(of: said.part))
        doubt.note(word, of: said.part)
        let isEnd = isLive && doubt.concerns(said.position)
        memory.doubt = isEnd ? nil : doubt
        if !isLive, doubt.concerns(said.position) || memory.isUnanswered { told?.quality = .stale }
    }

    /// Whether an event of the message reports a movement to another state.
    private var isContradicted: Bool {
        let position = told?.position ?? memory.position
        return heard.events.contains { $0.contradicts(position) }
    }

    private mutating func settleState() {
        if let told {
            (memory.position, memory.quality) = (told.position, told.quality)
            (report.position, report.quality) = (told.position, told.quality)
            if told.quality == .confirmed, !isContradicted { memory.isUnanswered = false }
            if told.quality == .confirmed, heard.events.isEmpty { memory.faultsByItem[Self.eventFaults] = nil }
        }
        if report.availability == .offline, told?.quality != .confirmed {
            memory.markStale()
            report.quality = .stale
        }
        if isContradicted {
            memory.markStale()
            report.quality = .stale
            ask()
        }
        if before.availability == .offline, memory.availability == .online, told == nil { ask() }
    }

    private mutating func settleFaults() {
        let faults = memory.faultsByItem.values.reduce(into: Set<LockFault>()) { $0.formUnion($1) }
        if faults != memory.faults || (report.faults?.isEmpty == false) { report.faults = faults } else { report.faults = nil }
        memory.faults = faults
    }

    /// Decides the outcome of the command in flight. Only live messages count.
    private mutating func judge() {
        guard let underWay = memory.underWay, !message.isRetained else { return }
        let isThere = told?.quality == .confirmed && told?.position.lockState.satisfies(underWay.operation) == true
        if isJam && !isThere || (told?.position == .jammed && told?.quality == .confirmed) {
            memory.doubt = nil
            heard.command = .rejected(.jammed)
            return
        }
        if case .rejected? = heard.command {
            memory.doubt = nil
            return
        }
        guard let told, memory.quality == .confirmed, told.position.lockState.satisfies(underWay.operation) else { return }
        heard.command = .confirmed
    }

    /// Whether a merged message may be the answer to a state request: no other value in it has
    /// changed that could have caused the message. A message that an unchanged value has caused
    /// cannot be distinguished from an answer. If a bridge repeats known values, each on its own
    /// topic, the cause of a message cannot be determined.
    private func isAnswer(of part: Int) -> Bool {
        let isWhole = !dialect.republishesCachedState || dialect.parts.values[part].reader.source != .raw
        return isWhole && !isOfEvent && memory.surroundings == before.surroundings
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
