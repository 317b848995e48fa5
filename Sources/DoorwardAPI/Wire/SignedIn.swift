extension Wire {
    /// `data` of a sign-in and of its renewal.
    package struct SignedIn: Decodable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        /// Who has signed in, whole.
        package var user: User
        /// What is sent as `Bearer`.
        package var token: String
        /// Seconds that `token` is good for.
        package var expiresIn: Int
        /// Good for one renewal; used twice, it ends the session.
        package var refreshToken: String

        /// Without the tokens, whatever prints it.
        package var description: String { "the sign-in of \(user.id)" }
        /// As `description`.
        package var debugDescription: String { description }
        /// As `description`.
        package var customMirror: Mirror { Mirror(reflecting: description) }
    }
}
