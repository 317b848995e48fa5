/// Where the bolt and the latch are.
enum Position: String, Hashable, Sendable, CaseIterable {
    case locked, unlocked, locking, unlocking, opening, jammed
    /// The latch is held back, so that the door gives way.
    case open
}

/// What a lock can be made to do.
enum Motion: String, Hashable, Sendable, CaseIterable {
    case lock, unlock
    /// Draws the latch back for a moment.
    case open

    var end: Position {
        switch self {
        case .lock: .locked
        case .unlock: .unlocked
        case .open: .open
        }
    }

    var underWay: Position {
        switch self {
        case .lock: .locking
        case .unlock: .unlocking
        case .open: .opening
        }
    }
}

/// Who or what makes the bolt move.
enum Cause: Hashable, Sendable {
    case remote, thumbTurn, automatic
    /// Somebody has typed the code of a slot, or shown the key that stands there.
    case keypad(slot: Int)
}

/// One movement of the bolt.
struct Move: Hashable, Sendable {
    /// Movements of a lock are counted: a newer one takes the place of one under way.
    let number: Int
    let motion: Motion
    let cause: Cause
    /// It will not get to its end.
    let jams: Bool
    /// What it was asked with, where the answer repeats it.
    let request: [UInt8]
}

/// What happens to a lock that its software may speak of.
enum Happening: Hashable, Sendable {
    /// It, or its bridge, has connected: it says all that it says then.
    case online
    /// Its bridge has lost it.
    case lost
    case moving(Move)
    /// The bolt is there, as far as the lock knows.
    case moved(Move)
    case jammed(Move)
    /// The latch, drawn back before, is let go.
    case released
    /// Somebody has typed a code that opens nothing.
    case codeRefused(slot: Int)
    case door
    case battery
    /// The time of a regular report.
    case report
    /// A time that the dialect had asked for.
    case due(Int)
}
