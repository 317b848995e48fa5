extension Wire {
    /// One attempt to move a lock.
    package struct Command: Decodable, Equatable, Sendable {
        /// What `GET /commands/:id` finds it by.
        package var id: String
        /// The lock that is to move.
        package var deviceId: String
        /// `LOCK UNLOCK UNLATCH`.
        package var operation: String
        /// `ACCEPTED DISPATCHED CONFIRMED FAILED TIMED_OUT UNKNOWN DENIED`. A reduced view may lack it.
        package var state: String?
        /// Who gave it.
        package var actor: Actor?
        /// `API CONSOLE CLI GUEST_LINK DEVICE GATEWAY`.
        package var source: String?
        /// What allowed it.
        package var rule: Rule?
        /// What the caller gave as the reason.
        package var reason: String?
        /// `nil` where no lockdown was to be broken.
        package var override: Override?
        /// Whether bytes were handed to the lock's transport; `nil` while that is open, and where nobody knows.
        package var sent: Bool?
        /// `false` where the lock was in the wanted state already.
        package var changed: Bool?
        /// Why it ended as it did, such as `jammed`.
        package var outcomeDetail: String?
        /// The state of the lock when it was sent, as far as it was known.
        package var stateBefore: String?
        /// The state that the lock has reported since; `nil` without a word of it.
        package var stateAfter: String?
        /// When it was accepted.
        package var requestedAt: String?
        /// When the attempt ends.
        package var deadline: String?
        /// When it was handed to the lock's transport; `nil` if it was not.
        package var dispatchedAt: String?
        /// When it ended; `nil` while it runs.
        package var completedAt: String?
    }

    /// Why a lockdown was to be broken.
    package struct Override: Codable, Equatable, Sendable {
        /// A sentence for the log.
        package var reason: String
    }

    /// Who gave a command.
    package enum Actor: Decodable, Equatable, Sendable {
        /// As residents see it: `you`, a first name, or `staff`.
        case label(String)
        /// As management and whoever gave it see it.
        case whole(kind: String, id: String?, name: String?)

        private enum CodingKeys: String, CodingKey { case kind, id, name }

        /// Reads either form.
        package init(from decoder: any Decoder) throws {
            if let label = try? decoder.singleValueContainer().decode(String.self) {
                self = .label(label)
                return
            }
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self = .whole(
                kind: try container.decode(String.self, forKey: .kind),
                id: try container.decodeIfPresent(String.self, forKey: .id),
                name: try container.decodeIfPresent(String.self, forKey: .name))
        }
    }

    /// `data` of an answer about a command; `device` only where the lock has confirmed it.
    package struct CommandAnswer: Decodable, Sendable {
        /// As its caller may see it.
        package var command: Command
        /// The lock after it has moved.
        package var device: Device?
    }

    /// `data` of a page of commands.
    package struct CommandPage: Decodable, Sendable {
        /// Newest first.
        package var commands: [Command]
        /// Where in the whole list the page lies.
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

        /// Without anything: a plain order with the gateway's own time limit.
        package init(reason: String? = nil, override: String? = nil, timeoutMs: Int? = nil) {
            (self.reason, self.timeoutMs) = (reason, timeoutMs)
            self.override = override.map { Override(reason: $0) }
        }
    }
}
