internal import DoorwardDomain
internal import DoorwardMQTT

/// One message, read in the light of what was heard before.
struct Hearing {
    let dialect: Dialect
    let message: MQTTMessage
    var memory: LockMemory
    var heard = Heard()
    var report = Heard.Report()
    /// What the message tells of the bolt, live or not.
    var told: Told?
    /// Something happened, by a live word.
    var isJam = false
    /// Something has happened, told on or not: that is why the message was sent.
    var isOfEvent = false
    private let before: LockMemory

    /// What a message says of the bolt.
    struct Told {
        var position: Position
        var quality: StateQuality
        /// The part of the profile that told it, and the device's own time.
        var part: Int
        var time: Int64?
    }

    init(_ dialect: Dialect, _ message: MQTTMessage, _ memory: LockMemory) {
        (self.dialect, self.message, self.memory, before) = (dialect, message, memory, memory)
    }

    mutating func run() {
        guard let route = dialect.routes[message.topic] else { return }
        if route.isCommand, message.isRetained { return noteRetainedCommand() }
        if route.isQuestion, !message.isRetained, dialect.isQuestion(message) { memory.doubt?.isAsked = true }
        guard !(route.values + route.events + route.answers).isEmpty else { return }
        if message.payload.isEmpty {
            for index in route.events where dialect.parts.events[index].source == .topicSuffix { hearEvent(index, nil) }
            return finish()
        }
        guard let payload = Payload(message.payload) else { return note(.malformedPayload) }
        for index in route.values { hearValue(index, payload) }
        if dialect.mergesCache { hearRest(route, payload) }
        let isJSON = route.values.contains { dialect.parts.values[$0].reader.source == .json }
        for index in route.events { hearEvent(index, payload, isJSON: isJSON) }
        for index in route.answers where heard.command == nil { hearAnswer(index, payload) }
        // In a message with merged state a missing value means that its event is not active.
        if dialect.mergesCache { memory.heardParts.formUnion(route.values) }
        finish()
    }

    /// A command that lies on the broker is obeyed by every lock that subscribes anew; it is found, and not looked into.
    private mutating func noteRetainedCommand() {
        let isIdle = String(streamSafe: message.payload).map { dialect.parts.idle.contains($0) } ?? false
        if !message.payload.isEmpty, !isIdle { note(.retainedCommandFound) }
    }

    mutating func note(_ diagnostic: Diagnostic) {
        if !heard.diagnostics.contains(diagnostic) { heard.diagnostics.append(diagnostic) }
    }

    /// Queries the lock's state, once however many reasons there are.
    mutating func ask() { if heard.publish.isEmpty { heard.publish = dialect.questions } }

    // MARK: What follows

    private mutating func finish() {
        settleDoubt()
        settleState()
        settleFaults()
        judge()
        if report != Heard.Report() { heard.reports.append(report) }
    }

    /// A word that fits the last order and may be older than it is taken for old, under way or not.
    private mutating func settleDoubt() {
        guard let said = told, said.quality == .confirmed, var doubt = memory.doubt else { return }
        guard !isContradicted else { return }
        let word = Doubt.Word(position: said.position, time: said.time)
        let isLive = doubt.isNews(word, of: said.part) || (doubt.isAsked && isAnswer(of: said.part))
        doubt.note(word, of: said.part)
        let isEnd = isLive && doubt.concerns(said.position)
        memory.doubt = isEnd ? nil : doubt
        if !isLive, doubt.concerns(said.position) || memory.isUnanswered { told?.quality = .stale }
    }

    /// An event beside the state, or after it, tells of a movement that ends elsewhere.
    private var isContradicted: Bool {
        let position = told?.position ?? memory.position
        return heard.events.contains { $0.contradicts(position) }
    }

    private mutating func settleState() {
        if let told {
            (memory.position, memory.quality) = (told.position, told.quality)
            (report.position, report.quality) = (told.position, told.quality)
            if told.quality == .confirmed, !isContradicted { memory.isUnanswered = false }
            if told.quality == .confirmed, heard.events.isEmpty { memory.partFaults[Self.eventFaults] = nil }
        }
        if report.availability == .offline, told?.quality != .confirmed {
            memory.loseTrack()
            report.quality = .stale
        }
        if isContradicted {
            memory.loseTrack()
            report.quality = .stale
            ask()
        }
        if before.availability == .offline, memory.availability == .online, told == nil { ask() }
    }

    private mutating func settleFaults() {
        let faults = memory.partFaults.values.reduce(into: Set<LockFault>()) { $0.formUnion($1) }
        if faults != memory.faults || (report.faults?.isEmpty == false) { report.faults = faults } else { report.faults = nil }
        memory.faults = faults
    }

    /// What the message means for the command that is under way. Only a live word counts.
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

    /// Whether a message of one that repeats what it knew may be the answer to a question about the bolt: nothing else in it is
    /// new and could have caused it. A message caused by an unchanged value looks the same, and where each value has a topic of
    /// its own, the cause of a message cannot be determined.
    private func isAnswer(of part: Int) -> Bool {
        let isWhole = !dialect.mergesCache || dialect.parts.values[part].reader.source != .raw
        return isWhole && !isOfEvent && memory.surroundings == before.surroundings
    }
}

extension LockEvent {
    /// Whether it tells of a movement that ends elsewhere than where the bolt is said to be.
    func contradicts(_ position: Position) -> Bool {
        guard kind == .operation, isDone != false else { return false }
        return switch (operation, position) {
        case (.lock, .unlocked), (.lock, .open), (.lock, .unlocking), (.lock, .opening), (.lock, .jammed): true
        case (.unlock, .locked), (.unlock, .locking), (.unlock, .jammed): true
        case (.open, .locked), (.open, .locking), (.open, .jammed): true
        default: false
        }
    }
}
