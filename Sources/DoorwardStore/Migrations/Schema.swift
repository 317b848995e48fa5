import GRDB

/// The database's schema: the application id that marks a file as Doorward's, and the migration steps from older schemas.
struct Schema: Sendable {
    /// A migration from one schema to the next, in one transaction.
    struct Step: Sendable {
        /// `.deferred` for a step that recreates a table that other tables reference. Foreign keys are then not enforced while
        /// the step runs; all of them are checked before its COMMIT.
        let foreignKeyChecks: DatabaseMigrator.ForeignKeyChecks
        /// The keys are for a step that encrypts personal data.
        let apply: @Sendable (Database, PersonKeyFile) throws -> Void
    }

    /// The schema that this program writes. A published step is never changed: the next change of the schema is a further step.
    static let current = Schema(steps: [
        Step(foreignKeyChecks: .immediate, apply: BaselineSchema.apply),
        Step(foreignKeyChecks: .immediate) { db, _ in try db.execute(sql: "ALTER TABLE devices ADD COLUMN notes TEXT") },
    ])

    /// `Door` in ASCII, in the file's header (SQLite, "Database File Format", 1.3.16).
    static let applicationID: Int32 = 0x446F_6F72

    /// The steps in order. Step n brings a file from schema n - 1 to schema n.
    let steps: [Step]

    var number: Int { steps.count }

    /// Migrates the file to this schema, each step in its own transaction. If the process ends between two steps, the next
    /// process continues with the remaining steps.
    ///
    /// - Parameter keys: the keys of the database's person-key file. Tests and checks of the schema alone need none.
    func migrate(_ queue: DatabaseQueue, keys: PersonKeyFile = .inMemory()) throws {
        // Set the application id before any other write: GRDB creates its table of migrations in a transaction of its own.
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA application_id = \(Self.applicationID)") }
        try migrator(keys).migrate(queue)
    }

    private func migrator(_ keys: PersonKeyFile) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for (index, step) in steps.enumerated() {
            migrator.registerMigration("\(index + 1)", foreignKeyChecks: step.foreignKeyChecks) { db in
                try step.apply(db, keys)
                try db.execute(sql: "PRAGMA user_version = \(index + 1)")
            }
        }
        return migrator
    }

    /// Throws if another program created the file, or if the file's schema is newer than this one.
    /// The caller must check before it writes to the file.
    func check(_ db: Database, path: String) throws {
        let application = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let found = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        if application == 0, found == 0, try Self.holdsNothing(db) { return }
        guard application == Self.applicationID else { throw StoreOpenError.notOurs(path: path) }
        guard found <= number else { throw StoreOpenError.newerSchema(path: path, found: found, known: number) }
    }

    /// Returns whether the file is empty. An empty table of migrations is allowed, because an interrupted first start may leave
    /// it.
    private static func holdsNothing(_ db: Database) throws -> Bool {
        let others = "SELECT count(*) FROM sqlite_schema WHERE tbl_name <> 'grdb_migrations'"
        guard try Int.fetchOne(db, sql: others) == 0 else { return false }
        return try !db.tableExists("grdb_migrations") || Int.fetchOne(db, sql: "SELECT count(*) FROM grdb_migrations") == 0
    }
}
