extension Wire {
    /// An invitation of an email address.
    package struct Invitation: ListItem, Sendable {
        /// The key of a list of these in a response.
        package static let listKey = "invitations"

        /// Opaque, as every id.
        package var id: String
        /// The invited address.
        package var email: String
        /// The offered role; `nil` for an invitation to set the first password.
        package var role: String?
        /// The token for `POST /auth/accept-invitation`; only in the response to the creation.
        package var token: String?
        /// The URL of the page, including the token; only in the response to the creation.
        package var url: String?
        /// The instant at which it expires.
        package var expiresAt: String
    }

    /// `data` of a response about one invitation.
    package struct InvitationAnswer: Decodable, Sendable {
        /// The invitation.
        package var invitation: Invitation
    }
}
