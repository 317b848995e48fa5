/// One request to move one lock or to change its settings, from its intent to its outcome.
public struct Command: Hashable, Sendable {
    /// The id, generated before the intent is written. A repeated request with the same idempotency key gets the same id.
    package let id: CommandID
    /// The lock. A command has exactly one; a lockdown creates one command for each lock.
    package let deviceID: DeviceID
    /// One of `LockOperation.ofCommands`.
    package let operation: LockOperation
    /// The current state of the command.
    package var state: CommandState
    /// The actor who requested the command.
    package let actor: RecordActor
    /// The interface through which the command was requested.
    package let source: RecordSource
    /// The `reason` that the caller gave.
    package let reason: String?
    /// The reason given for an override that the decision required; `nil` if nothing was overridden.
    package let override: String?
    /// The rule that granted the most recent intent.
    package var rule: Rule
    /// Whether the command's bytes were handed to the transport: false only if they certainly were not, `nil` if this is unknown.
    package var sent: Bool?
    /// False if the lock was already in the requested state; true for changed settings; `nil` unless the command is confirmed.
    package var changed: Bool?
    /// The cause of the outcome, such as `jammed`; `nil` if there is none, for example for a confirmed command.
    package var outcomeDetail: String?
    /// The lock's state when the command was accepted, updated when it was sent; `nil` if unknown.
    package var stateBefore: LockState?
    /// The lock's state when the command ended; `nil` before the end, or if the state is unknown.
    package var stateAfter: LockState?
    /// When the request was validated. The command's timeout starts at this time.
    package let requestedAt: Timestamp
    /// The deadline in wall time, for display only: the gateway measures the deadline by the monotonic clock.
    package let deadline: Timestamp
    /// When the command's bytes were handed to the transport; `nil` if they were not.
    package var dispatchedAt: Timestamp?
    /// When the command ended; `nil` before the end.
    package var completedAt: Timestamp?

    package init(
        id: CommandID, deviceID: DeviceID, operation: LockOperation, state: CommandState = .accepted, actor: RecordActor,
        source: RecordSource, reason: String? = nil, override: String? = nil, rule: Rule, sent: Bool? = false,
        changed: Bool? = nil,
        outcomeDetail: String? = nil, stateBefore: LockState? = nil, stateAfter: LockState? = nil, requestedAt: Timestamp,
        deadline: Timestamp, dispatchedAt: Timestamp? = nil, completedAt: Timestamp? = nil
    ) {
        (self.id, self.deviceID, self.operation, self.state, self.actor) = (id, deviceID, operation, state, actor)
        (self.source, self.reason, self.override, self.rule) = (source, reason, override, rule)
        (self.sent, self.changed, self.outcomeDetail) = (sent, changed, outcomeDetail)
        (self.stateBefore, self.stateAfter) = (stateBefore, stateAfter)
        (self.requestedAt, self.deadline) = (requestedAt, deadline)
        (self.dispatchedAt, self.completedAt) = (dispatchedAt, completedAt)
    }
}

/// `ACCEPTED → DISPATCHED → CONFIRMED | FAILED | TIMED_OUT | UNKNOWN | DENIED`. Raw values are those of the API.
package enum CommandState: String, CaseIterable, Codable, Sendable {
    /// The intent is durable, and the command waits in the device's queue.
    case accepted = "ACCEPTED"
    /// The command was sent, and the lock has not yet confirmed it.
    case dispatched = "DISPATCHED"
    /// The lock itself reported the requested state.
    case confirmed = "CONFIRMED"
    /// The requested state was certainly not reached; `outcomeDetail` has the cause.
    case failed = "FAILED"
    /// The command was sent, and the lock did not confirm it by the deadline: the lock may have moved.
    case timedOut = "TIMED_OUT"
    /// It is unknown whether the lock moved: the gateway crashed or could not write the outcome, or
    /// the device's address was changed while the command was in flight.
    case unknown = "UNKNOWN"
    /// The actor lost the right before the command was sent. The command was not sent.
    case denied = "DENIED"

    /// Whether the state is final.
    package var isEnd: Bool { self != .accepted && self != .dispatched }
}

/// The actor of a command or a record.
package struct RecordActor: Hashable, Sendable {
    /// The kind of the actor. It determines whether `id` identifies a user, a guest access, an API key or a device.
    package var kind: ActorKind
    /// The id of the user, guest access, API key or device; `nil` for the gateway itself and for outsiders.
    package var id: String?
    /// The display name. It is a personal value, and is erased with the person.
    package var name: String?
    /// The user who is responsible for the actor: for a user, that user; for an API key, its creator.
    package var userID: UserID?

    package init(kind: ActorKind, id: String? = nil, name: String? = nil, userID: UserID? = nil) {
        (self.kind, self.id, self.name, self.userID) = (kind, id, name, userID)
    }

    /// The gateway itself, for records that no request has caused, for example at the start.
    package static let gateway = RecordActor(kind: .gateway)
    /// An unidentified actor. In a portfolio's log: an actor to whom the device is not visible. In the gateway's log: an
    /// unauthenticated actor.
    package static let outside = RecordActor(kind: .outside)

    /// The actor for a user, with the user's current name. A record keeps this name when the user is renamed.
    package init(_ user: User) {
        self.init(kind: .user, id: user.id.description, name: user.fullName, userID: user.id)
    }

    /// The API key with its name, and the user who created it.
    package init(_ key: APIKey) {
        self.init(kind: .apiKey, id: key.id.description, name: key.name, userID: key.userID)
    }

    /// The holder of the link of a guest access, with the name of the guest or, without a guest user, the access's label.
    package init(_ access: GuestAccess, guest: User?) {
        self.init(kind: .guestLink, id: access.id.description, name: guest?.fullName ?? access.label, userID: access.guestUserID)
    }
}

/// The kind of an actor. Raw values are those of the API.
package enum ActorKind: String, CaseIterable, Codable, Sendable {
    /// A signed-in user.
    case user = "USER"
    /// The holder of a guest access's link.
    case guestLink = "GUEST_LINK"
    /// A program with an API key.
    case apiKey = "API_KEY"
    /// A lock, in the records of its own events.
    case device = "DEVICE"
    /// The gateway itself.
    case gateway = "GATEWAY"
    /// An unidentified actor, see `RecordActor.outside`.
    case outside = "OUTSIDE"
}

/// The interface through which a request or report reached the gateway. Raw values are those of the API.
package enum RecordSource: String, CaseIterable, Codable, Sendable {
    /// The HTTP API, called by a client that did not identify itself as one of those below.
    case api = "API"
    /// The web console that the gateway serves.
    case console = "CONSOLE"
    /// The command-line tool.
    case cli = "CLI"
    /// The web page behind a guest link.
    case guestLink = "GUEST_LINK"
    /// A report of a lock.
    case device = "DEVICE"
    /// The gateway itself, without a request or report.
    case gateway = "GATEWAY"
}

/// The reason why a command did not reach its lock, as text for users: for example, the broker is
/// not connected, or denies access to a topic.
public struct TransportProblem: Hashable, Sendable {
    /// The reason for users who may see the lock's address, in complete sentences. It names the transport and the topic.
    public let detail: String
    /// The reason for all other users who may operate the lock. It names neither transport nor topic.
    public let summary: String

    public init(detail: String, summary: String) { (self.detail, self.summary) = (detail, summary) }
}
