package import DoorwardDomain

/// A request to move a lock, or to change its settings.
package struct CommandRequest: Sendable {
    /// The requester; the decision depends on their rights.
    package let caller: Caller
    /// `nil` if the id in the request is malformed.
    package let deviceID: DeviceID?
    /// The id as requested, for the record of an attempt on a device that does not exist.
    package let attemptedID: String
    /// One of `LockOperation.ofCommands`.
    package let operation: LockOperation
    /// The new settings; present for `.changeSettings` only.
    package let settings: LockSettings?
    /// The `reason` that the caller gave; `nil` if none.
    package let statedReason: String?
    /// The reason of a break-glass override, if one was given.
    package let override: String?
    /// The time from the end of validation to the deadline, including the wait in the queue.
    package let timeout: Duration
    /// Whether the command is part of a lockdown: it goes ahead of the device's queue, and no limit applies to it.
    package let isLockdown: Bool

    package init(
        caller: Caller, deviceID: DeviceID?, attemptedID: String, operation: LockOperation, settings: LockSettings? = nil,
        statedReason: String? = nil, override: String? = nil, timeout: Duration, isLockdown: Bool = false
    ) {
        (self.caller, self.deviceID, self.attemptedID) = (caller, deviceID, attemptedID)
        (self.operation, self.statedReason, self.override, self.timeout) = (operation, statedReason, override, timeout)
        (self.settings, self.isLockdown) = (settings, isLockdown)
    }
}

/// A command that has ended, and the device's status at that time.
package struct FinishedCommand: Sendable {
    /// The command in its final state.
    package let command: Command
    /// The device's status when the command ended.
    package let status: DeviceStatus
    /// The denial, if the caller lost the right before the command was sent. For a repeated request, the denial has its details,
    /// such as the rule, only if the same reason still applies.
    package let denial: Denial?
    /// The adapter's explanation of a failure or timeout; not kept across restarts.
    package let problem: TransportProblem?

    package init(command: Command, status: DeviceStatus, denial: Denial? = nil, problem: TransportProblem? = nil) {
        (self.command, self.status, self.denial, self.problem) = (command, status, denial, problem)
    }
}

/// A command whose intent is durable. It runs to its end whether or not a caller waits for it.
package final class RunningCommand: Sendable {
    /// The command as its intent records it; for a repeated request, in its final state.
    package let accepted: Command
    private let end: End

    private enum End: Sendable {
        case awaited(Task<FinishedCommand, Never>)
        case known(FinishedCommand)
    }

    init(accepted: Command, end: Task<FinishedCommand, Never>) { (self.accepted, self.end) = (accepted, .awaited(end)) }

    /// Creates the value for a command that an earlier request with the same idempotency key created.
    init(ended finished: FinishedCommand) { (accepted, end) = (finished.command, .known(finished)) }

    /// Waits for the command to end; its outcome is then durable, unless its state is `UNKNOWN`.
    package var finished: FinishedCommand {
        get async {
            switch end {
            case .awaited(let task): await task.value
            case .known(let finished): finished
            }
        }
    }
}
