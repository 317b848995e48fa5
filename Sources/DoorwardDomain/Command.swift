/// One request to move one lock, from its intent to its end.
package struct Command: Hashable, Sendable {
    package let id: CommandID
    package let deviceID: DeviceID
    package let operation: LockOperation
    package var state: CommandState
    package let actor: Actor
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
    package var stateBefore: LockState?
    package var stateAfter: LockState?
    package let requestedAt: Timestamp
    /// The wall-clock face of the deadline; the monotonic clock decides.
    package let deadline: Timestamp
    package var dispatchedAt: Timestamp?
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
    case accepted = "ACCEPTED"
    case dispatched = "DISPATCHED"
    case confirmed = "CONFIRMED"
    case failed = "FAILED"
    case timedOut = "TIMED_OUT"
    case unknown = "UNKNOWN"
    case denied = "DENIED"

    /// Whether nothing follows.
    package var isEnd: Bool { self != .accepted && self != .dispatched }
}

/// Who did something, as commands and records name them.
package struct Actor: Hashable, Sendable {
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

    package static let gateway = Actor(kind: .gateway)
    /// Somebody without reach, of whom a portfolio's log says nothing.
    package static let outside = Actor(kind: .outside)

    package init(_ user: User) {
        self.init(kind: .user, id: user.id.description, name: user.fullName, userID: user.id)
    }
}

/// What kind of actor did something. Raw values are the wire's.
package enum ActorKind: String, CaseIterable, Codable, Sendable {
    case user = "USER"
    case guestLink = "GUEST_LINK"
    case apiKey = "API_KEY"
    case device = "DEVICE"
    case gateway = "GATEWAY"
    case outside = "OUTSIDE"
}

/// By which way it came to the gateway. Raw values are the wire's.
package enum RecordSource: String, CaseIterable, Codable, Sendable {
    case api = "API"
    case console = "CONSOLE"
    case cli = "CLI"
    case guestLink = "GUEST_LINK"
    case device = "DEVICE"
    case gateway = "GATEWAY"
}
