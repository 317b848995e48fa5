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
    private let before: LockMemory

    /// What a message says of the bolt.
    struct Told {
        var position: Position
        var quality: StateQuality
    }

    init(_ dialect: Dialect, _ message: MQTTMessage, _ memory: LockMemory) {
        (self.dialect, self.message, self.memory, before) = (dialect, message, memory, memory)
    }

    mutating func run() {
        guard let route = dialect.routes[message.topic] else { return }
        if route.isCommand, message.isRetained { return noteRetainedCommand() }
        if route.isQuestion, !message.isRetained, dialect.isQuestion(message) { memory.underWay?.isAsked = true }
        guard !(route.values + route.events + route.answers).isEmpty else { return }
        if message.payload.isEmpty {
            for index in route.events where dialect.parts.events[index].source == .topicSuffix { hearEvent(index, nil) }
            return finish()
        }
        guard let payload = Payload(message.payload) else { return note(.malformedPayload) }
        for index in route.values { hearValue(index, payload) }
        for index in route.events { hearEvent(index, payload) }
        for index in route.answers where heard.command == nil { hearAnswer(index, payload) }
        finish()
    }

    /// A command that lies on the broker is obeyed by every lock that subscribes anew; it is found, and not looked into.
    private mutating func noteRetainedCommand() {
        let isIdle = String(validating: message.payload, as: UTF8.self).map { dialect.parts.idle.contains($0) } ?? false
        if !message.payload.isEmpty, !isIdle { note(.retainedCommandFound) }
    }

    mutating func note(_ diagnostic: Diagnostic) {
        if !heard.diagnostics.contains(diagnostic) { heard.diagnostics.append(diagnostic) }
    }

    // MARK: What follows

    private mutating func finish() {
        settleState()
        settleFaults()
        judge()
        if report != Heard.Report() { heard.reports.append(report) }
    }

    private mutating func settleState() {
        if let told {
            (memory.position, memory.quality) = (told.position, told.quality)
            (report.position, report.quality) = (told.position, told.quality)
            if told.quality == .confirmed, heard.events.isEmpty { memory.partFaults[Self.eventFaults] = nil }
        }
        let isContradicted = heard.events.contains { $0.contradicts(memory.position) }
        if report.availability == .offline, told?.quality != .confirmed {
            (memory.quality, report.quality) = (.stale, .stale)
        }
        if isContradicted {
            (memory.quality, report.quality) = (.stale, .stale)
            heard.publish += dialect.questions
        }
        if before.availability == .offline, memory.availability == .online, told == nil { heard.publish += dialect.questions }
    }

    private mutating func settleFaults() {
        let faults = memory.partFaults.values.reduce(into: Set<LockFault>()) { $0.formUnion($1) }
        if faults != memory.faults || (report.faults?.isEmpty == false) { report.faults = faults } else { report.faults = nil }
        memory.faults = faults
    }

    /// What the message means for the command that is under way. Only a live word counts.
    private mutating func judge() {
        guard let underWay = memory.underWay, !message.isRetained else { return }
        let isNews = !dialect.profile.quirks.contains(.mergesCache) || told?.position != before.position
        let isThere = told?.quality == .confirmed && told?.position.lockState.satisfies(underWay.operation) == true
        if isJam && !isThere || (told?.position == .jammed && told?.quality == .confirmed && isNews) {
            heard.command = .rejected(.jammed)
            return
        }
        if case .rejected? = heard.command { return }
        guard let told, memory.quality == .confirmed, told.position.lockState.satisfies(underWay.operation) else { return }
        if underWay.needsAnswer && !(underWay.isAsked && isAnswer) { return }
        heard.command = .confirmed
    }

    /// Whether a message of one that repeats what it knew may be the answer to a question about the bolt: nothing else in it is
    /// news that would have made it speak.
    private var isAnswer: Bool { heard.events.isEmpty && memory.surroundings == before.surroundings }
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
