/// An event at a lock. It does not report the present position of the bolt.
package struct LockEvent: Hashable, Sendable {
    /// Kind of event. Raw values are the names in profiles.
    package enum Kind: String, CaseIterable, Sendable {
        /// The bolt was moved, or an attempt was made; a code was changed; something is wrong.
        case operation, attemptFailed, credentialChanged, jam, tamper, keypadLockout, doorForced
    }

    /// The operation on the bolt.
    package enum Operation: String, CaseIterable, Sendable { case lock, unlock, open, none, unknown }

    /// How the lock was operated.
    package enum Method: String, CaseIterable, Sendable {
        /// `remote` is another program or bridge, `app` a smartphone, `auto` the lock itself.
        case keypad, rfid, fingerprint, manual, key, button, fob, remote, app, auto, schedule, homekit, unknown
    }

    /// The kind, which determines the meaning of the fields below.
    package var kind: Kind
    /// For `.operation`, and for a failed attempt that names the attempted operation.
    package var operation: Operation?
    /// Whether the operation succeeded; `nil` if the lock reports an operation before it moves, or does not report success.
    package var isDone: Bool?
    /// How the lock was operated; `nil` if the dialect never reports it, `.unknown` if only this event does not.
    package var method: Method?
    /// Number of the code's slot in the lock, not the code.
    package var userSlot: Int?
    /// Number of the used credential in the lock.
    package var credentialID: Int?
    /// Number of the operator's authorisation in the lock.
    package var authorisationID: Int?
    /// Why an attempt failed.
    package var rejection: RejectionReason?

    package init(
        _ kind: Kind, operation: Operation? = nil, isDone: Bool? = nil, method: Method? = nil, userSlot: Int? = nil,
        credentialID: Int? = nil, authorisationID: Int? = nil, rejection: RejectionReason? = nil
    ) {
        (self.kind, self.operation, self.isDone, self.method) = (kind, operation, isDone, method)
        (self.userSlot, self.credentialID, self.authorisationID) = (userSlot, credentialID, authorisationID)
        self.rejection = rejection
    }
}
