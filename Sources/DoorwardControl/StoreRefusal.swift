package import DoorwardDomain

/// The constraint that a transaction violates. No part of the transaction was written. All stores
/// report a violation by the same case, and `GatewayError` maps each case in one place.
package enum StoreRefusal: Error, Hashable, Sendable {
    // MARK: Preconditions

    /// The entity is not as the precondition requires: another transaction has changed or removed it since.
    case entityChanged(TenancyEntity)
    /// All uses of the guest access are taken.
    case usesExhausted(GuestAccessID)

    // MARK: Constraints of the tables

    /// A user other than this one already has the email address, ignoring case.
    case emailTaken(UserID)
    /// A change refers to a parent, user or session that does not exist.
    case parentUnknown
    /// The entity to remove is still the parent of another one, or a role or guest access refers to it.
    case stillReferenced(TenancyEntity)
    /// `begin` of a command that already exists.
    case commandExists(CommandID)
    /// `begin` in a transaction without the `COMMAND_INTENT` record of that command at the given index.
    case intentMissing(CommandID)
    /// `update` or `end` of a command that was never begun.
    case commandUnknown(CommandID)
    /// `update` or `end` of a command that has ended.
    case commandEnded(CommandID)
    /// The refresh token is unknown or was used before, or its session has ended.
    case refreshTokenSpent(SessionID)
    /// A session was to be started for a user who is disabled or does not exist any more.
    case userDisabled(UserID)
    /// The token of a password reset is unknown, used, replaced or expired.
    case resetTokenSpent
    /// The user has no recovery code with this digest, or it was used or replaced.
    case recoveryCodeSpent(UserID)
    /// Another user has redeemed the purchase.
    case purchaseRedeemed
    /// The store has an entry with this key that is less than 24 hours old.
    case idempotencyKeyTaken(IdempotencyKey)
    /// A new entity, session or token has an id or digest that already exists.
    case duplicate
    /// The transaction is inconsistent, or the database contradicts itself: a defect. The text is for the operator's log.
    case inconsistent(String)
}
