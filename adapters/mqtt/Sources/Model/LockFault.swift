/// A fault of a lock or of its connection. Raw values appear in a device's `faults`.
package enum LockFault: String, CaseIterable, Comparable, Sendable {
    /// The lock has not been calibrated: its end positions are not known.
    case uncalibrated
    /// The lock is starting, or being calibrated.
    case busyInternal
    /// The bolt is not fully extended.
    case notFullyLocked
    /// The housing was tampered with.
    case tamper
    /// The door was opened while the lock was locked.
    case doorForced
    /// The door contact is faulty.
    case doorSensorFault
    /// The keypad accepts no codes for a while, after too many wrong codes.
    case keypadLockout
    /// The lock reports a low battery.
    case batteryLow
    /// Discovery has reported that the lock was removed.
    case gone
    /// The broker rejected the last command, or did not deliver it.
    case commandNotDelivered
    /// The lock requires a code for commands, and none is stored.
    case needsCode
    /// The broker refuses the gateway's subscription to topics that the lock reports on.
    case subscriptionRefused
    /// The lock's bridge lists it under another name than the one under which it was attached.
    case renamed

    /// The faults that a lock can report itself, and that a profile may therefore name.
    package static let ofLocks = allCases.filter {
        ![.gone, .renamed, .needsCode, .commandNotDelivered, .subscriptionRefused].contains($0)
    }

    /// Alphabetical, so that lists have a stable order.
    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}
