extension Wire {
    /// A user.
    package struct User: ListItem, Equatable, Sendable {
        /// The key of a list of these in a response.
        package static let listKey = "users"

        /// The id, an opaque text.
        package var id: String
        /// The first name; visible to users who share a unit with this user.
        package var firstName: String?
        /// The last name; visible to co-tenants and managers.
        package var lastName: String?
        /// The email address for signing in; visible to managers and to the user.
        package var email: String?
        /// Whether the user is enabled; visible to managers.
        package var isEnabled: Bool?
        /// Whether the user administers the gateway.
        package var isSuperAdmin: Bool?
        /// The role associations that the reader may see.
        package var roleAssociations: [RoleAssociation]?
        /// The guest accesses that the user holds, including ended ones; visible to the user.
        package var guestAccesses: [GuestAccess]?
        /// The portfolio that clients show the user first.
        package var defaultPortfolioId: String?
        /// The property that clients show the user first.
        package var defaultPropertyId: String?
        /// The unit that clients show the user first.
        package var defaultUnitId: String?
        /// Whether the user has the compliance pack.
        package var hasCompliancePack: Bool?
        /// When the user was created.
        package var createdAt: String?
        /// When the user was last changed.
        package var updatedAt: String?
        /// The level at which the reader sees it: `PUBLIC RESIDENT OPERATIONS MANAGEMENT OWNER`, or `SELF` for the reader's own user.
        package var viewLevel: String?

        /// The first and last name, if the reader may see them; `nil` if the reader may see neither.
        package var fullName: String? {
            let parts = [firstName, lastName].compactMap(\.self).filter { !$0.isEmpty }
            return parts.isEmpty ? nil : parts.joined(separator: " ")
        }
    }

    /// `data` of a response about one user.
    package struct UserAnswer: Decodable, Sendable {
        /// The user, with the fields that are visible to the reader.
        package var user: User
    }

    /// `data` of the response to a redeemed receipt.
    package struct RedeemedReceiptAnswer: Decodable, Sendable {
        /// The caller, who has the compliance pack now.
        package var user: User
        /// What the purchase gives, as a sentence.
        package var message: String
    }

    /// `data` of the response to the creation of a password reset.
    package struct PasswordResetAnswer: Decodable, Sendable {
        /// The password reset, for the user. It is shown only once.
        package var reset: PasswordReset

        /// A link with which a user can set a password once.
        package struct PasswordReset: Decodable, Sendable {
            /// The URL of the page, including the token.
            package var url: String
            /// The token for `POST /auth/reset-password`.
            package var token: String
            /// The instant at which the link expires.
            package var expiresAt: String
        }
    }
}
