extension Wire {
    /// An API key, without its secret.
    package struct APIKey: ListItem, Equatable, Sendable {
        /// The key of a list of these in a response.
        package static let listKey = "apiKeys"

        /// Opaque, as every id.
        package var id: String
        /// Describes the program that uses the key.
        package var name: String
        /// `PORTFOLIO`, `PROPERTY` or `UNIT`.
        package var entityType: String
        /// The entity that the role applies to.
        package var entityId: String
        /// The role that limits the key's rights, in addition to those of the user who created it.
        package var role: String
        /// The user who created it.
        package var userId: String
        /// When it was created.
        package var createdAt: String
        /// From this instant on, the key is rejected.
        package var expiresAt: String
    }

    /// `data` of the response to the creation of an API key.
    package struct NewAPIKeyAnswer: Decodable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
    {
        /// The new key.
        package var apiKey: APIKey
        /// The secret, which is shown only once, sent as `Bearer`.
        package var secret: String

        /// A description without the secret, so that printing the value does not reveal it.
        package var description: String { "the API key \(apiKey.id)" }
        /// As `description`.
        package var debugDescription: String { description }
        /// As `description`.
        package var customMirror: Mirror { Mirror(reflecting: description) }
    }
}
