import GRDB

/// Checks that the tables, indexes and views of a file are exactly those that its schema's steps create.
struct SchemaCheck {
    /// The file's schema.
    let number: Int

    private struct Item: Equatable {
        let name: String
        /// The statement that creates it; `nil` for an index of a table's own constraints.
        let sql: String?
    }

    func run(in db: Database) throws {
        let expected = try items()
        let found = try Self.items(in: db)
        for item in expected where !found.contains(item) { throw StoreFault(.schema(item.name)) }
        for item in found where !expected.contains(item) { throw StoreFault(.schema(item.name)) }
    }

    /// The items that the steps create in an empty in-memory database.
    private func items() throws -> [Item] {
        let queue = try DatabaseQueue()
        try Schema(steps: Array(Schema.current.steps.prefix(number))).migrate(queue)
        return try queue.read(Self.items)
    }

    /// All items but SQLite's own statistics tables.
    private static func items(in db: Database) throws -> [Item] {
        try db.rows(
            "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_stat%' ESCAPE '\\' ORDER BY rootpage = 0, name"
        ) { Item(name: try $0.value(), sql: try $0.optional()) }
    }
}
