/// An event in a record: at a lock, of a session, or of the gateway's lifecycle.
public enum RecordEvent: String, CaseIterable, Codable, Sendable {
    /// The bolt was extended, and no command in flight had caused this.
    case locked = "LOCKED"
    /// The bolt was retracted by a thumb turn, a key, a code or the manufacturer's app, or by a command that had already ended.
    case unlocked = "UNLOCKED"
    /// The latch was retracted as well; recorded under the same conditions as `unlocked`.
    case unlatched = "UNLATCHED"
    /// The bolt met resistance and stopped between its end positions.
    case jammed = "JAMMED"
    /// The lock's tamper sensor was triggered.
    case tamper = "TAMPER"
    /// The lock or its bridge stopped responding.
    case offline = "OFFLINE"
    /// The lock responds again after an `offline`.
    case online = "ONLINE"
    /// The lock reported a low battery; the lock defines the threshold.
    case batteryLow = "BATTERY_LOW"
    /// The door contact changed from closed to open.
    case doorOpened = "DOOR_OPENED"
    /// The door contact changed from open to closed. The bolt can be in any state.
    case doorClosed = "DOOR_CLOSED"
    /// The door opened while the lock was locked.
    case doorForced = "DOOR_FORCED"
    /// A wrong code, card or fingerprint was used at the lock.
    case attemptFailed = "ATTEMPT_FAILED"
    /// The lock temporarily accepts no codes after too many wrong ones.
    case keypadLockout = "KEYPAD_LOCKOUT"
    /// A code, card or fingerprint was added to the lock or removed from it.
    case credentialChanged = "CREDENTIAL_CHANGED"
    /// A broker delivered a command after its deadline. The lock may have moved, regardless of the
    /// outcome that is recorded for the command.
    case commandDeliveredLate = "COMMAND_DELIVERED_LATE"
    /// A session was started with the correct password.
    case signedIn = "SIGNED_IN"
    /// A session ended before its expiry: the user signed out, or the user's sessions were ended, for example by a new password.
    case signedOut = "SIGNED_OUT"
    /// A sign-in failed: wrong password, unknown address, or disabled user.
    case signInFailed = "SIGN_IN_FAILED"
    /// A refresh token was used a second time. The token may be stolen, so its session was ended.
    case refreshReused = "REFRESH_REUSED"
    /// The gateway has started.
    case start = "START"
    /// The gateway was shut down in an orderly way. A crash leaves no such record.
    case stop = "STOP"
    /// The wall clock jumped relative to the monotonic clock.
    case clockStep = "CLOCK_STEP"
    /// The log's root was signed.
    case checkpoint = "CHECKPOINT"
    /// Records under a signed checkpoint have changed; no further checkpoint of that log is signed.
    case checkpointMismatch = "CHECKPOINT_MISMATCH"
    /// A key of the gateway was replaced.
    case keyRotated = "KEY_ROTATED"
    /// After a crash or a failure of the store, commands without an outcome were recorded as `UNKNOWN`; or an operator accepted
    /// that the log has lost records that were signed.
    case recovered = "RECOVERED"
    /// The denials of one principal reached the limit per minute. Further commands of the principal
    /// in that minute are rejected and not recorded.
    case denialsSuppressed = "DENIALS_SUPPRESSED"
    /// Records were exported as a bundle.
    case export = "EXPORT"
    /// The keys of a person were destroyed, which makes the person's values in the logs unreadable.
    case erasure = "ERASURE"
    /// Records older than the retention period were removed.
    case retentionCut = "RETENTION_CUT"
}

/// The method by which a lock was operated.
public enum EventMethod: String, CaseIterable, Codable, Sendable {
    /// The thumb turn, from inside.
    case manual = "MANUAL"
    /// A code entered at the lock.
    case keypad = "KEYPAD"
    /// A metal key.
    case key = "KEY"
    /// A button on the lock or beside the door.
    case button = "BUTTON"
    /// The lock operated by itself, for example by its auto-relock.
    case auto = "AUTO"
    /// A card or tag held to the lock.
    case rfid = "RFID"
    /// A finger on the lock's fingerprint reader. The gateway never receives the fingerprint.
    case fingerprint = "FINGERPRINT"
    /// A radio remote control of the lock's manufacturer.
    case fob = "FOB"
    /// An app that communicates with the lock without the gateway.
    case app = "APP"
    /// A timer in the lock or its bridge.
    case schedule = "SCHEDULE"
    /// A command over the network, including the gateway's own.
    case remote = "REMOTE"
    /// The lock does not report how it was operated.
    case unknown = "UNKNOWN"
}
