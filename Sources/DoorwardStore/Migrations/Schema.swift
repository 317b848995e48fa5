import GRDB

/// The database's schema: what marks a file as ours, and the steps that bring an older file up to date.
enum Schema {
    /// `Door` in ASCII, in the file's header (SQLite, "Database File Format", 1.3.16).
    static let applicationID: Int32 = 0x446F_6F72

    /// The steps in order. Step n brings a file from schema n - 1 to schema n; a published step is never changed.
    static let steps: [@Sendable (Database) throws -> Void] = [Schema001.apply]

    /// The schema that this program writes.
    static var number: Int { steps.count }

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for (index, step) in steps.enumerated() {
            migrator.registerMigration("\(index + 1)", foreignKeyChecks: .immediate) { db in
                try step(db)
                try db.execute(sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(index + 1)")
            }
        }
        return migrator
    }

    /// Refuses, before anything is written, a file that another program made or that is newer than this one.
    static func check(_ db: Database, path: String) throws {
        let application = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let found = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        if application == 0, found == 0, try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") == 0 { return }
        guard application == applicationID else { throw StoreOpenError.notOurs(path: path) }
        guard found <= number else { throw StoreOpenError.newerSchema(path: path, found: found, known: number) }
    }
}
