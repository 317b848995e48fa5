package import DoorwardDomain

/// The rule that a transaction breaks. Nothing of the transaction was written. Every store names a broken rule by the same case,
/// and `GatewayError` says in one place what each of them is to a caller.
package enum StoreRefusal: Error, Hashable, Sendable {
    // MARK: Preconditions

    /// The entity is not as the precondition has it: another transaction has changed or removed it since.
    case entityChanged(TenancyEntity)
    /// All uses of the guest access are taken.
    case usesExhausted(GuestAccessID)
    /// The epoch is another one: rights were taken away since the decision was made.
    case epochChanged(EpochOwner)
    /// The log's lease is another one: another gateway writes this log now.
    case leaseChanged(LogID)

    // MARK: Rules of the tables

    /// Another user than this one has the address, upper and lower case taken as one.
    case emailTaken(UserID)
    /// A change names a parent, user or session that is not there.
    case parentUnknown
    /// `begin` of a command that was there before.
    case commandExists(CommandID)
    /// `begin` without the `COMMAND_INTENT` record of that command, in the named log, in the same transaction.
    case intentMissing(CommandID)
    /// `update` or `end` of a command that was never begun.
    case commandUnknown(CommandID)
    /// `update` or `end` of a command that has ended.
    case commandEnded(CommandID)
    /// The refresh token was used before, is unknown, or this session, whose it was to be, has ended.
    case refreshTokenSpent(SessionID)
    /// A session for a user who is disabled.
    case userDisabled(UserID)
    /// The token of a password reset is unknown, used, replaced, or over.
    case resetTokenSpent
    /// The key was used within the last 24 hours for another request, or has its answer already.
    case idempotencyKeyTaken(IdempotencyKey)
    /// An entity of the same id, session or token digest exists where a new one was to be made.
    case duplicate
    /// No sound program hands in such a transaction, or the database contradicts itself. The text is for the operator's log.
    case inconsistent(String)
}
