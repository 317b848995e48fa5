extension Wire {
    /// A person.
    package struct User: Decodable, Equatable, Sendable {
        /// Opaque, as every id.
        package var id: String
        /// Seen by whoever shares a unit with them.
        package var firstName: String?
        /// Seen by co-tenants and managers.
        package var lastName: String?
        /// What they sign in with; seen by managers and themselves.
        package var email: String?
        /// Whether they may do anything; seen by managers.
        package var isEnabled: Bool?
        /// Whether they run the gateway.
        package var isSuperAdmin: Bool?
        /// What they hold, as far as the reader may know of it.
        package var roleAssociations: [RoleAssociation]?
        /// What they are a guest of, ended ones too; seen by themselves.
        package var guestAccesses: [GuestAccess]?
        /// The portfolio that their clients open first.
        package var defaultPortfolioId: String?
        /// The property that their clients open first.
        package var defaultPropertyId: String?
        /// The unit that their clients open first.
        package var defaultUnitId: String?
        /// Whether they have the compliance pack.
        package var hasCompliancePack: Bool?
        /// When they were made.
        package var createdAt: String?
        /// When they were changed last.
        package var updatedAt: String?

        /// First and last name, as far as the reader may know them; `nil` without either.
        package var fullName: String? {
            let parts = [firstName, lastName].compactMap(\.self).filter { !$0.isEmpty }
            return parts.isEmpty ? nil : parts.joined(separator: " ")
        }
    }

    /// `data` of an answer about one person.
    package struct UserAnswer: Decodable, Sendable {
        /// As its reader may see it.
        package var user: User
    }

    /// `data` of an answer to the making of a one-time link.
    package struct PasswordResetAnswer: Decodable, Sendable {
        /// To be handed over: it is shown once.
        package var reset: PasswordReset

        /// A link with which one password is set once.
        package struct PasswordReset: Decodable, Sendable {
            /// The page, with the token.
            package var url: String
            /// What `POST /auth/reset-password` takes.
            package var token: String
            /// From this instant on it is good for nothing.
            package var expiresAt: String
        }
    }

    /// `data` of a page of people.
    package struct UserPage: Decodable, Sendable {
        /// In the order that was asked for.
        package var users: [User]
        /// Where in the whole list the page lies.
        package var pagination: Pagination
    }
}
