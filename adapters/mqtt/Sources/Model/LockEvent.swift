/// Something that happened at a lock. It says nothing of where the bolt is now.
package struct LockEvent: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case operation, attemptFailed, credentialChanged, jam, tamper, keypadLockout, doorForced
    }

    /// What was done to the bolt.
    package enum Operation: String, CaseIterable, Sendable { case lock, unlock, open, none, unknown }

    /// By what means.
    package enum Method: String, CaseIterable, Sendable {
        case keypad, rfid, fingerprint, manual, key, button, fob, remote, app, auto, schedule, homekit, unknown
    }

    package var kind: Kind
    /// For `.operation`, and where a failed attempt says what was attempted.
    package var operation: Operation?
    /// Whether it succeeded; `nil` where the lock tells before it acts, or does not say.
    package var isDone: Bool?
    package var method: Method?
    /// The place of the code in the lock, not the code.
    package var userSlot: Int?
    package var credentialID: Int?
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
