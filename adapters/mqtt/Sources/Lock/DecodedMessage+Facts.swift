internal import DoorwardAdapterKit
internal import DoorwardDomain

extension DecodedMessage {
    /// Converts the decoded message to the facts that the gateway receives, in order. A fact that ends a command comes last,
    /// after all other facts of the message.
    ///
    /// - Parameter before: the dialect state before the message. A position that satisfies the
    ///   command in flight, but was not decoded as its confirmation, is reported as stale.
    func facts(after before: DialectState) -> [LockReport.Fact] {
        var facts: [LockReport.Fact] = []
        var operation = events.first { $0.kind == .operation && $0.isDone != false }
        for report in reports {
            facts += report.otherFacts
            guard let (state, quality) = report.boltState(after: before, command) else { continue }
            // A movement is reported once: by the state if the state changes, else by the event.
            let isMovement = quality == .confirmed && before.position != .unknown && state != before.position.lockState
            // A manual operation that satisfies a command in flight gets its own record: the command's outcome names no operator.
            let isReportedByState = isMovement && !(command == .confirmed && operation?.isManual == true)
            let reportedOperation = operation.flatMap { isReportedByState && $0.operation?.resultingState == state ? $0 : nil }
            if reportedOperation != nil { operation = nil }
            let method = reportedOperation?.eventMethod ?? (command == .confirmed ? .remote : nil)
            facts.append(.state(state, quality: quality, method: method, operatorName: reportedOperation?.operatorName))
        }
        let hasState = facts.contains { if case .state = $0 { true } else { false } }
        if command == .confirmed, !hasState {
            facts.append(.state(before.position.lockState, quality: .confirmed, method: .remote, operatorName: nil))
        }
        let reportsJam = facts.contains { if case .state(.jammed, quality: .confirmed, _, _) = $0 { true } else { false } }
        for event in events {
            // Skip the operation that the state above has reported.
            if event.kind == .operation, event.isDone != false, event != operation { continue }
            if event.isAttempt, before.expectsStateChange(for: event) { continue }
            if event.kind == .jam, reportsJam { continue }
            guard let recordEvent = event.recordEvent else { continue }
            facts.append(.event(recordEvent, method: event.eventMethod, operatorName: event.operatorName))
        }
        if case .rejected(let rejection) = command, rejection != .jammed || !reportsJam {
            facts.append(.refusal(rejection.cause))
        }
        return facts
    }
}

extension DialectState {
    /// Whether a change of the state is expected to report the movement that an event announces. `EventDeduplicator` keeps the
    /// operator until then.
    fileprivate func expectsStateChange(for event: LockEvent) -> Bool {
        inFlight == nil && position != .unknown && position.lockState != event.operation?.resultingState
    }
}

extension LockEvent {
    /// Whether the lock reports an operation that was not made over the network.
    fileprivate var isManual: Bool { method.map { $0 != .remote && $0 != .unknown } ?? false }
}

extension DecodedMessage.Report {
    /// The facts other than the bolt's state.
    fileprivate var otherFacts: [LockReport.Fact] {
        var facts: [LockReport.Fact] = []
        if let availability { facts.append(.availability(availability == .unknown ? nil : availability == .online)) }
        if let door { facts.append(.door(door.doorState)) }
        if battery != nil || isBatteryLow != nil {
            facts.append(.battery(level: battery.map { Int($0.rounded()) }, low: isBatteryLow))
        }
        if let faults { facts.append(.faults(Set(faults.map(\.rawValue)))) }
        return facts
    }

    /// - Parameter command: the decoded outcome of the command in flight. A state that would satisfy the command, and was not
    ///   decoded as its confirmation, is stale.
    fileprivate func boltState(after before: DialectState, _ command: CommandResponse?) -> (LockState, StateQuality)? {
        // Without any known state there is no quality to report.
        guard let quality, position != nil || before.position != .unknown else { return nil }
        let state = (position ?? before.position).lockState
        guard quality == .confirmed, let inFlight = before.inFlight else { return (state, quality) }
        let isOutcome = command == .confirmed || command == .rejected(.jammed)
        guard !isOutcome, state.satisfies(inFlight.operation) || state == .jammed else { return (state, quality) }
        return (state, .stale)
    }
}

extension LockReport.Fact {
    /// Whether the fact is a state that differs from the previous known state.
    func movesBolt(from before: BoltState) -> Bool {
        guard case .state(let state, _, _, _) = self else { return false }
        return before != .unknown && state != before.lockState
    }
}

extension DoorPosition {
    /// The door state; unknown if the contact is faulty.
    var doorState: DoorState { self == .fault ? .unknown : DoorState(rawValue: rawValue.uppercased()) ?? .unknown }
}

extension RejectionReason {
    fileprivate var cause: LockRefusal {
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

extension Diagnostic {
    /// The message for the gateway's log.
    var logMessage: String {
        switch self {
        case .malformedPayload: "a message of a lock could not be read"
        case .unmappedValue: "a lock reported a value that its profile does not know; its state counts as unknown"
        case .outOfRange: "a lock reported a number that is out of range"
        case .retainedEventIgnored: "the broker retained an event; it is not treated as a new one"
        case .retainedCommandFound:
            "a retained command for this lock is on the broker: the lock may execute it whenever it connects; remove it"
        case .unexpectedAck: "a lock or bridge acknowledged a command that was not sent"
        }
    }
}

extension RejectionReason {
    /// Whether the bolt may have moved despite the rejection, fully or in part.
    func mayHaveMoved(from state: DialectState) -> Bool {
        switch self {
        case .notAuthorised, .invalidCode, .schedule, .busy, .notCalibrated, .unsupported: false
        case .jammed: state.position != .jammed
        case .lowPower, .offline, .transport, .unknown: true
        }
    }
}
