internal import DoorwardDomain
package import DoorwardKernel
internal import DoorwardPolicy
import FoundationEssentials
import GRDB
import Glibc

/// Checks a database file that no gateway has open, and reports its first fault.
///
/// The file is not changed. A write-ahead log beside the file is read and kept. The check
/// holds the lock on `<path>.lock` and on the file, so that no gateway opens the file meanwhile.
package struct StoreCheck {
    /// Checks the file at `path`. Blocks until the check is complete: about 10 s for a million records.
    ///
    /// - Parameters:
    ///   - personKeyFile: the person-key file; `nil` for `<path>.person-keys`. If it does not exist, encrypted values are not
    ///     checked, and counted as such: a backup does not contain the file.
    ///   - progress: called on the caller's thread.
    /// - Throws: if the file cannot be checked at all: a gateway has it open, a newer program wrote it, it is not a Doorward
    ///   database, or a system call fails. A fault in the content is returned in the report.
    package static func run(
        path: String, personKeyFile: String? = nil, progress: (StoreCheckProgress) -> Void = { _ in }
    ) throws(StoreOpenError) -> StoreCheckReport {
        let file = try DatabaseFile(at: path)
        guard access(file.path, F_OK) == 0 else {
            throw .failed(path: file.path, reason: systemError("there is nothing to check"))
        }
        let lock = try FileLock(for: file.path)
        defer { lock.release() }
        let fileLock = try InodeLock(for: file.path)
        defer { fileLock.release() }
        // A read-only connection creates these files in WAL mode, and does not remove them.
        let new = ["-wal", "-shm"].map { file.path + $0 }.filter { access($0, F_OK) != 0 }
        defer { for name in new { unlink(name) } }
        do {
            let queue = try DatabaseQueue(path: file.path, configuration: configuration)
            defer { try? queue.close() }
            return try queue.read { db in
                let keys = try PersonKeyFile.reading(
                    personKeyFile ?? "\(file.path).person-keys", knownTo: file.path, id: try PersonKeyFile.storedID(in: db))
                return try StoreCheck(db: db, path: file.path, keys: keys).report(progress)
            }
        } catch {
            throw StoreOpenError(error, path: file.path)
        }
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "doorward.store.check"
        configuration.readonly = true
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -32768")
        }
        return configuration
    }

    private let db: Database
    private let path: String
    private let keys: PersonKeyFile?

    private func report(_ progress: (StoreCheckProgress) -> Void) throws -> StoreCheckReport {
        try Schema.current.check(db, path: path)
        let schema = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        // Schema 0 is an empty file. A gateway would create a new database in it, so it is not a Doorward database yet.
        guard schema > 0 else { throw StoreOpenError.notOurs(path: path) }
        var report = StoreCheckReport(
            path: path, bytes: fileStatus(path).map { Int64($0.st_size) } ?? 0, schema: schema, counts: StoreCheckCounts())
        do {
            let check = SchemaCheck(of: schema)
            try check.run(in: db)
            try check.completeColumns(in: db)
            var records = RecordsCheck(db: db, keys: keys)
            defer { report.counts = records.counts }
            try records.run(progress)
            progress(StoreCheckProgress(stage: .structure, done: 0, total: 1))
            try TenancyRows(db: db, keys: keys).check()
            try StructureCheck(db: db).run()
            progress(StoreCheckProgress(stage: .structure, done: 1, total: 1))
        } catch {
            guard let fault = StoreFault(error) else { throw error }
            report.fault = fault
        }
        return report
    }
}

extension SQLiteStore {
    /// The first value of the tenancy, or instant of another table, that no gateway writes; `nil` if there is none, or if the tables cannot
    /// be read. Reads no records. Cancelling the task interrupts it.
    package func damage() async -> StoreFault? {
        try? await reader.read { [keys] db in
            do {
                try TenancyRows(db: db, keys: keys).check()
                try StructureCheck(db: db).checkInstants()
                return nil
            } catch {
                return StoreFault(error)
            }
        }
    }
}

/// Checks that the tables, indexes and views of a file are exactly those that the steps up to the file's own schema create. A file of an
/// older schema, such as a backup, is whole: the next start of a gateway migrates it.
struct SchemaCheck {
    private struct Item: Equatable {
        let name: String
        /// The statement that creates the item; `nil` for an index that SQLite creates for a table's constraint.
        let sql: String?
    }

    /// The file's own schema, and the one of this program.
    private let schema, current: Schema

