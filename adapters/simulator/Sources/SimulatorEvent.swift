package import DoorwardDomain

/// What can be made to happen to a simulated lock. Raw values are the words of the wire, of scenario files and of the
/// command line; this is the one list of them, with what each means.
package enum SimulatorEvent: String, CaseIterable, Codable, Sendable {
    /// The bolt jams now, and again at every movement until `clear`.
    case jam
    /// Ends every fault, and a low or dead battery. The lock then reports all of its condition.
    case clear
    /// The lock goes out of reach: orders throw `.offline`, and what happens at the lock is not heard.
    case offline
    /// The lock is back, and reports what it remembered and all of its condition.
    case online
    /// The battery falls to five percent, or stays where it is below that.
    case lowBattery = "low_battery"
    /// The battery is empty: nothing moves by motor, and the lock is out of reach.
    case deadBattery = "dead_battery"
    /// A full battery is put in.
    case replaceBattery = "replace_battery"
    /// Somebody inside turns the thumb turn: a locked bolt is withdrawn, any other thrown.
    case thumbTurn = "thumb_turn"
    /// Somebody inside throws the bolt by hand, unless it is.
    case thumbLock = "thumb_lock"
    /// Somebody inside withdraws the bolt by hand, unless it is.
    case thumbUnlock = "thumb_unlock"
    /// Somebody types the code of a slot: the motor withdraws the bolt.
    case keypad
    /// Somebody presses the keypad's lock button, which takes no code.
    case keypadLock = "keypad_lock"
    /// Somebody types a code that is none; the fifth in a row locks the keypad for a minute.
    case wrongCode = "wrong_code"
    /// The contact sees the leaf leave the frame.
    case doorOpen = "door_open"
    /// The leaf comes home, unless a bolt that was thrown in the open keeps it from doing so.
    case doorClose = "door_close"
    /// The leaf leans on the frame: the contact says open, and a bolt thrown now jams.
    case doorAjar = "door_ajar"
    /// The door is broken open, whatever the bolt does.
    case doorForce = "door_force"
    /// The tamper contact opens: an alarm, not a state.
    case tamper
    /// From now on orders move the bolt and the lock says nothing of it, until `clear` or `confirm_late`.
    case loseConfirmations = "lose_confirmations"
    /// From now on the lock confirms `lateConfirmationMs` after the bolt has moved, until `clear` or `lose_confirmations`.
    case confirmLate = "confirm_late"
    /// From now on the lock refuses every order, until `clear`.
    case refuse
    /// From now on the lock says the opposite of where its bolt rests, until `clear`.
    case wrongState = "wrong_state"
    /// From now on every report arrives twice, until `clear`.
    case duplicateReports = "duplicate_reports"
    /// From now on every report is held up on its way for a time of its own, until `clear`.
    case disorderReports = "disorder_reports"
}

extension SimulatorEvent {
    /// One phrase for help texts and pages: what happens.
    package var summary: String {
        switch self {
        case .jam: "the bolt jams, now and at every movement until clear"
        case .clear: "ends every fault and a low battery; all is reported anew"
        case .offline: "the lock is out of reach; what happens at it is not heard"
        case .online: "the lock is back and reports its condition"
        case .lowBattery: "the battery falls to 5 percent"
        case .deadBattery: "the battery is empty: no motor, out of reach"
        case .replaceBattery: "a full battery is put in"
        case .thumbTurn: "somebody inside turns the thumb turn"
        case .thumbLock: "somebody inside throws the bolt by hand"
        case .thumbUnlock: "somebody inside withdraws the bolt by hand"
        case .keypad: "a code is typed and the motor unlocks; slot names whose"
        case .keypadLock: "the keypad's lock button is pressed"
        case .wrongCode: "a wrong code is typed; the fifth in a row shuts the keypad"
        case .doorOpen: "the door is opened"
        case .doorClose: "the door is closed"
        case .doorAjar: "the door leans on the frame, not closed"
        case .doorForce: "the door is broken open"
        case .tamper: "the tamper alarm goes off"
        case .loseConfirmations: "orders move the bolt and the lock is silent, until clear"
        case .confirmLate: "the lock confirms lateConfirmationMs late, until clear"
        case .refuse: "the lock refuses every order, until clear"
        case .wrongState: "the lock says the opposite of the truth, until clear"
        case .duplicateReports: "every report arrives twice, until clear"
        case .disorderReports: "reports overtake each other, until clear"
        }
    }

    /// What the lock needs for it; empty for what can happen to any.
    package var needs: LockCapabilities {
        switch self {
        case .lowBattery, .deadBattery, .replaceBattery: .battery
        case .doorOpen, .doorClose, .doorAjar, .doorForce: .door
        case .wrongCode: .failedAttempts
        default: []
        }
    }

    /// Whether a lock without a keypad (`keypadSlots`) lacks the part for it.
    package var needsKeypad: Bool { self == .keypad || self == .keypadLock || self == .wrongCode }

    /// The event that ends this one, for a scenario that says for how long it lasts; `nil` for what is over at once.
    package var ending: SimulatorEvent? {
        switch self {
        case .jam, .refuse, .loseConfirmations, .confirmLate, .wrongState, .duplicateReports, .disorderReports: .clear
        case .offline: .online
        case .lowBattery, .deadBattery: .replaceBattery
        case .doorOpen, .doorAjar: .doorClose
        case .clear, .online, .replaceBattery, .thumbTurn, .thumbLock, .thumbUnlock, .keypad, .keypadLock, .wrongCode, .doorClose,
            .doorForce, .tamper:
            nil
        }
    }
}

/// Why an event did not happen.
package enum SimulatorEventError: Error, Hashable, Sendable {
    /// This adapter does not know the lock, or does not run.
    case notAttached
    /// The lock lacks the part: a door contact, a battery, a keypad.
    case unsupported
    /// The keypad knows no such slot.
    case unknownSlot
    /// The battery is empty; nothing of the motor's happens before `replace_battery` or `clear`.
    case batteryDead
}
