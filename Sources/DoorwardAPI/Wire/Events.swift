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

extension Wire {
    /// A log that the caller may verify.
    package struct AuditedLog: Decodable, Equatable, Sendable {
        /// `gateway`, or a portfolio's id.
        package var id: String
        /// The portfolio; `nil` for the gateway's log.
        package var portfolioId: String?
        /// The name of the log in its checkpoints.
        package var origin: String
        /// The number of records.
        package var size: UInt64
        /// When the newest checkpoint was signed; `nil` before the first one.
        package var lastCheckpointAt: String?
        /// Whether records under the newest checkpoint have changed since; `nil` from a gateway that does not tell.
        package var isContradicted: Bool?
    }

    /// `data` of `GET /audit/logs`.
    package struct AuditedLogsAnswer: Decodable, Sendable {
        /// The logs in the order of their ids.
        package var logs: [AuditedLog]
    }

    /// The proof that a record is among the first `size` records of a log.
    package struct InclusionProof: Decodable, Equatable, Sendable {
        /// The id of the log.
        package var logId: String
        /// The number of the record.
        package var seq: UInt64
        /// The number of records under the root that the proof leads to.
        package var size: UInt64
        /// The leaf hash of the record, in base64.
        package var leafHash: String
        /// The hashes of the proof, in base64, the lowest first.
        package var hashes: [String]
    }

    /// `data` of `GET /audit/logs/:logId/proof/inclusion`.
    package struct InclusionProofAnswer: Decodable, Sendable {
        /// The proof.
        package var proof: InclusionProof
    }

    /// The proof that the first `from` records of a log are the beginning of the first `to` ones.
    package struct ConsistencyProof: Decodable, Equatable, Sendable {
        /// The id of the log.
        package var logId: String
        /// The number of records under the earlier root.
        package var from: UInt64
        /// The number of records under the later root.
        package var to: UInt64
        /// The hashes of the proof, in base64.
        package var hashes: [String]
    }

    /// `data` of `GET /audit/logs/:logId/proof/consistency`.
    package struct ConsistencyProofAnswer: Decodable, Sendable {
        /// The proof.
        package var proof: ConsistencyProof
    }

    /// `data` of `POST /audit/key-rotation`.
    package struct KeyRotationAnswer: Decodable, Sendable {
        /// The new public key, as C2SP signed-note writes it.
        package var publicKey: String
    }
}