    init(of number: Int, current: Schema = .current) {
        (schema, self.current) = (Schema(steps: Array(current.steps.prefix(number))), current)
    }

    func run(in db: Database) throws {
        let expected = try Self.inEmptyDatabase(of: schema, Self.items)
        let found = try Self.items(in: db)
        for item in expected where !found.contains(item) { throw StoreFault(.schema(item.name)) }
        for item in found where !expected.contains(item) { throw StoreFault(.schema(item.name)) }
    }

    /// Makes what later steps add readable in a file of an older schema, by temporary views: columns with their defaults, and empty tables.
    /// The views hide the tables of the same name from this connection, and are not in the file.
    func completeColumns(in db: Database) throws {
        guard schema.number < current.number else { return }
        let (old, new) = (try Self.inEmptyDatabase(of: schema, Self.columns), try Self.inEmptyDatabase(of: current, Self.columns))
        for (table, columns) in new {
            let missing = columns.filter { old[table]?[$0.key] == nil }.sorted { $0.key < $1.key }
            guard !missing.isEmpty else { continue }
            let added = missing.map { "\($0.value) AS \"\($0.key)\"" }.joined(separator: ", ")
            let source = old[table] == nil ? "\(added) WHERE false" : "*, \(added) FROM main.\"\(table)\""
            try db.execute(sql: "CREATE TEMP VIEW \"\(table)\" AS SELECT \(source)")
        }
    }

    /// Returns what `read` finds in an empty in-memory database of the schema.
    private static func inEmptyDatabase<Value>(of schema: Schema, _ read: (Database) throws -> Value) throws -> Value {
        let queue = try DatabaseQueue()
        try schema.migrate(queue)
        return try queue.read(read)
    }

    /// Returns the columns of each table, each with the expression of its default.
    private static func columns(in db: Database) throws -> [String: [String: String]] {
        let columns = try db.rows(
            """
            SELECT t.name, c.name, coalesce(c.dflt_value, 'NULL') FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
            WHERE t.type = 'table'
            """
        ) { (table: try $0.value() as String, column: try $0.value() as String, value: try $0.value() as String) }
        return columns.reduce(into: [:]) { $0[$1.table, default: [:]][$1.column] = $1.value }
    }

    /// Returns all items except SQLite's own statistics tables.
    private static func items(in db: Database) throws -> [Item] {
        try db.rows(
            "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_stat%' ESCAPE '\\' ORDER BY rootpage = 0, name"
        ) { Item(name: try $0.value(), sql: try $0.optional()) }
    }
}

extension TenancyRows {
    /// Reads the whole tenancy as a gateway does when it starts. A single unreadable row would prevent the start.
    func check() throws {
        for table in TenancyTable.allCases {
            var after: Data?
            repeat {
                do {
                    let page = try page(of: table, after: after)
                    for entity in page.changes.compactMap(\.referencedEntity) {
                        guard try entity.exists(in: db) else { throw StoreFault(.reference(table.rawValue)) }
                    }
                    after = page.next
                } catch let error as UnreadableColumn {
                    throw StoreFault(.unreadable("\(table.rawValue).\(error.place)"))
                }
            } while after != nil
        }
    }
}

extension TenancyChange {
    /// The entity that an association, API key or invitation refers to by type and id.
    var referencedEntity: AssociatedEntity? {
        switch self {
        case .putAssociation(let association): association.entity
        case .putAPIKey(let key): key.entity
        case .putInvitation(let invitation): invitation.entity
        default: nil
        }
    }
}

extension AssociatedEntity {
    /// Returns whether the entity's row exists. The id references one of three tables, so no foreign key can enforce this.
    func exists(in db: Database) throws -> Bool {
        let table: TenancyTable =
            switch type {
            case .portfolio: .portfolios
            case .property: .properties
            case .unit: .units
            }
        return try db.hasRow("SELECT 1 FROM \(table.rawValue) WHERE id = ?", [id])
    }
}

/// Runs SQLite's own checks of the pages, the indexes, the types of the values, and the foreign keys, and checks the instants that
/// no other check reads.
struct StructureCheck {
    let db: Database

    func run() throws {
        let words = try db.firstRow("PRAGMA integrity_check(1)") { try $0.value(String.self) } ?? "no answer"
        guard words == "ok" else { throw StoreFault(.structure(words.split(separator: "\n").last.map(String.init) ?? words)) }
        if let table = try db.firstRow("PRAGMA foreign_key_check", read: { try $0.value(String.self) }) {
            throw StoreFault(.reference(table))
        }
        try checkInstants()
    }

