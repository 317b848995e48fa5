internal import DoorwardAdapterKit
internal import DoorwardDomain

extension Heard {
    /// The same in the gateway's words, in the order in which the gateway is to learn it: what ends a command comes last, when
    /// everything else that the message says is known.
    ///
    /// - Parameter before: what was known before the message. A position that its command under way wanted, and that the
    ///   interpreter has not called its confirmation, counts as old.
    func facts(after before: LockMemory) -> [LockReport.Fact] {
        var facts: [LockReport.Fact] = []
        var operation = events.first { $0.kind == .operation && $0.isDone != false }
        for report in reports {
            facts += report.condition
            guard let (state, quality) = report.trusted(after: before, command) else { continue }
            // A movement is told once: by the state where that changes, and by itself where it does not.
            let isMovement = quality == .confirmed && before.position != .unknown && state != before.position.lockState
            // Somebody who did what a command waited for is told by themselves: the command's end names nobody else.
            let isTold = isMovement && !(command == .confirmed && operation?.isBySomebody == true)
            let teller = operation.flatMap { isTold && $0.operation?.resulting == state ? $0 : nil }
            if teller != nil { operation = nil }
            let method = teller?.eventMethod ?? (command == .confirmed ? .remote : nil)
            facts.append(.state(state, quality: quality, method: method, operatorName: teller?.operatorName))
        }
        let hasState = facts.contains { if case .state = $0 { true } else { false } }
        if command == .confirmed, !hasState {
            facts.append(.state(before.position.lockState, quality: .confirmed, method: .remote, operatorName: nil))
        }
        let told = facts.contains { if case .state(.jammed, quality: .confirmed, _, _) = $0 { true } else { false } }
        for event in events {
            // One that the state before has told is not told again.
            if event.kind == .operation, event.isDone != false, event != operation { continue }
            if event.isAttempt, before.awaits(event) { continue }
            if event.kind == .jam, told { continue }
            guard let recordEvent = event.recordEvent else { continue }
            facts.append(.event(recordEvent, method: event.eventMethod, operatorName: event.operatorName))
        }
        if case .rejected(let rejection) = command, rejection != .jammed || !told { facts.append(.refusal(rejection.cause)) }
        return facts
    }
}

extension LockMemory {
    /// Whether the state will tell of a movement that an event announces, when it is made; `ActAtDoor` keeps who it was till then.
    fileprivate func awaits(_ event: LockEvent) -> Bool {
        underWay == nil && position != .unknown && position.lockState != event.operation?.resulting
    }
}

extension LockEvent {
    /// Whether a lock says that it was moved, and not over the network.
    fileprivate var isBySomebody: Bool { method.map { $0 != .remote && $0 != .unknown } ?? false }
}

extension Heard.Report {
    /// What is said beside the bolt.
    fileprivate var condition: [LockReport.Fact] {
        var facts: [LockReport.Fact] = []
        if let availability { facts.append(.availability(availability.isOnline)) }
        if let door { facts.append(.door(door.doorState)) }
        if battery != nil || isBatteryLow != nil {
            facts.append(.battery(level: battery.map { Int($0.rounded()) }, low: isBatteryLow))
        }
        if let faults { facts.append(.faults(Set(faults.map(\.rawValue)))) }
        return facts
    }

    /// - Parameter command: what the message was found to say of the command under way. A state that would end the command, and
    ///   that was not found to be its end, counts as old.
    fileprivate func trusted(after before: LockMemory, _ command: CommandWord?) -> (LockState, StateQuality)? {
        // Of a bolt that nobody has heard of there is nothing to trust.
        guard let quality, position != nil || before.position != .unknown else { return nil }
        let state = (position ?? before.position).lockState
        guard quality == .confirmed, let underWay = before.underWay else { return (state, quality) }
        let isEnd = command == .confirmed || command == .rejected(.jammed)
        guard !isEnd, state.satisfies(underWay.operation) || state == .jammed else { return (state, quality) }
        return (state, .stale)
    }
}

extension LockReport.Fact {
    /// Whether it is a state in which the bolt was not known to be before, though it was known where it was.
    func movesBolt(from before: Position) -> Bool {
        guard case .state(let state, _, _, _) = self else { return false }
        return before != .unknown && state != before.lockState
    }
}

extension Availability {
    /// `nil` where nobody knows.
    var isOnline: Bool? {
        switch self {
        case .online: true
        case .offline: false
        case .unknown: nil
        }
    }
}

extension DoorPosition {
    /// A contact that is broken says nothing.
    fileprivate var doorState: DoorState {
        switch self {
        case .open: .open
        case .closed: .closed
        case .unknown, .fault: .unknown
        }
    }
}

extension Rejection {
    fileprivate var cause: RefusalCause {
        switch self {
        case .notAuthorised: .notAuthorised
        case .invalidCode: .invalidCode
        case .busy: .busy
        case .jammed: .jammed
        case .lowPower: .lowPower
        case .notCalibrated: .notCalibrated
        case .unsupported: .unsupported
        case .offline: .offline
        case .transport: .transport
        case .schedule, .unknown: .other
        }
    }
}
