/// One request to move one lock, from its intent to its end.
package struct Command: Hashable, Sendable {
    /// Made before the intent is written; a repeat with the same idempotency key gets the same one.
    package let id: CommandID
    /// One device for each command: a lockdown makes as many as there are locks.
    package let deviceID: DeviceID
    /// One of `LockOperation.movements`.
    package let operation: LockOperation
    /// How far it has come.
    package var state: CommandState
    /// Who asked for it.
    package let actor: Actor
    /// By which way it was asked for.
    package let source: RecordSource
    /// What the caller typed as `reason`.
    package let reason: String?
    /// The reason of an override that was needed; `nil` where nothing was overridden.
    package let override: String?
    /// The rule that granted the last intent.
    package var rule: Rule
    /// True once bytes were handed to the transport, false when it is certain that none were, `nil` when nobody knows.
    package var sent: Bool?
    /// False when the lock was already there; `nil` before the end.
    package var changed: Bool?
    /// A reason, a cause or `nil`, by the table of ends.
    package var outcomeDetail: String?
    /// The lock's state when the command was taken on, and anew when it was sent; `nil` where nobody knew.
    package var stateBefore: LockState?
    /// The lock's state at the end; `nil` before, and where nobody knew.
    package var stateAfter: LockState?
    /// When the request had been checked: from here its time limit counts.
    package let requestedAt: Timestamp
    /// The wall-clock face of the deadline; the monotonic clock decides.
    package let deadline: Timestamp
    /// When its bytes were handed to the transport; `nil` if they never were.
    package var dispatchedAt: Timestamp?
    /// When it ended; `nil` before.
    package var completedAt: Timestamp?

    package init(
        id: CommandID, deviceID: DeviceID, operation: LockOperation, state: CommandState = .accepted, actor: Actor,
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

/// `ACCEPTED → DISPATCHED → CONFIRMED | FAILED | TIMED_OUT | UNKNOWN | DENIED`. Raw values are the wire's.
package enum CommandState: String, CaseIterable, Codable, Sendable {
    /// Its intent is on disk, and it waits for its turn.
    case accepted = "ACCEPTED"
    /// It was sent, and the lock has not answered yet.
    case dispatched = "DISPATCHED"
    /// The lock itself reported the state that was asked for.
    case confirmed = "CONFIRMED"
    /// It is certain that it did not come to that; `outcomeDetail` says why.
    case failed = "FAILED"
    /// Sent, and no word from the lock by the deadline: the door may have moved.
    case timedOut = "TIMED_OUT"
    /// The gateway died meanwhile, or could not write the outcome: nobody knows.
    case unknown = "UNKNOWN"
    /// The right had gone before its turn came; nothing was sent.
    case denied = "DENIED"

    /// Whether nothing follows.
    package var isEnd: Bool { self != .accepted && self != .dispatched }
}

/// Who did something, as commands and records name them.
package struct Actor: Hashable, Sendable {
    /// Decides what `id` is the id of.
    package var kind: ActorKind
    /// The id of the user, guest access, key or device; `nil` for the gateway itself and for outsiders.
    package var id: String?
    /// Personal: erased with the person.
    package var name: String?
    /// The user behind the actor: the user themselves, or the maker of a key.
    package var userID: UserID?

    package init(kind: ActorKind, id: String? = nil, name: String? = nil, userID: UserID? = nil) {
        (self.kind, self.id, self.name, self.userID) = (kind, id, name, userID)
    }

    /// The gateway itself, where nobody asked: at its start, for example.
    package static let gateway = Actor(kind: .gateway)
    /// Somebody without reach, of whom a portfolio's log says nothing.
    package static let outside = Actor(kind: .outside)

    /// The user as they are now; records keep the name that they had.
    package init(_ user: User) {
        self.init(kind: .user, id: user.id.description, name: user.fullName, userID: user.id)
    }
}

/// What kind of actor did something. Raw values are the wire's.
package enum ActorKind: String, CaseIterable, Codable, Sendable {
    /// Somebody who has signed in.
    case user = "USER"
    /// Whoever holds the link of a guest access.
    case guestLink = "GUEST_LINK"
    /// A program with a key.
    case apiKey = "API_KEY"
    /// A lock, of what happened at its own housing.
    case device = "DEVICE"
    /// The gateway by itself.
    case gateway = "GATEWAY"
    /// Somebody without reach.
    case outside = "OUTSIDE"
}

/// By which way it came to the gateway. Raw values are the wire's.
package enum RecordSource: String, CaseIterable, Codable, Sendable {
    /// The HTTP API, called by something that did not say what it is.
    case api = "API"
    /// The page that the gateway serves.
    case console = "CONSOLE"
    /// The command line.
    case cli = "CLI"
    /// The page behind a guest's link.
    case guestLink = "GUEST_LINK"
    /// A report of a lock.
    case device = "DEVICE"
    /// Nothing from outside: the gateway by itself.
    case gateway = "GATEWAY"
}
