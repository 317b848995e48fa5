extension Wire {
    /// One entry of an access log.
    package struct AccessRecord: Decodable, Equatable, Sendable {
        /// The id of the record, the same in every answer.
        package var id: String
        /// When it happened; within a log it never goes back.
        package var at: String
        /// `COMMAND_INTENT COMMAND_OUTCOME DENIAL DEVICE_EVENT ADMIN_CHANGE SESSION GATEWAY`.
        package var kind: String
        /// The log that it stands in and its place there; of a reduced view both are absent.
        package var logId: String?
        /// Its place in its log, from 0; absent of a reduced view.
        package var seq: UInt64?
        /// What was to be done to the lock, such as `UNLOCK`; `nil` of what is no command.
        package var operation: String?
        /// `ALLOWED` or `DENIED`.
        package var decision: String?
        /// Why it was denied.
        package var reason: String?
        /// The rule that allowed it, or came nearest to that.
        package var rule: Rule?
        /// Who did it, in the words for residents: `you`, a first name, or `staff`.
        package var actor: String?
        /// `USER GUEST_LINK API_KEY DEVICE GATEWAY OUTSIDE`; absent of a reduced view.
        package var actorKind: String?
        /// `nil` of an outsider, of whom nothing else is said.
        package var actorId: String?
        /// The name at that time; `nil` once it was erased.
        package var actorName: String?
        /// The user who acted; `nil` of everybody else.
        package var actorUserId: String?
        /// `API CONSOLE CLI GUEST_LINK DEVICE GATEWAY`.
        package var source: String?
        /// The network address that the request came from; `nil` once it was erased.
        package var clientAddress: String?
        /// The id of the request, as its answer bears it.
        package var requestId: String?
        /// `nil` of what is about no lock.
        package var deviceId: String?
        /// The name of the lock at that time; absent of a reduced view.
        package var deviceName: String?
        /// Where it happened, as that was then.
        package var unitId: String?
        /// Where it happened, as that was then.
        package var propertyId: String?
        /// Where it happened, as that was then.
        package var portfolioId: String?
        /// The command that it is about, the same in intents and outcome.
        package var commandId: String?
        /// The end state of a command.
        package var outcome: String?
        /// Why it ended so, such as `jammed` or a reason of a denial.
        package var outcomeDetail: String?
        /// The state that the lock was in before, as far as it was known.
        package var stateBefore: String?
        /// The state that the lock was in afterwards, as far as it was known.
        package var stateAfter: String?
        /// From the hand-over to the lock's transport until the outcome, in milliseconds.
        package var latencyMs: Int?
        /// What the caller gave as the reason.
        package var statedReason: String?
        /// `nil` where no lockdown was to be broken.
        package var override: Override?
        /// What happened by itself, such as `JAMMED` or `SIGNED_IN`.
        package var event: String?
        /// How somebody at the door did it, such as `KEYPAD`.
        package var method: String?
        /// What was changed: `CREATE`, `GRANT` and others, with the kind and id of its target.
        package var action: String?
        /// What kind of thing was changed, such as `GuestAccess`.
        package var targetType: String?
        /// Which one was changed.
        package var targetId: String?
        /// What else there is to say, such as what was changed from what to what.
        package var details: [String: Value]?
    }

    /// `data` of a stretch of a log.
    package struct AccessRecordPage: Decodable, Sendable {
        /// In the order that was asked for.
        package var accessRecords: [AccessRecord]
        /// Where the next stretch begins; `nil` at the end.
        package var nextCursor: String?
    }
}
