internal import DoorwardDomain

/// Input and result of one step, which `step` executes.
extension ConnectionStateMachine {
    /// The readiness of the socket, as `poll` reported it.
    struct Readiness {
        var isReadable = false
        var isWritable = false
        /// Whether the connection has been closed in both directions, or has failed.
        var isClosed = false
    }

    /// The action of the thread until the next step.
    enum NextAction {
        case poll(Int32, forWriting: Bool, until: MonotonicInstant)
        case sleep(until: MonotonicInstant)
        /// Make a client of this protocol version, and pass it to `adopt`. Making a client blocks.
        case createClient(MQTTVersion)
    }

    /// Result of one step.
    struct StepResult {
        var events: [MQTTEvent] = []
        /// Number of messages that were dropped, as they were too long or too many.
        var dropped = 0
        /// Whether the answer to a probe was read. The answer proves liveness only after all
        /// messages that came before it have been delivered; see `confirmDelivered`.
        var hasProbeResponse = false
    }
}
