extension Wire {
    /// A record of an access log.
    package struct AccessRecord: Decodable, Equatable, Sendable {
        /// The id of the record, the same in every response.
        package var id: String
        /// When it happened; within a log it never decreases.
        package var at: String
        /// `COMMAND_INTENT COMMAND_OUTCOME DENIAL DEVICE_EVENT ADMIN_CHANGE SESSION GATEWAY`.
        package var kind: String
        /// The log that contains the record; absent in a reduced view.
        package var logId: String?
        /// The record's number in its log, from 0; absent in a reduced view.
        package var seq: UInt64?
        /// The operation on the lock, such as `UNLOCK`; `nil` if the record is not about a command.
        package var operation: String?
        /// `ALLOWED` or `DENIED`.
        package var decision: String?
        /// The reason of a denial.
        package var reason: String?
        /// The rule that allowed the operation, or came nearest to allowing it.
        package var rule: Rule?
        /// The actor as residents see them: `you`, a first name, or `staff`.
        package var actor: String?
        /// `USER GUEST_LINK API_KEY DEVICE GATEWAY OUTSIDE`; absent in a reduced view.
        package var actorKind: String?
        /// The id of the actor; `nil` for an outsider, about whom nothing else is recorded.
        package var actorId: String?
        /// The actor's name at that time; `nil` once it was erased.
        package var actorName: String?
        /// The user who acted; `nil` for any other actor.
        package var actorUserId: String?
        /// `API CONSOLE CLI GUEST_LINK DEVICE GATEWAY`.
        package var source: String?
        /// The network address that the request came from; `nil` once it was erased.
        package var clientAddress: String?
        /// The id of the request, as in its response.
        package var requestId: String?
        /// The id of the lock; `nil` if the record is not about a lock.
        package var deviceId: String?
        /// The name of the lock at that time; absent in a reduced view.
        package var deviceName: String?
        /// The unit of the device at that time.
        package var unitId: String?
        /// The property of the device at that time.
        package var propertyId: String?
        /// The portfolio of the device at that time.
        package var portfolioId: String?
        /// The command that the record is about, the same in its intents and its outcome.
        package var commandId: String?
        /// The end state of a command.
        package var outcome: String?
        /// The cause of the outcome, such as `jammed` or the reason of a denial.
        package var outcomeDetail: String?
        /// The state of the lock before, if it was known.
        package var stateBefore: String?
        /// The state of the lock afterwards, if it was known.
        package var stateAfter: String?
        /// From the hand-over to the lock's transport until the outcome, in milliseconds.
        package var latencyMs: Int?
        /// The reason that the caller gave.
        package var statedReason: String?
        /// The override of a lockdown; `nil` if there was none.
        package var override: Override?
        /// The event, such as `JAMMED` or `SIGNED_IN`, in a record of a device event, a session or the gateway's lifecycle.
        package var event: String?
        /// The method of an operation at the door, such as `KEYPAD`.
        package var method: String?
        /// The kind of a change: `CREATE`, `GRANT` and others.
        package var action: String?
        /// The type of the changed object, such as `GuestAccess`.
        package var targetType: String?
        /// The id of the changed object.
        package var targetId: String?
        /// Further details, such as the values before and after a change.
        package var details: [String: Value]?
    }

    /// `data` of a page of access records.
    package struct AccessRecordPage: Decodable, Sendable {
        /// The records in the requested order.
        package var accessRecords: [AccessRecord]
        /// The cursor of the next page; `nil` at the end.
        package var nextCursor: String?
    }
}
