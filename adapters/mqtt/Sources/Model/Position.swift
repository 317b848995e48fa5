package import DoorwardDomain

/// Where a bolt is, in the words that profiles map to.
package enum Position: String, CaseIterable, Sendable {
    /// As `LockState` has them.
    case locked, unlocked, locking, unlocking, jammed, unknown
    /// Bolt and latch are in: the door can be pushed open.
    case open
    /// The latch is being drawn.
    case opening

    /// The same in the gateway's words.
    package var lockState: LockState {
        switch self {
        case .locked: .locked
        case .unlocked: .unlocked
        case .open: .unlatched
        case .locking: .locking
        case .unlocking, .opening: .unlocking
        case .jammed: .jammed
        case .unknown: .unknown
        }
    }
}

/// What a door's contact says.
package enum DoorPosition: String, CaseIterable, Sendable {
    /// `unknown` also where the contact is switched off.
    case open, closed, unknown
    /// The contact itself is broken or tampered with.
    case fault
}

/// Whether a lock can be reached.
package enum Availability: String, CaseIterable, Sendable {
    /// `unknown` until everything that tells of it was heard.
    case online, offline, unknown
}
