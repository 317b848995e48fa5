/// A person who can sign in. Their rights follow from their associations and guest accesses, which are separate entities.
package struct User: Hashable, Sendable {
    /// The id. Records keep it, as a pseudonym, after the person is erased.
    package let id: UserID
    /// The email address as entered. It is unique among users, ignoring case.
    package var email: String
    /// The first name, the only part of a person's name that is shown to guests.
    package var firstName: String
    /// The last name, which is not shown to guests. It may be empty.
    package var lastName: String
    /// Whether the user is enabled. A disabled user cannot sign in, and all their requests are
    /// denied; their roles and guest accesses are kept.
    package var isEnabled: Bool
    /// Whether the user is a super admin; see `Role.superAdmin`.
    package var isSuperAdmin: Bool
    /// The portfolio that a client shows the user first; `nil` if not chosen. It grants no right.
    package var defaultPortfolioID: PortfolioID?
    /// The property that a client shows the user first; `nil` if not chosen. It grants no right,
    /// and may be in another portfolio than the default portfolio.
    package var defaultPropertyID: PropertyID?
    /// The unit that a client shows the user first; `nil` if not chosen. It grants no right, and
    /// may be in another property than the default property.
    package var defaultUnitID: UnitID?
    /// Whether the user bought the compliance report. For this user, the report requires no module
    /// of the portfolio's subscription.
    package var hasCompliancePack: Bool
    /// When the user was created, by the gateway's clock.
    package let createdAt: Timestamp
    /// When the user's own fields were last changed, not the user's roles or guest accesses.
    package var updatedAt: Timestamp

    package init(
        id: UserID, email: String, firstName: String, lastName: String, isEnabled: Bool = true, isSuperAdmin: Bool = false,
        defaultPortfolioID: PortfolioID? = nil, defaultPropertyID: PropertyID? = nil, defaultUnitID: UnitID? = nil,
        hasCompliancePack: Bool = false, createdAt: Timestamp, updatedAt: Timestamp
    ) {
        (self.id, self.email, self.firstName, self.lastName) = (id, email, firstName, lastName)
        (self.isEnabled, self.isSuperAdmin, self.hasCompliancePack) = (isEnabled, isSuperAdmin, hasCompliancePack)
        (self.defaultPortfolioID, self.defaultPropertyID, self.defaultUnitID) = (
            defaultPortfolioID, defaultPropertyID, defaultUnitID
        )
        (self.createdAt, self.updatedAt) = (createdAt, updatedAt)
    }

    /// First and last name, as shown in records and lists.
    package var fullName: String { lastName.isEmpty ? firstName : firstName.isEmpty ? lastName : "\(firstName) \(lastName)" }
}

/// One role of one user on one portfolio, property or unit.
package struct UserRoleAssociation: Hashable, Sendable {
    /// The id by which a decision names its rule; a role that is removed and assigned again gets a new one.
    package let id: AssociationID
    /// The user who holds the role.
    package let userID: UserID
    /// The entity that the role is held on; the role applies to everything below this entity as well.
    package let entity: AssociatedEntity
    /// One of the `assignableRoles` of the entity's type; any other role grants no right.
    package let role: Role
    /// When the role was assigned.
    package let createdAt: Timestamp
    /// Equal to `createdAt`: an association is created and deleted, but never changed.
    package let updatedAt: Timestamp

    package init(
        id: AssociationID, userID: UserID, entity: AssociatedEntity, role: Role, createdAt: Timestamp, updatedAt: Timestamp
    ) {
        (self.id, self.userID, self.entity, self.role) = (id, userID, entity, role)
        (self.createdAt, self.updatedAt) = (createdAt, updatedAt)
    }
}

/// One sign-in of one user, from the password to the sign-out, with all refresh tokens that are issued during this time.
package struct Session: Hashable, Sendable {
    /// The id, which each access token of the session contains. A token whose session has ended is rejected.
    package let id: SessionID
    /// The signed-in user. Each request is decided by the rights that the user has at that moment.
    package let userID: UserID
    /// When the sign-in succeeded.
    package let createdAt: Timestamp
    /// When the current refresh token expires. Unless the token is exchanged before, the session expires with it.
    package var expiresAt: Timestamp

    package init(id: SessionID, userID: UserID, createdAt: Timestamp, expiresAt: Timestamp) {
        (self.id, self.userID, self.createdAt, self.expiresAt) = (id, userID, createdAt, expiresAt)
    }
}

/// A key with which a program sends requests on behalf of the user who created it.
///
/// At every instant, its rights are those that its role on its entity and its creator have in common.
package struct APIKey: Hashable, Sendable {
    /// Part of the secret, so that a request's key is found without a search.
    package let id: APIKeyID
    /// Describes the program that uses the key; recorded as the actor's name.
    package let name: String
    /// The user who created it, or for whom another key created it.
    package let userID: UserID
    /// The key that created it; `nil` if the user created it. A key has no right that its parent lacks, and ends with it.
    package let parentID: APIKeyID?
    /// The entity that `role` applies to, with everything below it.
    package let entity: AssociatedEntity
    /// One of the entity type's `assignableRoles`.
    package let role: Role
    /// The SHA-256 digest of the secret, which is not stored.
    package let digest: [UInt8]
    /// When it was created.
    package let createdAt: Timestamp
    /// From this instant on, the key is rejected.
    package let expiresAt: Timestamp

    /// The maximum time from creation to expiry: a year, also a leap year.
    package static let maxLifetime = Duration.seconds(366 * 86_400)

    package init(
        id: APIKeyID, name: String, userID: UserID, parentID: APIKeyID? = nil, entity: AssociatedEntity, role: Role,
        digest: [UInt8], createdAt: Timestamp, expiresAt: Timestamp
    ) {
        (self.id, self.name, self.userID, self.parentID) = (id, name, userID, parentID)
        (self.entity, self.role, self.digest) = (entity, role, digest)
        (self.createdAt, self.expiresAt) = (createdAt, expiresAt)
    }

    /// The principal that created it, whose rights limit its own.
    package var creator: Principal { parentID.map { .apiKey($0) } ?? .user(userID) }
}

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
    package var creator: Principal { keyID.map { .apiKey($0) } ?? .user(userID) }

    /// The offered role; `nil` for an invitation to set a first password.
    package var role: Role? { if case .role(let role, _) = offer { role } else { nil } }

    /// The entity of the offered role; `nil` for an invitation to set a first password.
    package var entity: AssociatedEntity? { if case .role(_, let entity) = offer { entity } else { nil } }

    /// The user who gets a first password; `nil` for the invitation to a role.
    package var accountID: UserID? { if case .account(let id) = offer { id } else { nil } }
}
