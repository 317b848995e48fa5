extension Wire {
    /// One attempt to move a lock.
    package struct Command: Decodable, Equatable, Sendable {
        package var id: String
        package var deviceId: String
        /// `LOCK UNLOCK UNLATCH`.
        package var operation: String
        /// `ACCEPTED DISPATCHED CONFIRMED FAILED TIMED_OUT UNKNOWN DENIED`. A reduced view may lack it.
        package var state: String?
        package var rule: Rule?
        /// What the caller gave as the reason.
        package var reason: String?
        /// Whether bytes were handed to the lock's transport; `nil` while that is open, and where nobody knows.
        package var sent: Bool?
        /// `false` where the lock was in the wanted state already.
        package var changed: Bool?
        /// Why it ended as it did, such as `jammed`.
        package var outcomeDetail: String?
        package var stateBefore: String?
        package var stateAfter: String?
        package var requestedAt: String?
        package var deadline: String?
        package var completedAt: String?
    }

    /// `data` of an answer about a command; `device` only where the lock has confirmed it.
    package struct CommandAnswer: Decodable, Sendable {
        package var command: Command
        package var device: Device?
    }

    /// `data` of a page of commands.
    package struct CommandPage: Decodable, Sendable {
        package var commands: [Command]
        package var pagination: Pagination
    }

    /// The body of a command.
    package struct CommandOrder: Encodable, Sendable {
        /// For the log.
        package var reason: String?
        /// Breaks a lockdown; for those who may.
        package var override: Override?
        /// Milliseconds from the request's arrival until the attempt ends; the gateway's own time limit without it.
        package var timeoutMs: Int?

        /// Why a lockdown is to be broken.
        package struct Override: Encodable, Sendable {
            package var reason: String
        }

        package init(reason: String? = nil, override: String? = nil, timeoutMs: Int? = nil) {
            (self.reason, self.timeoutMs) = (reason, timeoutMs)
            self.override = override.map { Override(reason: $0) }
        }
    }
}
