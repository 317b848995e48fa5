internal import DoorwardDomain

/// Input and result of one step, which `turn` executes.
extension ConnectionStateMachine {
    /// The readiness of the socket, as `poll` reported it.
    struct Readiness {
        var toRead = false
        var toWrite = false
        /// Whether the connection has been closed in both directions, or has failed.
        var isOver = false
    }

    /// The action of the thread until the next step.
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
        /// Whether the answer to a probe was read. The answer proves liveness only after all
        /// messages that came before it have been delivered; see `handedOn`.
        var hasAnswer = false
    }
}