    /// Checks the instants alone, without reading the whole file.
    func checkInstants() throws {
        for (table, key, columns) in Self.instants {
            let ends = columns.map { "min(\($0)) AS \($0), max(\($0)) AS \($0)" }.joined(separator: ", ")
            do {
                _ = try db.firstRow("SELECT \(ends) FROM \(table)") { row in
                    for _ in 0..<2 * columns.count { _ = try row.optional(Timestamp.self) }
                }
            } catch var error as UnreadableColumn {
                error.row = try row(of: table, key, with: error.column)
                throw StoreFault(.unreadable("\(table).\(error.place)"))
            }
        }
    }

    /// Returns the key of the row with the earliest or the latest value of a column, if that value is not a valid instant.
    private func row(of table: String, _ key: String, with column: String) throws -> String? {
        for end in ["ASC", "DESC"] {
            let sql = "SELECT \(key), \(column) FROM \(table) WHERE \(column) IS NOT NULL ORDER BY \(column) \(end) LIMIT 1"
            let name = try db.firstRow(sql) { row -> String? in
                _ = row.stored()
                return (try? row.value(Timestamp.self)) == nil ? row.rowName : nil
            }
            if let name = name ?? nil { return name }
        }
        return nil
    }

    /// The instants that no other check reads, by table, with the column that names a row. The table is read once, for the
    /// earliest and the latest.
    private static let instants = [
        ("clock", "id", ["mark", "step_before", "step_after"]),
        ("commands", "id", ["requested_at", "deadline", "dispatched_at", "completed_at"]),
        ("idempotency", "principal", ["created_at"]), ("log_checkpoints", "log_id", ["signed_at"]),
        ("password_resets", "id", ["created_at", "expires_at"]), ("purchases", "user_id", ["redeemed_at"]),
        ("sessions", "id", ["created_at", "expires_at"]),
    ]
}

/// The result of checking a database file.
package struct StoreCheckReport: Equatable, Sendable {
    /// The file's resolved path: absolute and without symbolic links.
    package let path: String
    /// The size of the file in bytes, without a write-ahead log beside it.
    package let bytes: Int64
    /// The number of the file's schema.
    package let schema: Int
    /// The amount of data that was checked: the data before the first fault, or the whole file.
    package var counts: StoreCheckCounts
    /// The first fault; `nil` if there is none. Logs are checked in the order of their creation,
    /// each from its first record on. The data that belongs to no log is checked last.
    package var fault: StoreFault?

    /// Whether no fault was found.
    package var isWhole: Bool { fault == nil }
}

/// The amount of data that a check has covered.
package struct StoreCheckCounts: Equatable, Sendable {
    /// The logs without a fault, sorted by id.
    package internal(set) var logs: [LogSize] = []
    /// Records whose bytes, leaf hash, columns and personal values were compared.
    package internal(set) var records: UInt64 = 0
    /// Commands that have an intent.
    package internal(set) var commands: UInt64 = 0
    /// Commands without an outcome. A gateway that opens the file ends them as `UNKNOWN`.
    package internal(set) var openCommands: UInt64 = 0
    /// Personal values that were decrypted and match the commitment in their record.
    package internal(set) var personalValues: UInt64 = 0
    /// Personal values whose key was erased, so that they cannot be verified.
    package internal(set) var erasedValues: UInt64 = 0
    /// Personal values that were not verified, because there is no person-key file.
    package internal(set) var unverifiedValues: UInt64 = 0
}

/// The progress of a check, reported at the beginning, at intervals, and at the end of each stage.
package struct StoreCheckProgress: Equatable, Sendable {
    /// The stages, in order.
    package enum Stage: String, CaseIterable, Sendable {
        /// Every record of every log; `done` and `total` count records.
        case records
        /// Tenancy rows, references, and SQLite's own check of its pages and indexes. Only the
        /// beginning and the end of this stage are reported: `done` is 0, then 1, and `total` is 1.
        case structure
    }

    /// The current stage; `records` comes before `structure`.
    package let stage: Stage
    /// The completed amount of the stage. It never decreases within a stage.
    package let done: UInt64
    /// The size of the stage, which is known when the stage begins. For `records`, the size is 0 if the database has no records.
    package let total: UInt64
}
