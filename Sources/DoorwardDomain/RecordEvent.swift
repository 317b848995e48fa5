/// What happened: at a lock by itself, at a sign-in, or in the gateway's own life.
package enum RecordEvent: String, CaseIterable, Codable, Sendable {
    /// The bolt is out: the lock's own report, and not what ends a running command.
    case locked = "LOCKED"
    /// The bolt is in, by thumb turn, key, code or an app of the maker's; or late, after its command had ended.
    case unlocked = "UNLOCKED"
    /// The latch is in as well; reported as `unlocked` is.
    case unlatched = "UNLATCHED"
    /// The bolt met resistance and is neither in nor out.
    case jammed = "JAMMED"
    /// The lock's own sensor says that somebody is at its housing.
    case tamper = "TAMPER"
    /// The lock or its bridge does not answer any more.
    case offline = "OFFLINE"
    /// It answers again after an `offline`.
    case online = "ONLINE"
    /// The lock asks for a battery; at what level is the lock's own affair.
    case batteryLow = "BATTERY_LOW"
    /// The door's contact, where the lock has one, went from closed to open.
    case doorOpened = "DOOR_OPENED"
    /// The contact went from open to closed; that says nothing of the bolt.
    case doorClosed = "DOOR_CLOSED"
    /// The door opened while the lock was locked.
    case doorForced = "DOOR_FORCED"
    /// A wrong code, card or finger at the lock.
    case attemptFailed = "ATTEMPT_FAILED"
    /// The lock takes no codes for a while after too many wrong ones.
    case keypadLockout = "KEYPAD_LOCKOUT"
    /// A code, card or finger was added to the lock or taken off it.
    case credentialChanged = "CREDENTIAL_CHANGED"
    /// A broker delivered a command after its deadline: whatever its outcome, the lock may have moved because of it.
    case commandDeliveredLate = "COMMAND_DELIVERED_LATE"
    /// A session began with a right password.
    case signedIn = "SIGNED_IN"
    /// A session ended before its time, by its user or by a password set anew.
    case signedOut = "SIGNED_OUT"
    /// A wrong password, an unknown address, or a disabled user.
    case signInFailed = "SIGN_IN_FAILED"
    /// A refresh token was shown a second time: it may be stolen, and its session was ended.
    case refreshReused = "REFRESH_REUSED"
    /// The gateway has started.
    case start = "START"
    /// The gateway was stopped as it should be; there is none after a crash.
    case stop = "STOP"
    /// The wall clock jumped against the monotonic one.
    case clockStep = "CLOCK_STEP"
    /// The log's root was signed.
    case checkpoint = "CHECKPOINT"
    /// A key of the gateway was replaced.
    case keyRotated = "KEY_ROTATED"
    /// After a crash: commands without an outcome were given `UNKNOWN`.
    case recovered = "RECOVERED"
    /// Stands for the denials of one principal in a minute that were too many to be written singly.
    case denialsSuppressed = "DENIALS_SUPPRESSED"
    /// Records were handed out as a bundle.
    case export = "EXPORT"
    /// A person's keys were destroyed, and with them their personal values.
    case erasure = "ERASURE"
    /// Records older than the retention time were removed.
    case retentionCut = "RETENTION_CUT"
}

/// By what means a lock was moved, as far as it says.
package enum EventMethod: String, CaseIterable, Codable, Sendable {
    /// The thumb turn, from inside.
    case manual = "MANUAL"
    /// A code at the lock.
    case keypad = "KEYPAD"
    /// A metal key.
    case key = "KEY"
    /// A button on the lock or beside the door.
    case button = "BUTTON"
    /// The lock by itself, such as its auto-relock.
    case auto = "AUTO"
    /// A card or tag held to the lock.
    case rfid = "RFID"
    /// A finger on the lock's reader; the gateway never sees the print.
    case fingerprint = "FINGERPRINT"
    /// A radio remote of the lock's maker.
    case fob = "FOB"
    /// An app that speaks to the lock past the gateway.
    case app = "APP"
    /// A timer in the lock or its bridge.
    case schedule = "SCHEDULE"
    /// A command over the network, the gateway's own among them.
    case remote = "REMOTE"
    /// The lock does not say.
    case unknown = "UNKNOWN"
}
