import GRDB

/// The fourth schema: the index of rare kinds excludes the common ones with `<>` instead of `NOT IN`.
///
/// For `NOT IN` with more than two values, SQLite builds a temporary table with its own page cache for every inserted entry,
/// even if the entry is not in the index.
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
