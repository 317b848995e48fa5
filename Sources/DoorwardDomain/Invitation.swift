/// An invitation of an email address. The holder of its token can accept it once.
package struct Invitation: Hashable, Sendable {
    /// What accepting the invitation gives.
    package enum Offer: Hashable, Sendable {
        /// A role on an entity, for the user with the invited address, who is created if there is none.
        case role(Role, on: AssociatedEntity)
        /// The first password of a user who was created without one.
        case account(UserID)
    }

    /// The id in the API and in records; it reveals nothing about the token.
    package let id: InvitationID
    /// The invited address, as entered; compared without case. Personal data.
    package let email: String
    /// What accepting the invitation gives.
    package let offer: Offer
    /// The user who created it, or on whose behalf an API key did.
    package let userID: UserID
    /// The API key that created it; `nil` if the user did.
    package let keyID: APIKeyID?
    /// The SHA-256 digest of the token, which is not stored.
    package let digest: [UInt8]
    /// When it was created.
    package let createdAt: Timestamp
    /// From this instant on, it cannot be accepted.
    package let expiresAt: Timestamp

    /// The time for which an invitation can be accepted.
    package static let lifetime = Duration.seconds(7 * 86_400)

    package init(
        id: InvitationID, email: String, offer: Offer, userID: UserID, keyID: APIKeyID? = nil, digest: [UInt8],
        createdAt: Timestamp, expiresAt: Timestamp
    ) {
        (self.id, self.email, self.offer, self.userID, self.keyID) = (id, email, offer, userID, keyID)
        (self.digest, self.createdAt, self.expiresAt) = (digest, createdAt, expiresAt)
    }

    /// The principal that created it. The invitation ends when this principal loses the right to create it.
    package var maker: Principal { keyID.map { .apiKey($0) } ?? .user(userID) }

    /// The offered role; `nil` for an invitation to set a first password.
    package var role: Role? { if case .role(let role, _) = offer { role } else { nil } }

    /// The entity of the offered role; `nil` for an invitation to set a first password.
    package var entity: AssociatedEntity? { if case .role(_, let entity) = offer { entity } else { nil } }

    /// The user who gets a first password; `nil` for the invitation to a role.
    package var accountID: UserID? { if case .account(let id) = offer { id } else { nil } }
}
