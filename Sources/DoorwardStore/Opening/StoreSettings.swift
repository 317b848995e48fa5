import GRDB

/// The settings that durability and privacy depend on, as reported by the writer's connection.
package struct StoreSettings: Equatable, Sendable {
    /// The journal mode. Must be `wal`.
    package let journalMode: String
    /// Must be 2 (`FULL`): every commit is flushed before it is acknowledged.
    package let synchronous: Int
    /// Must be 1: deleted content is overwritten with zeros.
    package let secureDelete: Int
    /// Must be 0: the writer checkpoints between batches, never inside a commit.
    package let automaticCheckpoint: Int
    /// Must be 1: foreign keys are enforced.
    package let foreignKeys: Int

    init(_ db: Database) throws {
        journalMode = try String.fetchOne(db, sql: "PRAGMA journal_mode") ?? ""
        synchronous = try Int.fetchOne(db, sql: "PRAGMA synchronous") ?? -1
        secureDelete = try Int.fetchOne(db, sql: "PRAGMA secure_delete") ?? -1
        automaticCheckpoint = try Int.fetchOne(db, sql: "PRAGMA wal_autocheckpoint") ?? -1
        foreignKeys = try Int.fetchOne(db, sql: "PRAGMA foreign_keys") ?? -1
    }

    /// The first setting with a wrong value, for an error message; `nil` if all values are right.
    var violation: String? {
        if journalMode != "wal" { return "write-ahead logging" }
        if synchronous != 2 { return "synchronous = FULL" }
        if secureDelete != 1 { return "secure_delete" }
        if automaticCheckpoint != 0 { return "wal_autocheckpoint = 0" }
        return foreignKeys == 1 ? nil : "foreign_keys"
    }
}
