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
        switch operation {
        case .lock: self == .locked
        case .unlock: self == .unlocked || self == .unlatched
        case .unlatch: self == .unlatched
        case .viewStatus, .changeSettings, .viewAccessHistory, .grantAccess, .lockdown: false
        }
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
        self = []
        for name in names {
            guard let capability = Self.named.first(where: { $0.name == name })?.capability else { return nil }
            insert(capability)
        }
    }
}
