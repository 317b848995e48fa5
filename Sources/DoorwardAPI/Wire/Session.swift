extension Wire {
    /// One sign-in of the caller.
    package struct Session: Decodable, Equatable, Sendable {
        /// Opaque, as every id.
        package var id: String
        /// When the sign-in succeeded.
        package var createdAt: String
        /// When it expires, unless it is refreshed before.
        package var expiresAt: String
        /// Whether the request belongs to this session.
        package var isCurrent: Bool
    }

    /// `data` of the list of the caller's sessions.
    package struct SessionsAnswer: Decodable, Sendable {
        /// The valid sessions, oldest first.
        package var sessions: [Session]
    }

    /// `data` of the response to the creation of recovery codes.
    package struct RecoveryCodesAnswer: Decodable, Sendable {
        /// The codes, which are shown only once; each can set the password once.
        package var recoveryCodes: [String]
    }
}
