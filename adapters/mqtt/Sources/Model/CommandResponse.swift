/// The response of a lock, or of its bridge, to the command in flight.
package enum CommandResponse: Hashable, Sendable {
    /// The command was accepted; the bolt need not have moved.
    case accepted
    /// The lock reports the commanded state, by a live message after the command was sent.
    case confirmed
    /// The command was not executed.
    case rejected(RejectionReason)
}

/// Why a command was not executed.
package enum RejectionReason: String, CaseIterable, Sendable {
    /// The names that profiles use; `unknown` for a reason that a profile has no name for.
    case notAuthorised, invalidCode, schedule, busy, jammed, lowPower, notCalibrated, unsupported, offline, transport, unknown
}
