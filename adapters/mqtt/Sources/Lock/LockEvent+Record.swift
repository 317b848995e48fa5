internal import DoorwardDomain

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

    fileprivate var recordEvent: RecordEvent? {
        switch self {
        case .lock: .locked
        case .unlock: .unlocked
        case .open: .unlatched
        case .none, .unknown: nil
        }
    }
}

extension LockEvent.Method {
    fileprivate var eventMethod: EventMethod {
        switch self {
        case .keypad: .keypad
        case .rfid: .rfid
        case .fingerprint: .fingerprint
        case .manual: .manual
        case .key: .key
        case .button: .button
        case .fob: .fob
        case .remote: .remote
        case .app, .homekit: .app
        case .auto: .auto
        case .schedule: .schedule
        case .unknown: .unknown
        }
    }
}
