import DoorwardAudit
import DoorwardDomain
import Foundation
import GRDB

@testable import DoorwardStore

/// Database files as an earlier version of the program wrote them.
enum EarlierFile {
    /// Creates a file with an earlier schema, and copies the rows of another file into it, for the
    /// columns that exist in both files.
    static func make(_ path: String, schema number: Int, rowsOf source: String) throws {
        let earlier = Schema(steps: Array(Schema.current.steps.prefix(number)))
        // The key file comes first: a file with the present schema adopts it.
        try? FileManager.default.copyItem(atPath: "\(source).person-keys", toPath: "\(path).person-keys")
        try WriterConnection.open(path: path, limits: StoreLimits(), schema: earlier).close()
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "ATTACH DATABASE ? AS source", arguments: [source])
            try db.execute(sql: "PRAGMA foreign_keys = OFF")
            let tables = try String.fetchAll(
                db,
                sql:
                    "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'grdb%' AND name NOT LIKE 'sqlite%'"
            )
            for table in tables {
                let kept = Set(try db.columns(in: table, in: "source").map(\.name))
                let columns = try db.columns(in: table, in: "main").map(\.name).filter(kept.contains).joined(separator: ", ")
                if table == "users", number < 16 {
                    try db.execute(
                        sql: """
                            INSERT INTO main.users (\(columns), email, first_name, last_name)
                            SELECT \(columns), '', '', '' FROM source.users
                            """)
                    continue
                }
                guard table == "commands", number < 6 else {
                    // The sixteenth schema names its key file in the row that it begins with.
                    if table == "person_key_file" { try db.execute(sql: "DELETE FROM main.person_key_file") }
                    try db.execute(sql: "INSERT INTO main.\(table) (\(columns)) SELECT \(columns) FROM source.\(table)")
                    continue
                }
                // Earlier schemas repeated these columns of the intent in the command's row.
                let repeated = ["device_id", "unit_id", "property_id", "actor_user_id"]
                let all = try db.columns(in: table, in: "main").map(\.name)
                let values = all.map { $0 == "log" ? "intent >> 40" : repeated.contains($0) ? "entries.\($0)" : "commands.\($0)" }
                try db.execute(
                    sql: """
                        INSERT INTO main.commands (\(all.joined(separator: ", "))) SELECT \(values.joined(separator: ", "))
                        FROM source.commands JOIN source.entries ON position = intent
                        """)
            }
            if number < 16 { try decrypt(db) }
        }
    }

    /// Replaces encrypted keys and accounts, which the earlier schema did not have, by plain ones.
    private static func decrypt(_ db: Database) throws {
        let path = try String.fetchOne(db, sql: "SELECT file FROM pragma_database_list WHERE name = 'main'") ?? ""
        guard let keys = try PersonKeyFile.reading("\(path).person-keys", knownTo: path, id: nil) else { return }
        for row in try Row.fetchAll(db, sql: "SELECT id, sealed FROM source.users") {
            let (id, sealed): (Data, Data) = (row["id"], row["sealed"])
            guard let user = UserID(blob: id), let account = try keys.open(Array(sealed), of: user) else { continue }
            try db.execute(
                sql: "UPDATE main.users SET email = ?, email_key = ?, first_name = ?, last_name = ? WHERE id = ?",
                arguments: [account.email, account.email.lowercased(), account.firstName, account.lastName, id])
        }
        for row in try Row.fetchAll(db, sql: "SELECT log, owner, key FROM source.person_keys") {
            let (log, blob, wrapped): (Int64, Data, Data) = (row["log"], row["owner"], row["key"])
            guard let owner = PersonKeys.owner(Array(blob)), let key = try keys.unwrap(Array(wrapped), of: owner, log: log)
            else { continue }
            try db.execute(
                sql: "UPDATE main.person_keys SET key = ? WHERE log = ? AND owner = ?",
                arguments: [Data(key.revealBytes()), log, blob])
        }
    }

    /// Returns the rows of the tables and columns that schema number `schema` has, without columns that a later schema has
    /// dropped. GRDB's list of migrations and the tables named in `left` are omitted.
    static func rows(of path: String, columnsOf schema: Int, without left: Set<String> = []) throws -> [String: [Row]] {
        let earlier = try DatabaseQueue()
        try Schema(steps: Array(Schema.current.steps.prefix(schema))).migrate(earlier)
        let columns = try earlier.read { db in
            let tables = try String.fetchAll(
                db,
                sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'grdb%' AND name NOT LIKE 'sqlite%'")
            return try Dictionary(
                uniqueKeysWithValues: tables.filter { !left.contains($0) }.map { ($0, try db.columns(in: $0).map(\.name)) })
        }
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { db in
            try Dictionary(
                uniqueKeysWithValues: columns.map { table, columns in
                    let kept = Set(try db.columns(in: table).map(\.name))
                    let columns = columns.filter(kept.contains)
                    let list = columns.joined(separator: ", ")
                    let key = columns.prefix(2).joined(separator: ", ")
                    return (
                        table, try Row.fetchAll(db, sql: "SELECT \(list) FROM \(table) ORDER BY \(key)")
                    )
                })
        }
    }
}
