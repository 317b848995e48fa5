internal import DoorwardDomain

extension LockEvent {
    /// What stands in the log; `nil` for what the log has no word for.
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

    /// Whether the lock tells of a movement without saying that it was made: many tell before they act.
    var isAttempt: Bool { kind == .operation && isDone == nil && operation?.resulting != nil }

    var eventMethod: EventMethod? { method?.eventMethod }

    /// Who, as far as the lock tells: it knows places and numbers, and no names.
    var operatorName: String? {
        if let userSlot { return "slot \(userSlot)" }
        if let credentialID { return "code \(credentialID)" }
        return authorisationID.map { "authorisation \($0)" }
    }
}

extension LockEvent.Operation {
    /// Where the bolt is once it is done; `nil` where that cannot be said.
    var resulting: LockState? {
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
