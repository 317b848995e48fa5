extension Doorward {
    /// A lock, with its last known status.
    public struct LockDevice: ListedNoun {
        /// The type in the stream.
        public static let streamType = StreamType.device
        /// The key of a list in a response.
        public static let listKey = "devices"

        /// The id, an opaque text.
        public var id: String
        /// The name, as entered by users; it need not be unique.
        public var name: String
        /// The kind of adapter, such as `mqtt`.
        public var adapter: String?
        /// The address by which the adapter reaches the lock.
        public var address: [String: JSONValue]?
        /// The manufacturer.
        public var manufacturer: String?
        /// The manufacturer's model name.
        public var model: String?
        /// What managers note about the lock.
        public var notes: String?
        /// The firmware version.
        public var firmwareVersion: String?
        /// The portfolio; `nil` for an unassigned lock.
        public var portfolioId: String?
        /// The property; `nil` for an unassigned lock.
        public var propertyId: String?
        /// The name of the property; also visible to readers who may not see `propertyId`.
        public var propertyName: String?
        /// The unit; `nil` for a lock that is attached to no unit.
        public var unitId: String?
        /// The name of the unit.
        public var unitName: String?
        /// Whether the lock may be operated through the gateway.
        public var isRemoteOperationEnabled: Bool?
        /// Whether the lock is online; `nil` if this is unknown.
        public var isOnline: Bool?
        /// When the lock last reported.
        public var lastSeen: Instant?
        /// The state of the bolt.
        public var state: LockState?
        /// How the gateway knows `state`.
        public var stateQuality: StateQuality?
        /// When the lock reported `state`.
        public var stateAt: Instant?
        /// The state of the door contact.
        public var doorState: DoorState?
        /// The charge in percent.
        public var batteryLevel: Int?
        /// Whether the lock reports a low battery.
        public var batteryLow: Bool?
        /// The lock's faults, as codes such as `jammed`.
        public var faults: [String]?
        /// The capabilities of the lock, such as `UNLATCH`.
        public var capabilities: [String]?
        /// The settings of the lock.
        public var settings: Settings?
        /// Data that users store with the lock.
        public var metadata: [String: JSONValue]?
        /// When the lock was attached.
        public var createdAt: Instant?
        /// When a user last changed the lock.
        public var updatedAt: Instant?
        /// The level at which the reader sees the lock.
        public var viewLevel: ViewLevel?

        /// Creates a lock with an id and a name, for tests and previews; all other members are `nil`.
        public init(id: String, name: String) { (self.id, self.name) = (id, name) }

        /// The settings of a lock.
        public struct Settings: Codable, Hashable, Sendable {
            /// Seconds from an unlock until the lock locks itself; `nil` if it does not, or if the time is unknown.
            public var autoRelockSeconds: Int?
            /// Whether the gateway stores a code that is sent with commands.
            public var hasCode: Bool

            public init(autoRelockSeconds: Int? = nil, hasCode: Bool = false) {
                (self.autoRelockSeconds, self.hasCode) = (autoRelockSeconds, hasCode)
            }
        }

        /// Whether the door is known to be secure: the lock itself reported `locked`, recently enough to be relied on.
        public var isSecure: Bool { state == .locked && stateQuality == .confirmed }
    }
}

extension Doorward.LockDevice: LeveledNoun {
    public static let levels: [(Doorward.ViewLevel, String)] = [
        (.publicLevel, "id name state stateQuality stateAt doorState isOnline capabilities propertyName unitName"),
        (.resident, "batteryLevel batteryLow portfolioId propertyId unitId settings createdAt updatedAt"),
        (.operations, "manufacturer model firmwareVersion lastSeen faults adapter"),
        (.management, "address metadata isRemoteOperationEnabled notes"),
    ]
}
