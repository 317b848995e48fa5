import GRDB

/// Whether the tables, indexes and views of a file are those that its schema's steps make, and no others.
struct SchemaCheck {
    /// The file's schema.
    let number: Int

    private struct Item: Equatable {
        let name: String
        /// The statement that makes it; `nil` for an index that belongs to a table's own constraints.
        let sql: String?
    }

    func run(in db: Database) throws {
        let expected = try items()
        let found = try Self.items(in: db)
        for item in expected where !found.contains(item) { throw StoreFault(.schema(item.name)) }
        for item in found where !expected.contains(item) { throw StoreFault(.schema(item.name)) }
    }

    /// What the steps make of an empty database in memory.
    private func items() throws -> [Item] {
        let queue = try DatabaseQueue()
        try Schema(steps: Array(Schema.current.steps.prefix(number))).migrate(queue)
        return try queue.read(Self.items)
    }

    /// SQLite's own tables, which come with statistics and the like, hold nothing of ours.
    private static func items(in db: Database) throws -> [Item] {
        try db.rows(
            "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_stat%' ESCAPE '\\' ORDER BY rootpage = 0, name"
        ) { Item(name: try $0.value(), sql: try $0.optional()) }
    }
}
