extension Wire {
    /// What a person is to a portfolio, a property or a unit.
    package struct RoleAssociation: Decodable, Equatable, Sendable {
        /// What a rule names it by.
        package var id: String
        /// Who holds the role.
        package var userId: String
        /// `PORTFOLIO`, `PROPERTY` or `UNIT`.
        package var associatedEntityType: String
        /// On which one the role is held.
        package var associatedEntityId: String
        /// Such as `TENANT`.
        package var roleWithinEntity: String
        /// When it was given.
        package var createdAt: String
        /// As `createdAt`: a role is given and taken, and never changed.
        package var updatedAt: String
    }

    /// `data` of an answer to the giving of a role.
    package struct RoleAssociationAnswer: Decodable, Sendable {
        /// In force by the time of the answer.
        package var roleAssociation: RoleAssociation
    }
}
