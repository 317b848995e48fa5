extension Wire {
    /// `data` of the responses to a sign-in and to a refresh of its tokens.
    package struct SignedIn: Decodable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
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
        /// The same text as `description`.
        package var debugDescription: String { description }
        /// The same text as `description`.
        package var customMirror: Mirror { Mirror(reflecting: description) }
    }
}
