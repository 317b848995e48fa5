/// The rules that a store holds by itself, as the words that `StoreError.refused` carries: every store uses the same.
extension StoreError {
    /// Two users have the same address, upper and lower case taken as one.
    package static let emailTaken = StoreError.refused("email_taken")
    /// A change names a parent, user or session that is not there.
    package static let parentUnknown = StoreError.refused("parent_unknown")
    /// `begin` of a command that was there before.
    package static let commandExists = StoreError.refused("command_exists")
    /// `begin` without the `COMMAND_INTENT` record of that command, in the named log, in the same transaction.
    package static let intentMissing = StoreError.refused("intent_missing")
    /// `update` or `end` of a command that was never begun.
    package static let commandUnknown = StoreError.refused("command_unknown")
    /// `update` or `end` of a command that has ended.
    package static let commandEnded = StoreError.refused("command_ended")
    /// The refresh token was used before, is unknown, or its session has ended.
    package static let refreshTokenSpent = StoreError.refused("refresh_token_spent")
    /// A session for a user who is disabled.
    package static let userDisabled = StoreError.refused("user_disabled")
    /// The token of a password reset is unknown, used, replaced, or over.
    package static let resetTokenSpent = StoreError.refused("reset_token_spent")
    /// The key was used within the last 24 hours for another request, or has its answer already.
    package static let idempotencyKeyTaken = StoreError.refused("idempotency_key_taken")
    /// An entity of the same id, session or token digest exists where a new one was to be made.
    package static let duplicate = StoreError.refused("duplicate")
}
