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
