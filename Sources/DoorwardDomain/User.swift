/// A person who can sign in. What they may do follows from their associations and guest accesses, which live beside them.
package struct User: Hashable, Sendable {
    package let id: UserID
    /// As it was given; two users' addresses differ also when upper and lower case are taken as one.
    package var email: String
    /// All of a person's name that a guest sees.
    package var firstName: String
    package var lastName: String
    /// False: they can neither sign in nor do anything, and what they hold stays.
    package var isEnabled: Bool
    /// Runs the gateway and operates no lock; see `Role.superAdmin`.
    package var isSuperAdmin: Bool
    /// What a client shows them first, with the two below; gives no right. `nil` when not chosen.
    package var defaultPortfolioID: PortfolioID?
    package var defaultPropertyID: PropertyID?
    package var defaultUnitID: UnitID?
    /// Whether they bought the compliance report, which then needs no module of the portfolio.
    package var hasCompliancePack: Bool
    package let createdAt: Timestamp
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
    package let id: AssociationID
    package let userID: UserID
    /// The role holds here and on all below.
    package let entity: AssociatedEntity
    /// One of the type's `assignableRoles`; any other gives no right.
    package let role: Role
    package let createdAt: Timestamp
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
    package let id: SessionID
    package let userID: UserID
    package let createdAt: Timestamp
    /// When the refresh token in force ends, and with it the session unless it is refreshed before.
    package var expiresAt: Timestamp

    package init(id: SessionID, userID: UserID, createdAt: Timestamp, expiresAt: Timestamp) {
        (self.id, self.userID, self.createdAt, self.expiresAt) = (id, userID, createdAt, expiresAt)
    }
}
