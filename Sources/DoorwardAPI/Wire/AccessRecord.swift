extension Wire {
    /// One entry of an access log.
    package struct AccessRecord: Decodable, Equatable, Sendable {
        package var id: String
        package var at: String
        /// `COMMAND_INTENT COMMAND_OUTCOME DENIAL DEVICE_EVENT ADMIN_CHANGE SESSION GATEWAY`.
        package var kind: String
        /// The log that it stands in and its place there; of a reduced view both are absent.
        package var logId: String?
        package var seq: UInt64?
        package var operation: String?
        /// `ALLOWED` or `DENIED`.
        package var decision: String?
        /// Why it was denied.
        package var reason: String?
        package var rule: Rule?
        /// Who did it, in the words for residents: `you`, a first name, or `staff`.
        package var actor: String?
        package var actorKind: String?
        package var actorId: String?
        package var actorName: String?
        package var source: String?
        package var deviceId: String?
        package var deviceName: String?
        package var commandId: String?
        /// The end state of a command.
        package var outcome: String?
        package var outcomeDetail: String?
        package var stateBefore: String?
        package var stateAfter: String?
        /// What the caller gave as the reason.
        package var statedReason: String?
        /// What happened by itself, such as `JAMMED` or `SIGNED_IN`.
        package var event: String?
        /// How somebody at the door did it, such as `KEYPAD`.
        package var method: String?
        /// What was changed: `CREATE`, `GRANT` and others, with the kind and id of its target.
        package var action: String?
        package var targetType: String?
        package var targetId: String?
    }

    /// `data` of a stretch of a log.
    package struct AccessRecordPage: Decodable, Sendable {
        package var accessRecords: [AccessRecord]
        /// Where the next stretch begins; `nil` at the end.
        package var nextCursor: String?
    }
}
