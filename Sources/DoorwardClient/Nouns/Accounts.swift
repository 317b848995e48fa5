extension Doorward {
    /// An API key, without its secret.
    package struct APIKey: NamedNoun, Equatable, Sendable {
        /// The field of a response that contains a list of these objects.
        package static let listKey = "apiKeys"
        /// The field of a response that contains one of these objects.
        package static let objectKey = "apiKey"
        /// The path of the list.
        package static let listPath = "api-keys"

        /// Opaque, as every id.
        package var id: String
        /// Describes the program that uses the key.
        package var name: String
        /// The type of that entity.
        package var entityType: EntityType
        /// The entity that the role applies to.
        package var entityId: String
        /// The role that limits the key's rights, in addition to those of the user who created it.
        package var role: Role
        /// The user who created it.
        package var userId: String
        /// When it was created.
        package var createdAt: Instant
        /// From this instant on, the key is rejected.
        package var expiresAt: Instant
    }

    /// An API key that was just created. No other response contains its secret.
    package struct IssuedAPIKey: Decodable, Sendable, Confidential {
        /// The new key.
        package var apiKey: APIKey
        /// The secret, which is shown only once, sent as `Bearer`.
        package var secret: String

        /// A description without the secret, so that printing the value does not reveal it.
        package var description: String { "the API key \(apiKey.id)" }
    }

    /// A sign-in, or a refresh of its tokens.
    package struct SignedIn: Decodable, Sendable, Confidential {
        /// The user who has signed in, with all fields.
        package var user: User
        /// The access token, which is sent as `Bearer`.
        package var token: String
        /// The lifetime of `token` in seconds.
        package var expiresIn: Int
        /// The refresh token, which is valid for one refresh. A second use ends the session.
        package var refreshToken: String

        /// A description without the tokens, so that printing the value does not reveal them.
        package var description: String { "the sign-in of \(user.id)" }
    }

    /// One sign-in of the caller.
    package struct OwnSession: Decodable, Equatable, Sendable {
        /// Opaque, as every id.
        package var id: String
        /// When the sign-in succeeded.
        package var createdAt: Instant
        /// When it expires, unless it is refreshed before.
        package var expiresAt: Instant
        /// Whether the request belongs to this session.
        package var isCurrent: Bool
    }

    /// An invitation of an email address.
    package struct Invitation: NamedNoun, Equatable, Sendable {
        /// The field of a response that contains a list of these objects.
        package static let listKey = "invitations"
        /// The field of a response that contains one of these objects.
        package static let objectKey = "invitation"

        /// Opaque, as every id.
        package var id: String
        /// The invited address.
        package var email: String
        /// The offered role; `nil` for an invitation to set the first password.
        package var role: Role?
        /// The token for `POST /auth/accept-invitation`; only in the response to the creation.
        package var token: String?
        /// The URL of the page, including the token; only in the response to the creation.
        package var url: String?
        /// The instant at which it expires.
        package var expiresAt: Instant
    }

    /// A user who was just created without a password.
    package struct InvitedUser: Decodable, Sendable {
        /// The user, who cannot sign in yet.
        package var user: User
        /// The invitation to set the first password, to be handed over.
        package var invitation: Invitation
    }

    /// A link that was just created. No other response contains its URL.
    package struct GuestLink: Decodable, Sendable {
        /// The URL of the guest's page, with the token.
        package var url: String
        /// When the link ends with its guest access.
        package var expiresAt: Instant
        /// A QR code of the URL as an SVG image; `nil` for a URL that is too long.
        package var qr: String?
        /// What a person should know before handing the link on, as sentences; `nil` if there is nothing.
        package var warning: String?
    }

    /// A lock of a guest access.
    package struct NamedLock: Decodable, Equatable, Sendable {
        /// The id of the lock.
        package var id: String
        /// The name of the lock.
        package var name: String
    }
}
