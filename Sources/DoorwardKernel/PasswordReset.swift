package import DoorwardDomain

/// The id of a password reset in records.
package typealias PasswordResetID = EntityID<PasswordReset>

/// A password reset: the holder of its token can set one user's password once, without knowing the
/// old password. A user has at most one reset; a new reset replaces it.
///
/// A reset becomes invalid when its creator loses the right to create it. It also becomes invalid when the user's roles or guest
/// accesses change, because the holder of the token can sign in as that user, with all rights that the user has by then.
package struct PasswordReset: Hashable, Sendable {
    /// The id of the reset in records; it reveals nothing about the token.
    package let id: PasswordResetID
    /// The user whose password the reset sets.
    package let userID: UserID
    /// The super admin who created it; `nil` if it was created on the gateway's own host.
    package let createdBy: UserID?
    /// When it was created.
    package let createdAt: Timestamp
    /// When it expires.
    package let expiresAt: Timestamp

    /// How long the token is valid.
    package static let lifetime = Duration.seconds(86_400)

    package init(id: PasswordResetID, userID: UserID, createdBy: UserID?, createdAt: Timestamp, expiresAt: Timestamp) {
        (self.id, self.userID, self.createdBy) = (id, userID, createdBy)
        (self.createdAt, self.expiresAt) = (createdAt, expiresAt)
    }

    /// Creates a reset that is valid from `now` on.
    package init(of userID: UserID, createdBy: UserID?, at now: Timestamp, _ random: RandomSource) {
        self.init(
            id: random.id(at: now), userID: userID, createdBy: createdBy, createdAt: now,
            expiresAt: now.advanced(by: Self.lifetime))
    }

    /// The fields recorded when the reset is created.
    package var auditFields: [String: RecordValue] {
        ["userId": .string(userID.description), "expiresAt": .string(expiresAt.description)]
    }
}
