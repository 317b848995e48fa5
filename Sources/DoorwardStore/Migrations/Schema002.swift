import GRDB

/// The second schema: sessions past their time, and their tokens, are found without reading all of them.
enum Schema002 {
    @Sendable static func apply(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE INDEX sessions_by_expiry ON sessions (expires_at);
                CREATE INDEX refresh_tokens_by_session ON refresh_tokens (session_id);
                """)
    }
}
