import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Foundation
import GRDB
import Testing

@testable import DoorwardStore

@Suite struct MigrationTests {
    /// Rebuilds the table `portfolios`, to which other tables have foreign keys. Works only with deferred foreign key checks.
    private static let rebuild = """
        CREATE TABLE new_portfolios (
            id BLOB PRIMARY KEY, name TEXT NOT NULL CHECK (length(name) > 0), created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        INSERT INTO new_portfolios SELECT id, name, created_at, updated_at FROM portfolios;
        DROP TABLE portfolios;
        ALTER TABLE new_portfolios RENAME TO portfolios;
        """

    @Test("A migration with deferred foreign key checks rebuilds a referenced table and keeps every row")
    func deferredStep() async throws {
        let database = try TemporaryDatabase()
        let script = try await populate(database)
        let schema = extended(.deferred, Self.rebuild)
        let connection = try WriterConnection.open(path: database.path, limits: StoreLimits(), schema: schema)
        let found = try await connection.queue.writeWithoutTransaction { db in
            (
                version: try Int.fetchOne(db, sql: "PRAGMA user_version"), violation: try StoreSettings.violation(in: db),
                dangling: try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").count,
                portfolios: try Int.fetchOne(db, sql: "SELECT count(*) FROM portfolios")
            )
        }
        #expect(found.version == schema.number)
        #expect(found.violation == nil, "foreign keys are enforced again")
        #expect(found.dangling == 0)
        #expect(found.portfolios == 2)
        try connection.close()
        let logs = try StoredLogs(path: database.path)
        #expect(logs.integrity == "ok")
        #expect(logs.sizes == [.portfolio(script.portfolio): 1])
        #expect(throws: StoreOpenError.self, "this program's schema is older than the file's") { try database.open() }
    }

    @Test(
        "A migration that fails or leaves a dangling reference leaves the file unchanged",
        arguments: [
            (DatabaseMigrator.ForeignKeyChecks.deferred, "DELETE FROM portfolios"), (.immediate, "DELETE FROM portfolios"),
            (.immediate, "CREATE TABLE more (a); INSERT INTO missing VALUES (1)"), (.deferred, "DROP TABLE units; nonsense"),
        ])
    func failedStep(checks: DatabaseMigrator.ForeignKeyChecks, sql: String) async throws {
        let database = try TemporaryDatabase()
        let script = try await populate(database)
        #expect(throws: StoreOpenError.self) {
            try WriterConnection.open(path: database.path, limits: StoreLimits(), schema: extended(checks, sql))
        }
        let store = try database.open()
        var loaded: Set<TenancyChange> = []
        try await store.loadTenancy { loaded.insert($0) }
        #expect(loaded == Set(script.fixture.changes))
        try await store.close()
    }

    private func extended(_ checks: DatabaseMigrator.ForeignKeyChecks, _ sql: String) -> Schema {
        Schema(steps: Schema.current.steps + [Schema.Step(foreignKeyChecks: checks) { db, _ in try db.execute(sql: sql) }])
    }

    private func populate(_ database: TemporaryDatabase) async throws -> StoreScript {
        let store = try database.open()
        var script = StoreScript(seed: 1)
        _ = try await store.commit(script.tenancy)
        _ = try await store.commit(StoreTransaction(records: [PendingRecord(script.event(on: script.door))]))
        try await store.close()
        return script
    }
}
