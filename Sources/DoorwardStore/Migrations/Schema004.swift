import GRDB

/// The fourth schema: the index of rare kinds names the common ones one by one.
///
/// For `NOT IN` with more than two values SQLite builds a table of them, with a page cache of its own, and throws it away: at
/// every entry, whether or not the index takes it.
enum Schema004 {
    @Sendable static func apply(_ db: Database) throws {
        try db.execute(
            sql: """
                DROP INDEX entries_by_rare_kind;
                CREATE INDEX entries_by_rare_kind ON entries (kind)
                    WHERE kind <> 'COMMAND_INTENT' AND kind <> 'COMMAND_OUTCOME' AND kind <> 'DEVICE_EVENT';
                """)
    }
}
