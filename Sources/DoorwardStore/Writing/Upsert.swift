import GRDB

/// Updates the row with an id, or inserts it if there is none. The SQL texts are built once for each table.
///
/// `REPLACE` is not used because it would delete the row before writing it, which affects the rows that reference it. An upsert
/// (`ON CONFLICT DO UPDATE`) is not used because a row whose parent is missing would fail only after a search of every table
/// that references this one.
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

    /// - Parameter values: one value for each column of the table, in the order of the columns.
    func put(_ values: [(any Bindable)?], in db: Database) throws {
        try db.run(update, Array(values.dropFirst() + values.prefix(1)))
        if db.changesCount == 0 { try db.run(insert, values) }
    }

    /// Returns whether the table contains exactly this row.
    func holds(_ values: [(any Bindable)?], in db: Database) throws -> Bool {
        var isFound = false
        try db.step(find, values) { _ in isFound = true }
        return isFound
    }
}
