extension Doorward {
    /// The rule on which a decision is based.
    public struct Rule: Codable, Hashable, Sendable {
        /// `ASSOCIATION`, `GUEST_ACCESS` or `SUPER_ADMIN`.
        public var kind: String
        /// The id of the association or guest access; `nil` for a super admin.
        public var id: String?
        /// The role that the rule gives.
        public var role: Role?
    }

    /// The override of a lockdown.
    public struct Override: Codable, Hashable, Sendable {
        /// The reason, a sentence for the log.
        public var reason: String

        public init(reason: String) { self.reason = reason }
    }

    /// Who did something: residents read a label, managers and the actor the whole.
    public enum Actor: Codable, Hashable, Sendable {
        /// `you`, a first name, or `staff`.
        case label(String)
        /// The kind, such as `USER`, with the id and the name if the reader may see them.
        case identified(kind: String, id: String?, name: String?)

        private enum CodingKeys: String, CodingKey { case kind, id, name }

        /// Decodes either form.
        public init(from decoder: any Decoder) throws {
            if let label = try? decoder.singleValueContainer().decode(String.self) {
                self = .label(label)
                return
            }
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self = .identified(
                kind: try container.decode(String.self, forKey: .kind),
                id: try container.decodeIfPresent(String.self, forKey: .id),
                name: try container.decodeIfPresent(String.self, forKey: .name))
        }

        /// Encodes the form that was decoded.
        public func encode(to encoder: any Encoder) throws {
            switch self {
            case .label(let label): try label.encode(to: encoder)
            case .identified(let kind, let id, let name):
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(kind, forKey: .kind)
                try container.encode(id, forKey: .id)
                try container.encode(name, forKey: .name)
            }
        }
    }

    /// An attempt to operate a lock.
    public struct Command: ListedNoun {
        /// The type in the stream.
        public static let streamType = StreamType.command
        /// The key of a list in a response.
        public static let listKey = "commands"

        /// The id.
        public var id: String
        /// The lock to operate.
        public var deviceId: String
        /// The operation.
        public var operation: Action
        /// The state; may be absent in a reduced view.
        public var state: CommandState?
        /// The actor.
        public var actor: Actor?
        /// `API CONSOLE CLI GUEST_LINK DEVICE GATEWAY`.
        public var source: String?
        /// The rule that allowed the command.
        public var rule: Rule?
        /// The reason that the caller gave.
        public var reason: String?
        /// The override of a lockdown.
        public var override: Override?
        /// Whether the command's bytes were handed to the lock's transport; `nil` if this is unknown.
        public var sent: Bool?
        /// `false` if the lock was already in the requested state.
        public var changed: Bool?
        /// The cause of the outcome, such as `jammed`.
        public var outcomeDetail: String?
        /// The state of the lock before the command.
        public var stateBefore: LockState?
        /// The state of the lock when the command ended.
        public var stateAfter: LockState?
        /// When the request was validated.
        public var requestedAt: Instant?
        /// The deadline of the command.
        public var deadline: Instant?
        /// When the command was handed to the lock's transport.
        public var dispatchedAt: Instant?
        /// When the command ended; `nil` while it is in progress.
        public var completedAt: Instant?
        /// The level at which the reader sees the command.
        public var viewLevel: ViewLevel?

        /// Creates a command, for tests and previews; all other members are `nil`.
        public init(id: String, deviceId: String, operation: Action) {
            (self.id, self.deviceId, self.operation) = (id, deviceId, operation)
        }
    }

    /// A record of an access log.
    public struct AccessRecord: LiveNoun {
        /// The type in the stream.
        public static let streamType = StreamType.accessRecord

        /// The id of the record, the same in every response.
        public var id: String
        /// The time of the event. Within a log, this time never decreases.
        public var at: Instant
        /// `COMMAND_INTENT COMMAND_OUTCOME DENIAL DEVICE_EVENT ADMIN_CHANGE SESSION GATEWAY`.
        public var kind: String
        /// The log that contains the record; absent in a reduced view.
        public var logId: String?
        /// The record's number in its log, from 0; absent in a reduced view.
        public var seq: UInt64?
        /// The operation on the lock.
        public var operation: Action?
        /// `ALLOWED` or `DENIED`.
        public var decision: String?
        /// The reason of a denial.
        public var reason: DenialReason?
        /// The rule that allowed the operation, or came nearest to allowing it.
        public var rule: Rule?
        /// The actor as residents see them: `you`, a first name, or `staff`.
        public var actor: String?
        /// `USER GUEST_LINK API_KEY DEVICE GATEWAY OUTSIDE`; absent in a reduced view.
        public var actorKind: String?
        /// The id of the actor.
        public var actorId: String?
        /// The actor's name when the record was written; `nil` if it was erased.
        public var actorName: String?
        /// The user who is responsible for the actor.
        public var actorUserId: String?
        /// `API CONSOLE CLI GUEST_LINK DEVICE GATEWAY`.
        public var source: String?
        /// The client's network address.
        public var clientAddress: String?
        /// The id of the request, as in its response.
        public var requestId: String?
        /// The lock; `nil` if the record is not about a lock.
        public var deviceId: String?
        /// The name of the lock when the record was written.
        public var deviceName: String?
        /// The unit of the lock when the record was written.
        public var unitId: String?
        /// The property of the lock when the record was written.
        public var propertyId: String?
        /// The portfolio of the lock when the record was written.
        public var portfolioId: String?
        /// The command that the record is about.
        public var commandId: String?
        /// The final state of a command.
        public var outcome: CommandState?
        /// The cause of the outcome.
        public var outcomeDetail: String?
        /// The state of the lock before the command.
        public var stateBefore: LockState?
        /// The state of the lock after the command or event.
        public var stateAfter: LockState?
        /// The time from dispatch to outcome, in milliseconds.
        public var latencyMs: Int?
        /// The reason that the caller gave.
        public var statedReason: String?
        /// The override of a lockdown.
        public var override: Override?
        /// The event, such as `JAMMED` or `SIGNED_IN`.
        public var event: String?
        /// The method of an operation at the door, such as `KEYPAD`.
        public var method: String?
        /// The kind of a change: `CREATE`, `GRANT` and others.
        public var action: String?
        /// The type of the changed object.
        public var targetType: String?
        /// The id of the changed object.
        public var targetId: String?
        /// Further details, such as the values before and after a change.
        public var details: [String: JSONValue]?
        /// The level at which the reader sees the record.
        public var viewLevel: ViewLevel?

        /// Creates a record, for tests and previews; all other members are `nil`.
        public init(id: String, at: Instant, kind: String) { (self.id, self.at, self.kind) = (id, at, kind) }
    }
}
