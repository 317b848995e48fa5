/// A lock as configured in the gateway, with its position in the hierarchy and its address. The
/// state that the lock reports is in its `DeviceStatus`.
public struct LockDevice: Hashable, Sendable {
    /// The id, assigned when the lock is attached. A lock that is moved keeps its id; a lock that
    /// is deleted and attached again gets a new id.
    package let id: DeviceID
    /// The display name; not unique.
    package var name: String
    /// The kind of adapter that communicates with the lock: `simulator` or `mqtt`.
    package var adapter: String
    /// The adapter-specific address of the lock, validated by the adapter.
    package var address: [String: JSONValue]
    /// The optional texts that users have entered about the lock.
    package var texts: [DeviceText: String]
    /// The firmware version that was stored with the lock; `nil` if none was. What the lock reports is in its status.
    package var firmwareVersion: String?
    /// The portfolio; `nil` while the device is unassigned. `propertyID` and `unitID` are then `nil` too.
    package var portfolioID: PortfolioID?
    /// The property; `nil` while the device is unassigned. Only super admins can then see the device.
    package var propertyID: PropertyID?
    /// The unit; `nil` for a device of the property itself, which can be a common area of units.
    package var unitID: UnitID?
    /// Whether the lock can be moved through the gateway. If false, every command for the lock is denied.
    package var isRemoteOperationEnabled: Bool
    /// The capabilities that the adapter reports; an operation whose capability is missing is denied.
    package var capabilities: LockCapabilities
    /// The settings of the lock, as it last confirmed them.
    package var settings: LockSettings
    /// The code sent with every command, encrypted for this device; `nil` if none is stored.
    package var sealedCode: [UInt8]?
    /// Data that users store with the lock; the gateway does not interpret it.
    package var metadata: [String: JSONValue]
    /// When the lock was attached.
    package let createdAt: Timestamp
    /// When a user last changed the device. Reports of the lock do not change this time.
    package var updatedAt: Timestamp

    package init(
        id: DeviceID, name: String, adapter: String, address: [String: JSONValue] = [:], texts: [DeviceText: String] = [:],
        firmwareVersion: String? = nil, portfolioID: PortfolioID? = nil, propertyID: PropertyID? = nil, unitID: UnitID? = nil,
        isRemoteOperationEnabled: Bool = true, capabilities: LockCapabilities, settings: LockSettings = LockSettings(),
        sealedCode: [UInt8]? = nil, metadata: [String: JSONValue] = [:], createdAt: Timestamp, updatedAt: Timestamp
    ) {
        (self.id, self.name, self.adapter, self.address) = (id, name, adapter, address)
        (self.texts, self.firmwareVersion) = (texts, firmwareVersion)
        (self.portfolioID, self.propertyID, self.unitID) = (portfolioID, propertyID, unitID)
        (self.isRemoteOperationEnabled, self.capabilities, self.settings) = (isRemoteOperationEnabled, capabilities, settings)
        (self.sealedCode, self.metadata) = (sealedCode, metadata)
        (self.createdAt, self.updatedAt) = (createdAt, updatedAt)
    }
}

/// An optional text that users enter about a lock. Requests, changes, the directory and the rows of the database follow this list, so
/// that a further text is a case here, a line of its field table, and a column.
package enum DeviceText: String, CaseIterable, Sendable {
    /// The manufacturer.
    case manufacturer
    /// The manufacturer's model name.
    case model
    /// What managers note about the lock, such as where its key box is.
    case notes

    /// Maximum number of characters (code points) in a request.
    package var maxCharacters: Int { self == .notes ? 256 : 200 }
}

/// Settings of the lock itself.
public struct LockSettings: Hashable, Codable, Sendable {
    /// Seconds from an unlock until the lock locks itself; 0 if it does not lock itself, `nil` if the time is not known.
    public var autoRelockSeconds: Int?

    public init(autoRelockSeconds: Int? = nil) { self.autoRelockSeconds = autoRelockSeconds }
}

