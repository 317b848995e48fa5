package import DoorwardDomain

/// Position of a bolt, in the names that profiles use.
package enum BoltState: String, CaseIterable, Sendable {
    /// The same positions as in `LockState`.
    case locked, unlocked, locking, unlocking, jammed, unknown
    /// Bolt and latch are withdrawn: the door can be pushed open.
    case open
    /// The latch is being withdrawn.
    case opening

    /// The corresponding `LockState`.
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

/// State of a door contact.
package enum DoorPosition: String, CaseIterable, Sendable {
    /// `unknown` also where the contact is disabled.
    case open, closed, unknown
    /// The contact is broken or tampered with.
    case fault
}

/// Whether a lock is reachable.
package enum Availability: String, CaseIterable, Sendable {
    /// `unknown` until every required availability topic has been received.
    case online, offline, unknown
}
