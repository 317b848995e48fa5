extension Wire {
    /// A record of an access log.
    package struct AccessRecord: Decodable, Equatable, Sendable {
        /// The id of the record, the same in every response.
        package var id: String
        /// The time of the event. Within a log, this time never decreases.
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
        /// The id of the actor; `nil` for the gateway and for an outsider.
        package var actorId: String?
        /// The actor's name when the record was written; `nil` if the name was erased.
        package var actorName: String?
        /// The user who is responsible for the actor; `nil` if there is none.
        package var actorUserId: String?
        /// `API CONSOLE CLI GUEST_LINK DEVICE GATEWAY`.
        package var source: String?
        /// The client's network address; `nil` if no client was involved, or if the address was erased.
        package var clientAddress: String?
        /// The id of the request, as in its response.
        package var requestId: String?
        /// The id of the lock; `nil` if the record is not about a lock.
        package var deviceId: String?
        /// The name of the lock when the record was written; absent in a reduced view.
        package var deviceName: String?
        /// The unit of the device when the record was written.
        package var unitId: String?
        /// The property of the device when the record was written.
        package var propertyId: String?
        /// The portfolio of the device when the record was written.
        package var portfolioId: String?
        /// The command that the record is about. The intents and the outcome of a command have the same `commandId`.
        package var commandId: String?
        /// The final state of a command.
        package var outcome: String?
        /// The cause of the outcome, such as `jammed` or the reason of a denial.
        package var outcomeDetail: String?
        /// The state of the lock before the command, if it was known.
        package var stateBefore: String?
        /// The state of the lock after the command or event, if it was known.
        package var stateAfter: String?
        /// The time from dispatch to outcome, in milliseconds.
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
        /// The level at which the reader sees it: `PUBLIC RESIDENT OPERATIONS MANAGEMENT OWNER`.
        package var viewLevel: String?
    }

    /// `data` of a page of access records.
    package struct AccessRecordPage: Decodable, Sendable {
        /// The records in the requested order.
        package var accessRecords: [AccessRecord]
        /// The cursor of the next page; `nil` at the end.
        package var nextCursor: String?
    }

    /// `data` of `GET /access-records/:id`.
    package struct AccessRecordAnswer: Decodable, Sendable {
        /// The record, with the fields that the caller may see.
        package var accessRecord: AccessRecord
    }

    /// `data` of `GET /access-records/summary`.
    package struct RecordSummaryAnswer: Decodable, Sendable {
        /// The buckets in ascending order, without gaps.
        package var buckets: [Bucket]

        /// The records of an hour or a day.
        package struct Bucket: Decodable, Equatable, Sendable {
            /// The first instant.
            package var from: String
            /// The first instant after the bucket.
            package var until: String
            /// The number of records by outcome, reason or device id; absent if there is none.
            package var counts: [String: Int]
        }
    }
}