/// The currently known state of a lock.
package struct DeviceStatus: Hashable, Sendable {
    /// The bolt state, only as reliable as `stateQuality`.
    package var state = LockState.unknown
    /// The quality of `state`. The state is current only if its quality is `confirmed`.
    package var stateQuality = StateQuality.stale
    /// When the lock reported `state`; `nil` if it never has.
    package var stateAt: Timestamp?
    /// The state of the door contact, independent of the bolt: a door can be open with the bolt extended.
    package var doorState = DoorState.unknown
    /// The battery level, 0 to 100.
    package var batteryLevel: Int?
    /// Whether the lock reports a low battery; `nil` if it does not report this.
    package var batteryLow: Bool?
    /// Whether the lock is reachable; `nil` if unknown.
    package var isOnline: Bool?
    /// When the last message of the lock was received; `nil` if no message was received yet.
    package var lastSeen: Timestamp?
    /// The reported faults as codes in camel case, such as `jammed` or `notFullyLocked`.
    package var faults: [String] = []
    /// The manufacturer, model and firmware that the lock or its bridge reports; each is `nil` if it is not reported.
    package var product = LockProduct()

    /// The status of a lock that has reported nothing.
    package init() {}
}

/// The manufacturer, model and firmware version of a lock. Each part is `nil` if it is not known.
public struct LockProduct: Hashable, Sendable {
    /// The name of the manufacturer.
    public var manufacturer: String?
    /// The manufacturer's name of the model.
    public var model: String?
    /// The version of the firmware.
    public var firmwareVersion: String?

    /// Creates the description of a lock.
    public init(manufacturer: String? = nil, model: String? = nil, firmwareVersion: String? = nil) {
        (self.manufacturer, self.model, self.firmwareVersion) = (manufacturer, model, firmwareVersion)
    }

    /// Returns the same description with each part limited to one line of 120 characters, as the texts come from outside.
    package var bounded: LockProduct {
        func line(_ text: String?) -> String? { text?.singleLine(maxLength: 120) }
        return LockProduct(manufacturer: line(manufacturer), model: line(model), firmwareVersion: line(firmwareVersion))
    }
}

/// The bolt state of a lock. Only `locked` is secure.
public enum LockState: String, CaseIterable, Codable, Sendable {
    /// The bolt is fully extended.
    case locked = "LOCKED"
    /// The bolt is retracted, and the latch holds the door.
    case unlocked = "UNLOCKED"
    /// The bolt is being extended.
    case locking = "LOCKING"
    /// The bolt is being retracted.
    case unlocking = "UNLOCKING"
    /// The bolt and the latch are retracted: the door can be pushed open.
    case unlatched = "UNLATCHED"
    /// The bolt is stuck between its end positions.
    case jammed = "JAMMED"
    /// The lock has reported no state, or a state that could not be interpreted.
    case unknown = "UNKNOWN"

    /// Whether this state fulfils `operation`.
    package func satisfies(_ operation: LockOperation) -> Bool {
        self == operation.restingState || operation == .unlock && self == .unlatched
    }
}

/// The quality of a reported state: how reliable it is.
public enum StateQuality: String, CaseIterable, Codable, Sendable {
    /// A live report from the lock.
    case confirmed = "CONFIRMED"
    /// An old report that the transport retained; the lock may have moved since.
    case retained = "RETAINED"
    /// Derived from the command that was sent, not from a report of the lock.
    case assumed = "ASSUMED"
    /// The state is out of date: the lock has not reported it yet, the connection was lost, or a
    /// later event or command contradicts it.
    case stale = "STALE"
}

/// Whether the door leaf is open, if the lock has a door contact.
public enum DoorState: String, CaseIterable, Codable, Sendable {
    /// The leaf is open, in any bolt state.
    case open = "OPEN"
    /// The leaf is closed. The bolt need not be extended.
    case closed = "CLOSED"
    /// The lock has no door contact, or the contact is broken or has not reported yet.
    case unknown = "UNKNOWN"
}

