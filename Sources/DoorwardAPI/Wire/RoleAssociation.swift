extension Wire {
    /// The role of a user on a portfolio, a property or a unit.
    package struct RoleAssociation: Decodable, Equatable, Sendable {
        /// The id by which a rule refers to the association.
        package var id: String
        /// The user who holds the role.
        package var userId: String
        /// `PORTFOLIO`, `PROPERTY` or `UNIT`.
        package var associatedEntityType: String
        /// The id of the entity on which the role is held.
        package var associatedEntityId: String
        /// The role, such as `TENANT`.
        package var roleWithinEntity: String
        /// When the role was assigned.
        package var createdAt: String
        /// Equal to `createdAt`: an association is created and deleted, but never changed.
        package var updatedAt: String
    }

    /// `data` of the response to the assignment of a role.
    package struct RoleAssociationAnswer: Decodable, Sendable {
        /// The association, which is in force when the response is sent.
        package var roleAssociation: RoleAssociation
    }
}
