internal import DoorwardDomain

/// What goes into a turn, and what comes of it.
extension Line {
    /// What the socket was found ready for.
    struct Readiness {
        var toRead = false
        var toWrite = false
        /// Whether nothing more goes in either direction.
        var isOver = false
    }

    /// What to do before the next turn.
    enum Wait {
        case socket(Int32, toWrite: Bool, until: MonotonicInstant)
        case pause(until: MonotonicInstant)
        /// Make a handle of this version, which blocks, and `adopt` it.
        case make(MQTTVersion)
    }

    /// What has come of a turn.
    struct Turn {
        var events: [MQTTEvent] = []
        /// Messages that came and are lost, as they were too long or too many.
        var dropped = 0
        /// Whether an answer was read that counts when all that came before it has been handed on.
        var hasAnswer = false
    }
}
