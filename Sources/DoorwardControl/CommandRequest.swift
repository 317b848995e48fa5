package import DoorwardDomain

/// What somebody asks a lock to do.
package struct CommandRequest: Sendable {
    /// Who asks; their right is what is decided on.
    package let caller: Caller
    /// `nil` when the id in the request cannot be one.
    package let deviceID: DeviceID?
    /// The id as it was asked for, for the record of an attempt on a device that does not exist.
    package let attemptedID: String
    /// One of `LockOperation.movements`.
    package let operation: LockOperation
    /// What the caller typed as `reason`; `nil` where they typed nothing.
    package let statedReason: String?
    /// The reason of a break-glass override, if one was given.
    package let override: String?
    /// From the end of validation to the deadline, waiting included.
    package let timeout: Duration

    package init(
        caller: Caller, deviceID: DeviceID?, attemptedID: String, operation: LockOperation, statedReason: String? = nil,
        override: String? = nil, timeout: Duration
    ) {
        (self.caller, self.deviceID, self.attemptedID) = (caller, deviceID, attemptedID)
        (self.operation, self.statedReason, self.override, self.timeout) = (operation, statedReason, override, timeout)
    }
}

/// A command that has ended, and the device as it was then.
package struct FinishedCommand: Sendable {
    /// The command in its last state.
    package let command: Command
    /// The status at the command's end.
    package let status: DeviceStatus
    /// The denial, if the right had ended when the command was dispatched; for a repeat, as far as it still applies.
    package let denial: Denial?
    /// The adapter's explanation of why it failed or timed out; lost after a restart.
    package let problem: TransportProblem?

    package init(command: Command, status: DeviceStatus, denial: Denial? = nil, problem: TransportProblem? = nil) {
        (self.command, self.status, self.denial, self.problem) = (command, status, denial, problem)
    }
}

/// A command whose intent is durable. It goes on to its end whether anybody waits for it or not.
package final class RunningCommand: Sendable {
    /// The command as its intent records it; for a repeat, in its last state.
    package let accepted: Command
    private let end: End

    private enum End: Sendable {
        case awaited(Task<FinishedCommand, Never>)
        case known(FinishedCommand)
    }

    init(accepted: Command, end: Task<FinishedCommand, Never>) { (self.accepted, self.end) = (accepted, .awaited(end)) }

    /// A command that an earlier call with the same idempotency key made.
    init(ended finished: FinishedCommand) { (accepted, end) = (finished.command, .known(finished)) }

    /// Waits for the command's end; its outcome is durable then, unless its state is `UNKNOWN`.
    package var finished: FinishedCommand {
        get async {
            switch end {
            case .awaited(let task): await task.value
            case .known(let finished): finished
            }
        }
    }
}
