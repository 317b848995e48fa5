/// What can be made to happen to a simulated lock. Raw values are the wire's (`POST /simulator/devices/:id/events`).
package enum SimulatorEvent: String, CaseIterable, Codable, Sendable {
    /// The bolt jams now, and again at every order until `clear`.
    case jam
    /// Ends every fault: jam, refusal, lost and late confirmations, offline, low battery. The lock then reports all of
    /// its condition.
    case clear
    /// The lock goes out of reach: orders throw `.offline`, and what happens at the lock is not heard.
    case offline
    /// The lock is back, and reports all of its condition.
    case online
    /// The battery falls to five percent, or stays where it is below that.
    case lowBattery = "low_battery"
    /// Somebody inside turns the thumb turn: a locked bolt is withdrawn, any other thrown.
    case thumbTurn = "thumb_turn"
    /// The door is opened, whatever the bolt does.
    case doorOpen = "door_open"
    /// The door is shut.
    case doorClose = "door_close"
    /// The tamper contact opens: an alarm, not a state.
    case tamper
    /// From now on orders move the bolt and the lock says nothing of it, until `clear` or `confirm_late`.
    case loseConfirmations = "lose_confirmations"
    /// From now on the lock confirms `lateConfirmationMs` after the bolt has moved, until `clear` or `lose_confirmations`.
    case confirmLate = "confirm_late"
    /// From now on the lock refuses every order, until `clear`.
    case refuse
}

/// Why an event did not happen.
package enum SimulatorEventError: Error, Hashable, Sendable {
    /// This adapter does not know the lock, or does not run.
    case notAttached
    /// The lock lacks the part: a door contact, a battery.
    case unsupported
}
