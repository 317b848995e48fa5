/// Something that happened at a lock. It says nothing of where the bolt is now.
package struct LockEvent: Hashable, Sendable {
    /// What sort of thing it is. Raw values are the words of profiles.
    package enum Kind: String, CaseIterable, Sendable {
        /// The bolt was moved, or somebody tried; a code was changed; something is wrong.
        case operation, attemptFailed, credentialChanged, jam, tamper, keypadLockout, doorForced
    }

    /// What was done to the bolt.
    package enum Operation: String, CaseIterable, Sendable { case lock, unlock, open, none, unknown }

    /// By what means.
    package enum Method: String, CaseIterable, Sendable {
        /// `remote` is another program or bridge, `app` a telephone, `auto` the lock itself.
        case keypad, rfid, fingerprint, manual, key, button, fob, remote, app, auto, schedule, homekit, unknown
    }

    /// Which fields below have a meaning depends on it.
    package var kind: Kind
    /// For `.operation`, and where a failed attempt says what was attempted.
    package var operation: Operation?
    /// Whether it succeeded; `nil` where the lock tells before it acts, or does not say.
    package var isDone: Bool?
    /// `nil` where the dialect never tells, `.unknown` where this event does not.
    package var method: Method?
    /// The place of the code in the lock, not the code.
    package var userSlot: Int?
    /// The number, in the lock, of what was used.
    package var credentialID: Int?
    /// The number, in the lock, of who it was.
    package var authorisationID: Int?
    /// Why an attempt failed.
    package var rejection: Rejection?

    package init(
        _ kind: Kind, operation: Operation? = nil, isDone: Bool? = nil, method: Method? = nil, userSlot: Int? = nil,
        credentialID: Int? = nil, authorisationID: Int? = nil, rejection: Rejection? = nil
    ) {
        (self.kind, self.operation, self.isDone, self.method) = (kind, operation, isDone, method)
        (self.userSlot, self.credentialID, self.authorisationID) = (userSlot, credentialID, authorisationID)
        self.rejection = rejection
    }
}
