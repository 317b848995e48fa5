package import DoorwardDomain

/// An event that can be triggered at a simulated lock. Raw values are the words of the API, of scenario files and of the command
/// line; all are listed here, with their meaning.
package enum SimulatorEvent: String, CaseIterable, Codable, Sendable {
    /// The bolt jams now, and again at every movement until `clear`.
    case jam
    /// Ends every fault, and a low or empty battery. The lock then reports its whole state.
    case clear
    /// The lock becomes unreachable: commands throw `.offline`, and its reports are not delivered.
    case offline
    /// The lock becomes reachable again, and reports its stored events and its whole state.
    case online
    /// The battery falls to five percent, or keeps a lower level.
    case lowBattery = "low_battery"
    /// The battery is empty: the motor does not run, and the lock is unreachable.
    case deadBattery = "dead_battery"
    /// A full battery is inserted.
    case replaceBattery = "replace_battery"
    /// The thumb turn is used from inside: a locked bolt is withdrawn, any other is extended.
    case thumbTurn = "thumb_turn"
    /// The bolt is extended from inside by hand, unless it already is.
    case thumbLock = "thumb_lock"
    /// The bolt is withdrawn from inside by hand, unless it already is.
    case thumbUnlock = "thumb_unlock"
    /// The code of a slot is typed: the motor withdraws the bolt.
    case keypad
    /// The keypad's lock button is pressed, which requires no code.
    case keypadLock = "keypad_lock"
    /// An invalid code is typed; the fifth in a row disables the keypad for a minute.
    case wrongCode = "wrong_code"
    /// The door is opened; the contact reports it.
    case doorOpen = "door_open"
    /// The door is closed, unless a bolt that was extended while it was open blocks it.
    case doorClose = "door_close"
    /// The leaf leans on the frame: the contact reports open, and a bolt that extends now jams.
    case doorAjar = "door_ajar"
    /// The door is forced open, whatever the position of the bolt.
    case doorForce = "door_force"
    /// The tamper contact opens: an event, not a state.
    case tamper
    /// From now on commands move the bolt without any report, until `clear` or `confirm_late`.
    case loseConfirmations = "lose_confirmations"
    /// From now on the lock confirms `lateConfirmationMs` after the bolt has moved, until `clear` or `lose_confirmations`.
    case confirmLate = "confirm_late"
    /// From now on the lock rejects every command, until `clear`.
    case refuse
    /// From now on the lock reports the opposite of the bolt's resting position, until `clear`.
    case wrongState = "wrong_state"
    /// From now on every report arrives twice, until `clear`.
    case duplicateReports = "duplicate_reports"
    /// From now on every report is delayed by a random time, until `clear`.
    case disorderReports = "disorder_reports"
}

extension SimulatorEvent {
    /// A short description for help texts and pages.
    package var summary: String {
        switch self {
        case .jam: "the bolt jams, now and at every movement until clear"
        case .clear: "ends every fault and a low battery; reports the whole state"
        case .offline: "the lock is unreachable; its reports are not delivered"
        case .online: "the lock is reachable again and reports its whole state"
        case .lowBattery: "the battery falls to 5 percent"
        case .deadBattery: "the battery is empty: the motor stops, the lock is unreachable"
        case .replaceBattery: "a full battery is put in"
        case .thumbTurn: "a person inside turns the thumb turn"
        case .thumbLock: "a person inside locks by the thumb turn"
        case .thumbUnlock: "a person inside unlocks by the thumb turn"
        case .keypad: "the code of a slot is typed; the motor unlocks"
        case .keypadLock: "the keypad's lock button is pressed"
        case .wrongCode: "a wrong code is typed; the fifth in a row disables the keypad"
        case .doorOpen: "the door is opened"
        case .doorClose: "the door is closed"
        case .doorAjar: "the door leans on the frame, not closed"
        case .doorForce: "the door is broken open"
        case .tamper: "the tamper alarm goes off"
        case .loseConfirmations: "commands move the bolt without a report, until clear"
        case .confirmLate: "the lock confirms lateConfirmationMs late, until clear"
        case .refuse: "the lock refuses every command, until clear"
        case .wrongState: "the lock reports the opposite state, until clear"
        case .duplicateReports: "every report arrives twice, until clear"
        case .disorderReports: "reports overtake each other, until clear"
        }
    }

    /// The capabilities that the event requires; empty if it applies to any lock.
    package var requiredCapabilities: LockCapabilities {
        switch self {
        case .lowBattery, .deadBattery, .replaceBattery: .battery
        case .doorOpen, .doorClose, .doorAjar, .doorForce: .door
        case .wrongCode: .failedAttempts
        default: []
        }
    }

    /// Whether the event requires a keypad (`keypadSlots`).
    package var requiresKeypad: Bool { self == .keypad || self == .keypadLock || self == .wrongCode }

    /// The event that ends this one, for a scenario with a duration; `nil` for a momentary event.
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

/// Why an event was not applied.
package enum SimulatorEventError: Error, Hashable, Sendable {
    /// The lock is not attached to this adapter, or the adapter does not run.
    case notAttached
    /// The lock lacks the required part: a door contact, a battery, a keypad.
    case unsupported
    /// The keypad has no such slot.
    case unknownSlot
    /// The battery is empty; the motor does not run before `replace_battery` or `clear`.
    case batteryDead

    /// Why the event did not occur, and what to do.
    package var sentence: String {
        switch self {
        case .notAttached: "The lock is not attached to the simulator, or its address is not valid; attach it again."
        case .unsupported:
            "This lock lacks the part that the event needs; see its capabilities and the keypadSlots of its address."
        case .unknownSlot:
            "The keypad of this lock has no such slot; the slots are listed under keypadSlots in its address."
        case .batteryDead: "The battery of this lock is empty; send replace_battery first."
        }
    }
}
