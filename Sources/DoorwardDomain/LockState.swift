/// Where the bolt is. Only `locked` is secure.
package enum LockState: String, CaseIterable, Codable, Sendable {
    /// The bolt is fully out.
    case locked = "LOCKED"
    /// The bolt is in, and the latch holds the door.
    case unlocked = "UNLOCKED"
    /// The bolt is on its way out.
    case locking = "LOCKING"
    /// The bolt is on its way in.
    case unlocking = "UNLOCKING"
    /// Bolt and latch are in: the door can be pushed open.
    case unlatched = "UNLATCHED"
    /// The bolt stuck on its way.
    case jammed = "JAMMED"
    /// Whatever the lock said could not be understood, or it has said nothing.
    case unknown = "UNKNOWN"

    /// Whether a lock in this state has done what `operation` asks.
    package func satisfies(_ operation: LockOperation) -> Bool {
        switch operation {
        case .lock: self == .locked
        case .unlock: self == .unlocked || self == .unlatched
        case .unlatch: self == .unlatched
        case .viewStatus, .changeSettings, .viewAccessHistory, .grantAccess, .lockdown: false
        }
    }
}

/// How far a reported state can be trusted.
package enum StateQuality: String, Codable, Sendable {
    /// A live report of the lock.
    case confirmed = "CONFIRMED"
    /// The transport kept it from before; the lock may have moved since.
    case retained = "RETAINED"
    /// Derived from what was sent, not from what the lock said.
    case assumed = "ASSUMED"
    /// The lock has not been heard of for too long, or never.
    case stale = "STALE"
}

/// Whether the door leaf stands open, where the lock has a contact that says.
package enum DoorState: String, Codable, Sendable {
    /// The leaf is away from its frame, wherever the bolt is.
    case open = "OPEN"
    /// The leaf is in its frame; whether it is locked is the bolt's matter.
    case closed = "CLOSED"
    /// No contact, a broken one, or nothing heard of it yet.
    case unknown = "UNKNOWN"
}

/// What a lock can do: one immutable value, told by its adapter when it is attached.
package struct LockCapabilities: OptionSet, Hashable, Sendable {
    /// A bit for each capability; it also stands in the database, so no bit ever changes its meaning.
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// It can be told to throw the bolt.
    package static let lock = Self(rawValue: 1 << 0)
    /// It can be told to draw the bolt back.
    package static let unlock = Self(rawValue: 1 << 1)
    /// It can pull the latch.
    package static let unlatch = Self(rawValue: 1 << 2)
    /// It reports `locking` and `unlocking` on the way.
    package static let intermediateStates = Self(rawValue: 1 << 3)
    /// It notices a jam and says so.
    package static let jam = Self(rawValue: 1 << 4)
    /// It has a contact that tells whether the door stands open.
    package static let door = Self(rawValue: 1 << 5)
    /// It tells the level of its battery.
    package static let battery = Self(rawValue: 1 << 6)
    /// It tells by what means, or by whose code, it was moved.
    package static let `operator` = Self(rawValue: 1 << 7)
    /// It reports wrong codes, cards or fingers.
    package static let failedAttempts = Self(rawValue: 1 << 8)
    /// It can be asked for its state.
    package static let refresh = Self(rawValue: 1 << 9)
    /// Its `LockSettings` can be changed through the gateway.
    package static let settings = Self(rawValue: 1 << 10)
    /// It takes a code along with a command.
    package static let acceptsCode = Self(rawValue: 1 << 11)

    /// Every capability with its name on the wire, in the order of the domain's list.
    package static let named: [(name: String, capability: LockCapabilities)] = [
        ("LOCK", .lock), ("UNLOCK", .unlock), ("UNLATCH", .unlatch), ("INTERMEDIATE_STATES", .intermediateStates), ("JAM", .jam),
        ("DOOR", .door), ("BATTERY", .battery), ("OPERATOR", .operator), ("FAILED_ATTEMPTS", .failedAttempts),
        ("REFRESH", .refresh), ("SETTINGS", .settings), ("ACCEPTS_CODE", .acceptsCode),
    ]

    /// Each capability in `named`.
    package static let all = Self(rawValue: (1 << 12) - 1)

    /// The names on the wire, in the order of the domain's list.
    package var names: [String] { Self.named.filter { contains($0.capability) }.map(\.name) }

    /// `nil` if a name is not one of the list.
    package init?(names: [String]) {
        self = []
        for name in names {
            guard let capability = Self.named.first(where: { $0.name == name })?.capability else { return nil }
            insert(capability)
        }
    }
}
