internal import DoorwardAdapterKit
internal import DoorwardDomain

/// Merges the two messages by which a lock reports one operation, an event and the new bolt state, into one record with all known
/// details. Neither message is delayed: the first is reported when it arrives.
struct EventDeduplicator {
    /// Maximum delay of the second message: bridges poll a lock after it has moved.
    static let window = Duration.seconds(10)

    private struct LastEvent {
        let event: RecordEvent
        let isByState: Bool
        let until: MonotonicInstant
    }

    private struct PendingOperator {
        /// The announced movement; `nil` if the event did not name it.
        let event: RecordEvent?
        let method: EventMethod?
        let operatorName: String?
        let until: MonotonicInstant
    }

    /// The movement that was reported last.
    private var lastEvent: LastEvent?
    /// The operator from an event that did not name its movement, or whose movement is not confirmed yet.
    private var pendingOperator: PendingOperator?

    /// Processes the events of a message, before its facts: an event may name the operator of a movement that follows.
    mutating func record(_ events: [LockEvent], at now: MonotonicInstant) {
        for event in events where event.kind == .operation && event.isDone != false {
            let method = event.eventMethod.flatMap { $0 == .unknown ? nil : $0 }
            guard event.isAttempt || (event.operation == .unknown && method != nil) else {
                pendingOperator = nil
                continue
            }
            pendingOperator = PendingOperator(
                event: event.isAttempt ? event.recordEvent : nil, method: method, operatorName: event.operatorName,
                until: now.advanced(by: Self.window))
        }
    }

    /// - Parameter isMovement: if the fact is a state, whether it differs from the previous known state of the bolt.
    /// - Returns: the fact to report, and whether it only repeats a fact that was reported just
    ///   now; `nil` if there is nothing to report.
    mutating func deduplicate(
        _ fact: LockReport.Fact, isMovement: Bool, at now: MonotonicInstant
    ) -> (fact: LockReport.Fact, isRepeat: Bool)? {
        switch fact {
        case .state(let state, quality: .confirmed, let method, let name):
            guard let event = RecordEvent(state) else {
                // After an unknown state, the next known state counts as a new movement.
                if state == .unknown { lastEvent = nil }
                return (fact, false)
            }
            let isRepeat = lastEvent.map { $0.event == event && !$0.isByState && now <= $0.until } ?? false
            guard !isRepeat else { return (fact, true) }
            guard isMovement else {
                if lastEvent?.event != event { lastEvent = nil }
                return (fact, false)
            }
            lastEvent = LastEvent(event: event, isByState: true, until: now.advanced(by: Self.window))
            defer { pendingOperator = nil }
            guard method == nil, let pendingOperator, now <= pendingOperator.until,
                pendingOperator.event.map({ $0 == event }) ?? true
            else { return (fact, false) }
            return (
                .state(
                    state, quality: .confirmed, method: pendingOperator.method, operatorName: name ?? pendingOperator.operatorName
                ), false
            )
        case .event(let event, let method, let name):
            guard RecordEvent.movements.contains(event) else { return (fact, false) }
            let isReported = lastEvent.map { $0.event == event && $0.isByState && now <= $0.until } ?? false
            // Existing records cannot be changed. Report a recorded movement again only if the event contains its method or its
            // operator.
            if isReported, method == nil || method == .unknown, name == nil { return nil }
            lastEvent = LastEvent(event: event, isByState: false, until: now.advanced(by: Self.window))
            return (fact, false)
        case .state, .door, .battery, .availability, .refusal, .faults, .settings, .product, .deliveredLate: return (fact, false)
        }
    }
}

extension RecordEvent {
    /// The bolt's events that a report of its state can report as well.
    fileprivate static let movements: Set<RecordEvent> = [.locked, .unlocked, .unlatched, .jammed]

    /// The event of a movement to this state; `nil` for unknown and transitional states.
    init?(_ state: LockState) { self.init(rawValue: state.rawValue) }
}

extension LockEvent {
    /// The event as the access log records it; `nil` if it is not recorded.
    var recordEvent: RecordEvent? {
        switch kind {
        case .operation: isDone == false ? .attemptFailed : operation?.recordEvent
        case .attemptFailed: .attemptFailed
        case .credentialChanged: .credentialChanged
        case .jam: .jammed
        case .tamper: .tamper
        case .keypadLockout: .keypadLockout
        case .doorForced: .doorForced
        }
    }

    /// Whether the lock reports a movement without confirming that it was made: many locks report a movement before they make it.
    var isAttempt: Bool { kind == .operation && isDone == nil && operation?.resultingState != nil }

    var eventMethod: EventMethod? { method?.eventMethod }

    /// The operator, if the lock reports one: a slot or a number, never a name.
    var operatorName: String? {
        if let userSlot { return "slot \(userSlot)" }
        if let credentialID { return "code \(credentialID)" }
        return authorisationID.map { "authorisation \($0)" }
    }
}

extension LockEvent.Operation {
    /// The state of the bolt after the operation; `nil` if the operation does not determine one.
    var resultingState: LockState? {
        switch self {
        case .lock: .locked
        case .unlock: .unlocked
        case .open: .unlatched
        case .none, .unknown: nil
        }
    }

    var recordEvent: RecordEvent? { resultingState.flatMap { RecordEvent($0) } }
}

extension LockEvent.Method {
    /// The method of the same name; HomeKit is an app.
    var eventMethod: EventMethod { self == .homekit ? .app : EventMethod(rawValue: rawValue.uppercased()) ?? .unknown }
}
