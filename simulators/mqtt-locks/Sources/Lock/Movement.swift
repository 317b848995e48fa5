/// Position of the bolt and the latch.
enum Position: String, Hashable, Sendable, CaseIterable {
    case locked, unlocked, locking, unlocking, opening, jammed
    /// The latch is held, so that the door opens.
    case open
}

/// A movement that a lock can make.
enum Motion: String, Hashable, Sendable, CaseIterable {
    case lock, unlock
    /// Withdraws the latch for a moment.
    case open

    var endPosition: Position {
        switch self {
        case .lock: .locked
        case .unlock: .unlocked
        case .open: .open
        }
    }

    var transitionalPosition: Position {
        switch self {
        case .lock: .locking
        case .unlock: .unlocking
        case .open: .opening
        }
    }
}

/// The cause of a movement.
enum Cause: Hashable, Sendable {
    case remote, thumbTurn, automatic
    /// The code of a slot was typed, or its key presented.
    case keypad(slot: Int)
}

/// One movement of the bolt.
struct Movement: Hashable, Sendable {
    /// Sequence number: a newer movement replaces one in progress.
    let number: Int
    let motion: Motion
    let cause: Cause
    /// Whether the movement will jam before its end.
    let jams: Bool
    /// The payload of the command, for responses that repeat it.
    let request: [UInt8]
}

/// An event of a lock that its software may report.
enum LockEvent: Hashable, Sendable {
    /// The lock or its bridge has connected: the lock publishes its initial messages.
    case online
    /// The lock's bridge has lost the connection to the lock.
    case lost
    case moving(Movement)
    /// The bolt has arrived, according to its sensor.
    case moved(Movement)
    case jammed(Movement)
    /// The latch is released again.
    case released
    /// An invalid code was typed.
    case codeRefused(slot: Int)
    case door
    case battery
    /// A regular report is due.
    case report
    /// A timer of the dialect is due.
    case due(Int)
}