/// The capabilities of a lock: a set that the adapter determines when the lock is attached.
public struct LockCapabilities: OptionSet, Hashable, Sendable {
    /// One bit for each capability. The database contains these bits, so a bit MUST never change its meaning.
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The lock can be commanded to extend the bolt.
    public static let lock = Self(rawValue: 1 << 0)
    /// The lock can be commanded to retract the bolt.
    public static let unlock = Self(rawValue: 1 << 1)
    /// The lock can be commanded to retract the latch.
    public static let unlatch = Self(rawValue: 1 << 2)
    /// The lock reports `locking` and `unlocking` during a movement.
    public static let intermediateStates = Self(rawValue: 1 << 3)
    /// The lock detects and reports a jam.
    public static let jam = Self(rawValue: 1 << 4)
    /// The lock has a contact that reports whether the door is open.
    public static let door = Self(rawValue: 1 << 5)
    /// The lock reports its battery level.
    public static let battery = Self(rawValue: 1 << 6)
    /// The lock reports how it was operated, or whose code was used.
    public static let `operator` = Self(rawValue: 1 << 7)
    /// The lock reports wrong codes, cards or fingerprints.
    public static let failedAttempts = Self(rawValue: 1 << 8)
    /// The lock's state can be requested.
    public static let refresh = Self(rawValue: 1 << 9)
    /// The lock's `LockSettings` can be changed through the gateway.
    public static let settings = Self(rawValue: 1 << 10)
    /// The lock accepts a code with a command.
    public static let acceptsCode = Self(rawValue: 1 << 11)

    /// Every capability with its API name, in the order in which the API lists them.
    public static let named: [(name: String, capability: LockCapabilities)] = [
        ("LOCK", .lock), ("UNLOCK", .unlock), ("UNLATCH", .unlatch), ("INTERMEDIATE_STATES", .intermediateStates), ("JAM", .jam),
        ("DOOR", .door), ("BATTERY", .battery), ("OPERATOR", .operator), ("FAILED_ATTEMPTS", .failedAttempts),
        ("REFRESH", .refresh), ("SETTINGS", .settings), ("ACCEPTS_CODE", .acceptsCode),
    ]

    /// All capabilities in `named`.
    public static let all = Self(rawValue: (1 << 12) - 1)

    /// The API names, in the order of `named`.
    public var names: [String] { Self.named.filter { contains($0.capability) }.map(\.name) }

    /// Creates a set from API names; `nil` if a name is unknown.
    public init?(names: [String]) {
        let found = names.compactMap { name in Self.named.first { $0.name == name }?.capability }
        guard found.count == names.count else { return nil }
        self.init(found)
    }
}

/// An operation on a lock for which a right can be granted. Raw values are those of the API.
public enum LockOperation: String, CaseIterable, Codable, Sendable {
    /// Extends the bolt.
    case lock = "LOCK"
    /// Retracts the bolt; the latch still holds the door.
    case unlock = "UNLOCK"
    /// Retracts the latch as well, so that the door can be pushed open.
    case unlatch = "UNLATCH"
    /// Reads state, door and battery.
    case viewStatus = "VIEW_STATUS"
    /// Changes the settings of the lock itself.
    case changeSettings = "CHANGE_SETTINGS"
    /// Reads the access records of the lock.
    case viewAccessHistory = "VIEW_ACCESS_HISTORY"
    /// Grants guests access to the lock.
    case grantAccess = "GRANT_ACCESS"
    /// Starts and lifts the lockdown of the lock's property.
    case lockdown = "LOCKDOWN"

    /// The operations that move the lock.
    public static let movements = allCases.filter(\.isMovement)

    /// The operations of commands: the movements, and the change of the settings.
    package static let ofCommands = movements + [.changeSettings]

    /// Whether the operation moves the bolt or the latch.
    public var isMovement: Bool { restingState != nil }

    /// The state of a lock after the movement; `nil` if the operation moves nothing.
    package var restingState: LockState? {
        switch self {
        case .lock: .locked
        case .unlock: .unlocked
        case .unlatch: .unlatched
        case .viewStatus, .changeSettings, .viewAccessHistory, .grantAccess, .lockdown: nil
        }
    }

    /// Whether it retracts the bolt or the latch, which a lockdown forbids.
    package var isOpening: Bool { self == .unlock || self == .unlatch }

    /// The capability that a device must have for this operation; `nil` if none.
    public var requiredCapability: LockCapabilities? {
        switch self {
        case .lock: .lock
        case .unlock: .unlock
        case .unlatch: .unlatch
        case .viewStatus, .changeSettings, .viewAccessHistory, .grantAccess, .lockdown: nil
        }
    }
}
