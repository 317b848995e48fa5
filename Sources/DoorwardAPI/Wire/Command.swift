extension Wire {
    /// A command: an attempt to operate a lock.
    package struct Command: ListItem, Equatable, Sendable {
        /// The key of a list of these in a response.
        package static let listKey = "commands"

        /// The id in `GET /commands/:id`.
        package var id: String
        /// The lock to operate.
        package var deviceId: String
        /// `LOCK UNLOCK UNLATCH`.
        package var operation: String
        /// `ACCEPTED DISPATCHED CONFIRMED FAILED TIMED_OUT UNKNOWN DENIED`. May be absent in a reduced view.
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
        /// Whether the command's bytes were handed to the lock's transport; `nil` if this is unknown.
        package var sent: Bool?
        /// `false` if the lock was already in the requested state.
        package var changed: Bool?
        /// The cause of the outcome, such as `jammed`.
        package var outcomeDetail: String?
        /// The state of the lock before the command, if it was known.
        package var stateBefore: String?
        /// The state of the lock when the command ended; `nil` if it is unknown.
        package var stateAfter: String?
        /// When the request was validated.
        package var requestedAt: String?
        /// The deadline of the command.
        package var deadline: String?
        /// When the command was handed to the lock's transport; `nil` if it was not.
        package var dispatchedAt: String?
        /// When the command ended; `nil` while it is in progress.
        package var completedAt: String?
        /// The level at which the reader sees it: `PUBLIC RESIDENT OPERATIONS MANAGEMENT OWNER`.
        package var viewLevel: String?
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
        /// The actor in the form for management and for the actor themselves.
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

    /// `data` of a response about a command. `device` is present only if the lock has confirmed the command.
    package struct CommandAnswer: Decodable, Sendable {
        /// The command, with the fields that are visible to the reader.
        package var command: Command
        /// The lock in its state after the command.
        package var device: Device?
    }

    /// The body of a command.
    package struct CommandParameters: Encodable, Sendable {
        /// A reason for the log.
        package var reason: String?
        /// The override of a lockdown, for callers who may override it.
        package var override: Override?
        /// The timeout of the command in milliseconds; `nil` for the gateway's own timeout.
        package var timeoutMs: Int?

        /// Creates a body. Without arguments, the command has no reason and the gateway's own timeout.
        package init(reason: String? = nil, override: String? = nil, timeoutMs: Int? = nil) {
            (self.reason, self.timeoutMs) = (reason, timeoutMs)
            self.override = override.map { Override(reason: $0) }
        }
    }
}
