/// What a lock, or its bridge, has said of the command that is under way.
package enum CommandWord: Hashable, Sendable {
    /// It was taken; the bolt need not have moved.
    case accepted
    /// The lock is where the command wanted it, by a live word after the command left.
    case confirmed
    /// It was not done.
    case rejected(Rejection)
}

/// Why a command was not done.
package enum Rejection: String, CaseIterable, Sendable {
    /// In the words of profiles; `unknown` for a reason that a profile has no word for.
    case notAuthorised, invalidCode, schedule, busy, jammed, lowPower, notCalibrated, unsupported, offline, transport, unknown
}
