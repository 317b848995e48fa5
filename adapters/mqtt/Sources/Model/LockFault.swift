/// Something that is wrong with a lock beside its bolt. Raw values stand in a device's `faults`.
package enum LockFault: String, CaseIterable, Comparable, Sendable {
    /// The lock has not learnt where its ends are.
    case uncalibrated
    /// It is starting, or being calibrated.
    case busyInternal
    /// The bolt is not all the way out.
    case notFullyLocked
    /// Somebody is at its housing.
    case tamper
    /// The door was opened while the lock was locked.
    case doorForced
    /// The door's contact is broken.
    case doorSensorFault
    /// It takes no codes for a while after too many wrong ones.
    case keypadLockout
    /// The lock warns of its battery.
    case batteryLow
    /// What found it says that it is no longer there.
    case gone
    /// The broker rejected the last command, or did not pass it on.
    case commandNotDelivered
    /// The lock takes no command without its code, and none is stored.
    case needsCode
    /// The broker refuses the gateway's subscription to topics that the lock reports on.
    case subscriptionRefused
    /// Its bridge lists it under another name than the one under which it was attached.
    case renamed

    /// The faults that a lock can report itself, and that a profile may therefore name.
    package static let ofLocks = allCases.filter {
        ![.gone, .renamed, .needsCode, .commandNotDelivered, .subscriptionRefused].contains($0)
    }

    /// By the alphabet, so that a list of them is always the same.
    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}
