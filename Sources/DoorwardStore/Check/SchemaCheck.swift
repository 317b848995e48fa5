import GRDB

/// Checks that the tables, indexes and views of a file are exactly those of the present schema.
struct SchemaCheck {
    private struct Item: Equatable {
        let name: String
        /// The statement that creates the item; `nil` for an index that SQLite creates for a table's constraint.
        let sql: String?
    }

    func run(in db: Database) throws {
        let expected = try items()
        let found = try Self.items(in: db)
        for item in expected where !found.contains(item) { throw StoreFault(.schema(item.name)) }
        for item in found where !expected.contains(item) { throw StoreFault(.schema(item.name)) }
    }

    /// Returns the items that the steps create in an empty in-memory database.
    private func items() throws -> [Item] {
        let queue = try DatabaseQueue()
        try Schema.current.migrate(queue)
        return try queue.read(Self.items)
    }

    /// Returns all items except SQLite's own statistics tables.
    private static func items(in db: Database) throws -> [Item] {
        try db.rows(
            "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_stat%' ESCAPE '\\' ORDER BY rootpage = 0, name"
        ) { Item(name: try $0.value(), sql: try $0.optional()) }
    }
}
