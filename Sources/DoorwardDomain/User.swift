/// A person who can sign in. What they may do follows from their associations and guest accesses, which live beside them.
package struct User: Hashable, Sendable {
    /// Stands in records as a pseudonym once the person is erased.
    package let id: UserID
    /// As it was given; two users' addresses differ also when upper and lower case are taken as one.
    package var email: String
    /// All of a person's name that a guest sees.
    package var firstName: String
    /// May be empty; not shown to guests.
    package var lastName: String
    /// False: they can neither sign in nor do anything, and what they hold stays.
    package var isEnabled: Bool
    /// Runs the gateway and operates no lock; see `Role.superAdmin`.
    package var isSuperAdmin: Bool
    /// What a client shows them first, with the two below; gives no right. `nil` when not chosen.
    package var defaultPortfolioID: PortfolioID?
    /// Gives no right, and need not lie in the portfolio above. `nil` when not chosen.
    package var defaultPropertyID: PropertyID?
    /// Gives no right, and need not lie in the property above. `nil` when not chosen.
    package var defaultUnitID: UnitID?
    /// Whether they bought the compliance report, which then needs no module of the portfolio.
    package var hasCompliancePack: Bool
    /// By the gateway's clock.
    package let createdAt: Timestamp
    /// The last change of the person's own data, not of what they hold.
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

    /// First and last name, as records and lists show a person.
    package var fullName: String { lastName.isEmpty ? firstName : firstName.isEmpty ? lastName : "\(firstName) \(lastName)" }
}

/// One role of one user on one portfolio, property or unit.
package struct UserRoleAssociation: Hashable, Sendable {
    /// What a decision names as its rule; a role that is taken away and given again has a new one.
    package let id: AssociationID
    /// Who holds the role; another user's role is another association.
    package let userID: UserID
    /// The role holds here and on all below.
    package let entity: AssociatedEntity
    /// One of the type's `assignableRoles`; any other gives no right.
    package let role: Role
    /// When the role was given.
    package let createdAt: Timestamp
    /// As `createdAt`, unless it was put anew: a role is given and taken, not changed.
    package let updatedAt: Timestamp

    package init(
        id: AssociationID, userID: UserID, entity: AssociatedEntity, role: Role, createdAt: Timestamp, updatedAt: Timestamp
    ) {
        (self.id, self.userID, self.entity, self.role) = (id, userID, entity, role)
        (self.createdAt, self.updatedAt) = (createdAt, updatedAt)
    }
}

/// One sign-in of one user, from the password to the sign-out: the family of its refresh tokens.
package struct Session: Hashable, Sendable {
    /// Stands in each access token; one whose session has ended stops working.
    package let id: SessionID
    /// Whose rights the session's requests are decided by, as they are at that moment.
    package let userID: UserID
    /// When the sign-in succeeded.
    package let createdAt: Timestamp
    /// When the refresh token in force ends, and with it the session unless it is refreshed before.
    package var expiresAt: Timestamp

    package init(id: SessionID, userID: UserID, createdAt: Timestamp, expiresAt: Timestamp) {
        (self.id, self.userID, self.createdAt, self.expiresAt) = (id, userID, createdAt, expiresAt)
    }
}
