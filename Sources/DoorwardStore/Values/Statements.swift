internal import DoorwardControl
import GRDB

extension Database {
    /// Runs a statement that answers no rows. It is prepared once for each connection.
    ///
    /// - Throws: `Refusal` for a text with U+0000 in it: the library binds texts as C strings, and would store what stands
    ///   before it alone.
    func run(_ sql: String, _ arguments: [(any DatabaseValueConvertible)?] = []) throws {
        let values = arguments.map { $0?.databaseValue ?? .null }
        for value in values {
            if case .string(let text) = value.storage, text.utf8.contains(0) { throw Refusal(.refused("text_nul")) }
        }
        try cachedStatement(sql: sql).execute(arguments: StatementArguments(values))
    }

    /// Reads every row of the answer.
    func rows<Value>(
        _ sql: String, _ arguments: StatementArguments = StatementArguments(), read: (inout ColumnReader) throws -> Value
    ) throws -> [Value] {
        let cursor = try Row.fetchCursor(cachedStatement(sql: sql), arguments: arguments)
        var values: [Value] = []
        while let row = try cursor.next() {
            var columns = ColumnReader(row)
            values.append(try read(&columns))
        }
        return values
    }

    /// Reads the first row of the answer, if there is one.
    func firstRow<Value>(
        _ sql: String, _ arguments: StatementArguments = StatementArguments(), read: (inout ColumnReader) throws -> Value
    ) throws -> Value? {
        let cursor = try Row.fetchCursor(cachedStatement(sql: sql), arguments: arguments)
        guard let row = try cursor.next() else { return nil }
        var columns = ColumnReader(row)
        return try read(&columns)
    }
}
