import GRDB

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
                    for _ in 0..<2 * columns.count { _ = try row.optionalInstant() }
                }
            } catch var error as UnreadableColumn {
                error.row = try row(of: table, key, with: error.column)
                throw StoreFault(.unreadable("\(table).\(error.place)"))
            }
        }
    }

    /// Returns the key of the row with the earliest or the latest value of a column, whichever is no instant.
    private func row(of table: String, _ key: String, with column: String) throws -> String? {
        for end in ["ASC", "DESC"] {
            let sql = "SELECT \(key), \(column) FROM \(table) WHERE \(column) IS NOT NULL ORDER BY \(column) \(end) LIMIT 1"
            let name = try db.firstRow(sql) { row -> String? in
                _ = row.stored()
                return (try? row.instant()) == nil ? row.rowName : nil
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
