extension Doorward {
    /// The decision whether a person may perform one operation on a lock at one instant.
    package struct Decision: Decodable, Equatable, Sendable {
        /// Whether the operation is allowed.
        package var allowed: Bool
        /// The operation, such as `UNLOCK`.
        package var operation: Action
        /// The lock of the operation.
        package var deviceId: String
        /// The instant of the decision.
        package var at: Instant
        /// The rule that allows the operation, or came nearest to allowing it.
        package var rule: Rule?
        /// The reason of a denial, such as `guest_window_ended`.
        package var reason: DenialReason?
        /// When the guest access begins, if it has not begun yet.
        package var opensAt: Instant?
        /// When the guest access ends or ended.
        package var closesAt: Instant?
        /// The role, operation, capability or module that the caller lacks; `nil` if none of these would suffice.
        package var missing: Denial.Missing?
        /// `current_rules` for a decision about the future: a change of the rights can still change it. Otherwise `nil`.
        package var assumes: String?
    }

    /// `details` of a denied request. They are absent if the object is not visible to the caller.
    package struct Denial: Decodable, Equatable, Sendable {
        /// The requested operation, such as `UNLOCK`; `nil` if the request was not an operation on a lock.
        package var operation: Action?
        /// The lock of the operation.
        package var deviceId: String?
        /// The reason, such as `guest_window_ended`.
        package var reason: DenialReason?
        /// The rule that came nearest to allowing the request.
        package var rule: Rule?
        /// When the guest access begins, if it has not begun yet.
        package var opensAt: Instant?
        /// When the guest access ends or ended.
        package var closesAt: Instant?
        /// The role, operation, capability or module that the request lacks; `nil` if none of these would suffice.
        package var missing: Missing?

        /// The role, operation, capability or module that is missing.
        package struct Missing: Decodable, Equatable, Sendable {
            /// The lowest role that has the right.
            package var role: Role?
            /// The operation that the guest access lacks.
            package var operation: Action?
            /// The capability that the lock lacks.
            package var capability: String?
            /// The disabled module of the subscription.
            package var module: Module?
        }
    }

    /// Someone who may perform an operation on a lock.
    package struct PermittedPrincipal: NamedNoun, Equatable, Sendable {
        /// The field of a response that contains a list of these objects.
        package static let listKey = "entries"
        /// The field of a response that contains one of these objects.
        package static let objectKey = "entry"

        /// Who it is.
        package var principal: Principal
        /// The rule that allows the operation.
        package var rule: Rule
        /// When the right ends by the clock; `nil` if it does not.
        package var until: Instant?

        /// A user, a guest link or an API key.
        package struct Principal: Decodable, Equatable, Sendable {
            /// `USER`, `GUEST_LINK` or `API_KEY`.
            package var kind: String
            /// The id; `nil` if the reader does not see who it is.
            package var id: String?
            /// A name, or `staff`; `nil` if there is none.
            package var name: String?
        }
    }

    /// The effects of a removal: what it would remove and end.
    package struct RemovalPreview: Decodable, Equatable, Sendable {
        /// An entity that would be removed.
        package struct Removed: Decodable, Equatable, Sendable {
            /// The type, such as `Unit`.
            package var type: String
            /// The id of the entity.
            package var id: String
            /// The name of the entity, or the full name of a user.
            package var name: String
        }

        /// A role, a guest access, a session, or the assignment of a lock that would end.
        package struct Ended: Decodable, Equatable, Sendable {
            /// `UserRoleAssociation GuestAccess Session LockDevice`.
            package var type: String
            /// The id of the role, guest access, session or lock.
            package var id: String
        }

        /// The entities that would be removed.
        package var removed: [Removed]
        /// The rights and assignments that would end.
        package var ended: [Ended]
    }

    /// The start of a lockdown.
    package struct LockdownStart: Decodable, Sendable {
        /// The property, with its lockdown.
        package var property: Property
        /// One result for each device that was to be locked.
        package var results: [Result]

        /// The LOCK of one device. Neither `command` nor `decision` has a value if the command was not begun yet.
        package struct Result: Decodable, Sendable {
            /// The device.
            package var deviceId: String
            /// The command, in its state at the time of the response.
            package var command: Command?
            /// The decision, if the command was denied.
            package var decision: Decision?
        }
    }

    /// A command that has ended.
    package struct EndedCommand: Decodable, Sendable {
        /// The command, with the fields that are visible to the reader.
        package var command: Command
        /// The lock in its state after the command; only if it has confirmed the command.
        package var device: LockDevice?
    }
}
