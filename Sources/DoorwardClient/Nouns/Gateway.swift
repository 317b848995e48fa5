extension Doorward {
    /// A kind of lock that the gateway can control.
    package struct Adapter: Decodable, Equatable, Sendable {
        /// The value of `adapter` in `POST /devices`.
        package var kind: String
        /// `ok`, `degraded` or `down`.
        package var health: String
        /// The reason why the health is not `ok`, as a sentence.
        package var problem: String?
        /// The number of the adapter's locks in all portfolios.
        package var deviceCount: Int
        /// The number of the adapter's locks that are online.
        package var onlineCount: Int
        /// The fields of an address for this adapter.
        package var address: [AddressField]
        /// The configured transports; empty for an adapter without transports.
        package var transports: [Transport]

        /// A field of an address.
        package struct AddressField: Decodable, Equatable, Sendable {
            /// The name of the field. A dot separates a member from its object.
            package var field: String
            /// The type of the value: a JSON type, or `integer`.
            package var type: String
            /// Whether the field is required in an address.
            package var required: Bool
            /// The minimum of a number.
            package var minimum: JSONValue?
            /// The maximum of a number.
            package var maximum: JSONValue?
            /// The allowed values, if only certain values are allowed.
            package var values: [String]?
            /// The default value if the field is absent.
            package var `default`: JSONValue?
            /// The description, one sentence.
            package var meaning: String
        }

        /// A broker or a bridge.
        package struct Transport: Decodable, Equatable, Sendable {
            /// The name in the configuration.
            package var name: String
            /// The health of the transport, with the values of `Adapter.health`.
            package var health: String
            /// The problem of the transport, as a sentence; `nil` if no problem is known.
            package var problem: String?
            /// The portfolio that owns the transport; `nil` if no portfolio owns it.
            package var portfolioId: String?
        }
    }

    /// A lock that an adapter has discovered and that is not attached.
    package struct DiscoveredDevice: NamedNoun, Equatable, Sendable {
        /// The field of a response that contains a list of these objects.
        package static let listKey = "discoveredDevices"
        /// The field of a response that contains one of these objects.
        package static let objectKey = "discoveredDevice"

        /// The adapter's id of the lock, which does not change while the lock is discovered.
        package var id: String
        /// The lock's name in the system that it belongs to; `nil` if that system provides none.
        package var name: String?
        /// The manufacturer, if that system provides it.
        package var manufacturer: String?
        /// The manufacturer's model name, if that system provides it.
        package var model: String?
        /// The kind of the adapter that has discovered the lock.
        package var adapter: String
        /// The address for attaching the lock, in the form of `POST /devices`.
        package var address: [String: JSONValue]
        /// The capabilities of the lock, such as `UNLATCH`; `nil` if they are not known before it is attached.
        package var capabilities: [String]?
        /// The reason why the lock cannot be attached with this address, as a sentence; `nil` if it can be attached.
        package var problem: String?
        /// When the gateway first received a message about the lock since its start.
        package var firstSeenAt: Instant
        /// When the gateway last received a message about the lock.
        package var lastSeenAt: Instant
    }

    /// The state of the gateway's clock.
    package struct ClockState: Decodable, Equatable, Sendable {
        /// Whether the clock is trusted; if not, guest accesses are denied.
        package var isTrusted: Bool
        /// `below_mark`, `stepped_forward` or `agreeing`; `nil` for a trusted clock.
        package var reason: String?
        /// The time that the clock shows.
        package var at: Instant
        /// The latest time that the trusted clock has shown.
        package var mark: Instant
        /// Whether the operating system reports that its clock is synchronised.
        package var isSynchronised: Bool
        /// The largest step that leaves the clock trusted.
        package var maxStepSeconds: Int
        /// The last step since the start of the gateway.
        package var lastStep: Step?

        /// A step of the clock.
        package struct Step: Decodable, Equatable, Sendable {
            /// The time that the clock would have shown without the step.
            package var before: Instant
            /// The time that it showed after the step.
            package var after: Instant
            /// The size in milliseconds; negative for a step back.
            package var stepMs: Int
        }
    }

    /// A backup of a gateway's database.
    package struct Backup: Decodable, Equatable, Sendable {
        /// The absolute path on the gateway's host.
        package var file: String
        /// The size of the file in bytes.
        package var bytes: Int
        /// The instant of the backup. The backup contains every change that was acknowledged before this instant.
        package var at: Instant
        /// Each log with the number of its records in the backup.
        package var logs: [LogSize]

        /// The size of one log in the backup.
        package struct LogSize: Decodable, Equatable, Sendable {
            /// `gateway`, or a portfolio's id.
            package var id: String
            /// The number of records.
            package var size: UInt64
        }
    }

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
        package var lastCheckpointAt: Instant?
        /// Whether records under the newest checkpoint have changed since; `nil` from a gateway that does not tell.
        package var isContradicted: Bool?
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
}
