import GRDB

/// Writes a row whether or not its id is there already. The statement's text is made once for each table.
struct Upsert {
    private let sql: String

    /// - Parameter columns: all columns that are written, the id first. `REPLACE` would delete the row before it writes
    ///   it, and with it what refers to it.
    init(_ table: String, _ columns: [String]) {
        let updates = columns.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        sql = """
            INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(marks)) ON CONFLICT (id) DO UPDATE SET \(updates)
            """
    }

    /// - Parameter values: one for each column, in their order.
    func put(_ values: [(any DatabaseValueConvertible)?], in db: Database) throws { try db.run(sql, values) }
}
