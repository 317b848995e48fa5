internal import DoorwardDomain

/// Input and result of `turn`.
extension ConnectionStateMachine {
    /// What `poll` reported for the socket.
    struct Readiness {
        var toRead = false
        var toWrite = false
        /// Whether the connection has been closed in both directions, or has failed.
        var isOver = false
    }

    /// What the thread does until the next step.
    enum Wait {
        case socket(Int32, toWrite: Bool, until: MonotonicInstant)
        case pause(until: MonotonicInstant)
        /// Make a handle of this protocol version, and pass it to `adopt`. Making a handle blocks.
        case make(MQTTVersion)
    }

    /// Result of one step.
    struct StepResult {
        var events: [MQTTEvent] = []
        /// Number of messages that were dropped, as they were too long or too many.
        var dropped = 0
        /// Whether an answer to a probe was read. It proves liveness only after all messages that came before it have been
        /// delivered; see `handedOn`.
        var hasAnswer = false
    }
}
