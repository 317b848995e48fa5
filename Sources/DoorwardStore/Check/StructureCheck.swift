import GRDB

/// Runs SQLite's own checks of the pages, the indexes, the types of the values, and the foreign keys.
struct StructureCheck {
    let db: Database

    func run() throws {
        let words = try db.firstRow("PRAGMA integrity_check(1)") { try $0.value(String.self) } ?? "no answer"
        guard words == "ok" else { throw StoreFault(.structure(words.split(separator: "\n").last.map(String.init) ?? words)) }
        if let table = try db.firstRow("PRAGMA foreign_key_check", read: { try $0.value(String.self) }) {
            throw StoreFault(.reference(table))
        }
    }
}
