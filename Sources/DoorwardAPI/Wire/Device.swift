extension Wire {
    /// A lock.
    package struct Device: ListItem, Equatable, Sendable {
        /// The key of a list of these in a response.
        package static let listKey = "devices"

        /// The id, an opaque text. Gateways generate UUIDs in lower case.
        package var id: String
        /// The name, as entered by users. It may contain any character except control characters, and need not be unique.
        package var name: String
        /// The kind of adapter, such as `simulator`.
        package var adapter: String?
        /// The address by which the adapter reaches the lock.
        package var address: [String: Value]?
        /// The manufacturer; `nil` if it is unknown.
        package var manufacturer: String?
        /// The manufacturer's model name; `nil` if it is unknown.
        package var model: String?
        /// The firmware version; `nil` if it is unknown.
        package var firmwareVersion: String?
        /// The portfolio; `nil` for an unassigned lock.
        package var portfolioId: String?
        /// The property; `nil` for an unassigned lock.
        package var propertyId: String?
        /// The name of the property. It is also visible to readers who may not see `propertyId`.
        package var propertyName: String?
        /// The unit; `nil` for a lock that is attached to no unit.
        package var unitId: String?
        /// The name of the unit; `nil` for a lock that is attached to no unit, such as the lock of a front door.
        package var unitName: String?
        /// Whether the lock may be operated through the gateway.
        package var isRemoteOperationEnabled: Bool?
        /// Whether the lock is online; `nil` if this is unknown.
        package var isOnline: Bool?
        /// When the lock last reported; `nil` if it never did.
        package var lastSeen: String?
        /// `LOCKED UNLOCKED LOCKING UNLOCKING UNLATCHED JAMMED UNKNOWN`; only `LOCKED` is secure.
        package var state: String?
        /// The quality of the state: `CONFIRMED RETAINED ASSUMED STALE`.
        package var stateQuality: String?
        /// When the lock reported `state`; `nil` if it never has.
        package var stateAt: String?
        /// `OPEN CLOSED UNKNOWN`.
        package var doorState: String?
        /// The charge in percent.
        package var batteryLevel: Int?
        /// Whether the lock reports a low battery; `nil` if it does not report this.
        package var batteryLow: Bool?
        /// The lock's faults, as codes such as `jammed`; empty if there are none.
        package var faults: [String]?
        /// The capabilities of the lock, such as `UNLATCH`.
        package var capabilities: [String]?
        /// The settings of the lock.
        package var settings: Settings?
        /// Data that users store with the lock.
        package var metadata: [String: Value]?
        /// When the lock was attached.
        package var createdAt: String?
        /// When a user last changed the lock. Reports of the lock do not change this time.
        package var updatedAt: String?
        /// The level at which the reader sees it: `PUBLIC RESIDENT OPERATIONS MANAGEMENT OWNER`.
        package var viewLevel: String?

        /// The settings of a lock.
        package struct Settings: Decodable, Equatable, Sendable {
            /// Seconds from an unlock until the lock locks itself; `nil` if it does not lock itself, or if the time is unknown.
            package var autoRelockSeconds: Int?
            /// Whether the gateway stores a code that is sent with commands.
            package var hasCode: Bool
        }
    }

    /// `data` of a response about one lock.
    package struct DeviceAnswer: Decodable, Sendable {
        /// The lock, with the fields that are visible to the reader.
        package var device: Device
        /// The command that has changed the settings in the lock; `nil` if nothing was sent to the lock.
        package var command: Command?
    }
}

extension Wire {
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
            package var minimum: Value?
            /// The maximum of a number.
            package var maximum: Value?
            /// The allowed values, if only certain values are allowed.
            package var values: [String]?
            /// The default value if the field is absent.
            package var `default`: Value?
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

    /// `data` of `GET /adapters`.
    package struct AdaptersAnswer: Decodable, Sendable {
        /// The adapters in the order of their kinds.
        package var adapters: [Adapter]
    }
}
