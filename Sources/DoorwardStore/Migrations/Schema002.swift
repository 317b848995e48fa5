import GRDB

/// The second schema adds two indexes: for expired sessions, and for the refresh tokens of a session.
enum Schema002 {
    @Sendable static func apply(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE INDEX sessions_by_expiry ON sessions (expires_at);
                CREATE INDEX refresh_tokens_by_session ON refresh_tokens (session_id);
                """)
    }
}
