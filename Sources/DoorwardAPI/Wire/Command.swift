extension Wire {
    /// A command: an attempt to operate a lock.
    package struct Command: Decodable, Equatable, Sendable {
        /// The id in `GET /commands/:id`.
        package var id: String
        /// The lock to operate.
        package var deviceId: String
        /// `LOCK UNLOCK UNLATCH`.
        package var operation: String
        /// `ACCEPTED DISPATCHED CONFIRMED FAILED TIMED_OUT UNKNOWN DENIED`. A reduced view may lack it.
        package var state: String?
        /// The actor of the command.
        package var actor: Actor?
        /// `API CONSOLE CLI GUEST_LINK DEVICE GATEWAY`.
        package var source: String?
        /// The rule that allowed the command.
        package var rule: Rule?
        /// The reason that the caller gave.
        package var reason: String?
        /// The override of a lockdown; `nil` if there was none.
        package var override: Override?
        /// Whether bytes were handed to the lock's transport; `nil` if this is not yet decided, or unknown.
        package var sent: Bool?
        /// `false` if the lock was in the requested state already.
        package var changed: Bool?
        /// The cause of the outcome, such as `jammed`.
        package var outcomeDetail: String?
        /// The state of the lock when the command was sent, if it was known.
        package var stateBefore: String?
        /// The state that the lock has reported since; `nil` if it has reported none.
        package var stateAfter: String?
        /// When it was accepted.
        package var requestedAt: String?
        /// The deadline of the attempt.
        package var deadline: String?
        /// When it was handed to the lock's transport; `nil` if it was not.
        package var dispatchedAt: String?
        /// When it ended; `nil` while it is in progress.
        package var completedAt: String?
    }

    /// The override of a lockdown.
    package struct Override: Codable, Equatable, Sendable {
        /// The reason, a sentence for the log.
        package var reason: String
    }

    /// The actor of a command.
    package enum Actor: Decodable, Equatable, Sendable {
        /// The actor as residents see them: `you`, a first name, or `staff`.
        case label(String)
        /// The actor as management and the actor themselves see them.
        case whole(kind: String, id: String?, name: String?)

        private enum CodingKeys: String, CodingKey { case kind, id, name }

        /// Decodes either form.
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

    /// `data` of a response about a command; `device` only if the lock has confirmed it.
    package struct CommandAnswer: Decodable, Sendable {
        /// The command as its caller may see it.
        package var command: Command
        /// The lock after the command.
        package var device: Device?
    }

    /// `data` of a page of commands.
    package struct CommandPage: Decodable, Sendable {
        /// The commands, newest first.
        package var commands: [Command]
        /// The position of the page in the whole list.
        package var pagination: Pagination
    }

    /// The body of a command.
    package struct CommandOrder: Encodable, Sendable {
        /// A reason for the log.
        package var reason: String?
        /// The override of a lockdown, for callers who may override it.
        package var override: Override?
        /// Milliseconds from the request's arrival until its deadline; by default the gateway's own timeout.
        package var timeoutMs: Int?

        /// Without arguments: a command without a reason, with the gateway's own timeout.
        package init(reason: String? = nil, override: String? = nil, timeoutMs: Int? = nil) {
            (self.reason, self.timeoutMs) = (reason, timeoutMs)
            self.override = override.map { Override(reason: $0) }
        }
    }
}
