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
        for (table, columns) in Self.instants {
            // A database of an older schema has fewer of them.
            let present = try db.tableExists(table) ? Set(db.columns(in: table).map(\.name)).intersection(columns) : []
            guard !present.isEmpty else { continue }
            let ends = present.map { "min(\($0)) AS \($0), max(\($0)) AS \($0)" }.joined(separator: ", ")
            do {
                _ = try db.firstRow("SELECT \(ends) FROM \(table)") { row in
                    for _ in 0..<2 * present.count { _ = try row.optionalInstant() }
                }
            } catch let error as UnreadableColumn {
                throw StoreFault(.unreadable("\(table).\(error.column)"))
            }
        }
    }

    /// The instants that no other check reads, by table. The table is read once, for the earliest and the latest.
    private static let instants = [
        ("clock", ["mark", "step_before", "step_after"]),
        ("commands", ["requested_at", "deadline", "dispatched_at", "completed_at"]), ("idempotency", ["created_at"]),
        ("log_checkpoints", ["signed_at"]), ("password_resets", ["created_at", "expires_at"]), ("purchases", ["redeemed_at"]),
        ("sessions", ["created_at", "expires_at"]),
    ]
}
