import GRDB

/// Updates the row with an id, or inserts it. The SQL texts are built once for each table.
///
/// `REPLACE` would delete the row before writing it, which affects the rows that reference it. With `ON CONFLICT DO UPDATE`, a row
/// whose parent is missing fails only after a search of every table that references this one.
struct Upsert {
    private let update: String
    private let insert: String
    private let find: String

    init(_ table: TenancyTable) {
        let columns = table.columns
        let updates = columns.dropFirst().map { "\($0) = ?" }.joined(separator: ", ")
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        update = "UPDATE \(table.rawValue) SET \(updates) WHERE id = ?"
        let conditions = columns.map { "\($0) IS ?" }.joined(separator: " AND ")
        find = "SELECT 1 FROM \(table.rawValue) WHERE \(conditions)"
        insert = "INSERT INTO \(table.rawValue) (\(columns.joined(separator: ", "))) VALUES (\(marks))"
    }

    /// - Parameter values: one for each column of the table, in their order.
    func put(_ values: [(any Bindable)?], in db: Database) throws {
        try db.run(update, Array(values.dropFirst() + values.prefix(1)))
        if db.changesCount == 0 { try db.run(insert, values) }
    }

    /// Whether the table contains exactly this row.
    func holds(_ values: [(any Bindable)?], in db: Database) throws -> Bool {
        var isFound = false
        try db.step(find, values) { _ in isFound = true }
        return isFound
    }
}
