internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import DoorwardKernel

/// How a command ended. `apply` maps each outcome to the command's state and detail.
enum CommandOutcome: Sendable {
    /// The command was sent, and ended like this.
    case sent(InFlightCommand.Result)
    /// Denied by the decision in the dispatch gate.
    case denied(Denial)
    case deadlinePassed
    /// The adapter did not send the command.
    case notSent(AdapterError)
    case shuttingDown
    /// The store cannot write, so nothing was sent: the intent with the current rule, and the outcome, would not be durable.
    case intentNotWritten
    /// The outcome could not be made durable.
    ///
    /// - Parameter wasSent: false if the command was certainly not sent; `nil` if the lock may have moved.
    case outcomeNotWritten(wasSent: Bool?)

    /// Whether a confirmation of the lock may still arrive.
    var isUnanswered: Bool {
        switch self {
        case .sent(.deadlinePassed), .sent(.abandoned): true
        default: false
        }
    }

    /// Whether the adapter may be able to report the cause of this outcome.
    var isFailedDelivery: Bool {
        switch self {
        case .notSent, .sent(.deadlinePassed), .sent(.refused): true
        default: false
        }
    }

    var denial: Denial? { if case .denied(let denial) = self { denial } else { nil } }

    /// Applies the outcome to `command`.
    ///
    /// - Parameter stateNow: the currently known state of the lock.
    func apply(to command: inout Command, at completed: Timestamp, stateNow: LockState) {
        command.completedAt = completed
        command.stateAfter = stateNow
        command.changed = nil
        switch self {
        case .sent(let result): apply(result, to: &command)
        case .denied(let denial): command.end(.denied, denial.reason.rawValue, sent: false)
        case .deadlinePassed: command.end(.failed, "deadline_passed", sent: false)
        case .notSent(.offline): command.end(.failed, "device_offline", sent: false)
        case .notSent(.transportBusy): command.end(.failed, LockRefusal.transport.rawValue, sent: false)
        case .notSent(.unsupported): command.end(.failed, LockRefusal.unsupported.rawValue, sent: false)
        case .notSent(.notAttached): command.end(.failed, LockRefusal.other.rawValue, sent: false)
        case .notSent(.codeRequired): command.end(.failed, LockRefusal.invalidCode.rawValue, sent: false)
        case .shuttingDown: command.end(.failed, "shutting_down", sent: false)
        case .intentNotWritten:
            command.stateAfter = nil
            command.end(.unknown, nil, sent: false)
        case .outcomeNotWritten(let wasSent):
            command.stateAfter = nil
            command.end(.unknown, nil, sent: wasSent)
        }
    }

    private func apply(_ result: InFlightCommand.Result, to command: inout Command) {
        switch result {
        case .confirmed(let state):
            command.changed = command.stateBefore?.satisfies(command.operation) != true
            command.stateAfter = state
            command.end(.confirmed, nil, sent: true)
        case .settingsConfirmed:
            command.changed = true
            command.end(.confirmed, nil, sent: true)
        case .jammed:
            command.stateAfter = .jammed
            command.end(.failed, "jammed", sent: true)
        case .refused(let cause): command.end(.failed, cause.rawValue, sent: true)
        case .deadlinePassed: command.end(.timedOut, nil, sent: true)
        case .abandoned: command.end(.unknown, nil, sent: nil)
        case .replaced:
            command.stateAfter = nil
            command.end(.unknown, nil, sent: nil)
        }
    }
}

extension Command {
    /// Whether an ended command counts as a use of a guest access: the lock was opened, or may have been.
    var consumesUse: Bool {
        switch state {
        case .confirmed, .timedOut: true
        case .unknown: sent != false
        case .accepted, .dispatched, .failed, .denied: false
        }
    }

    fileprivate mutating func end(_ state: CommandState, _ detail: String?, sent: Bool?) {
        self.state = state
        outcomeDetail = detail
        self.sent = sent
    }
}
