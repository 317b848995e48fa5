internal import DoorwardControl
import GRDB
internal import GRDBSQLite

extension Database {
    /// Runs a statement that answers no rows. It is prepared once for each connection.
    ///
    /// The values are bound without the library, which makes three lists of them and looks for their names first.
    ///
    /// - Throws: `Refusal` for a text with U+0000 in it; `DatabaseError` as the library would.
    func run(_ sql: String, _ arguments: [(any StatementValue)?] = []) throws {
        let statement = try cachedStatement(sql: sql)
        // A transaction's begin and end are what the library keeps watch over.
        guard !arguments.isEmpty else { return try statement.execute() }
        let handle = statement.sqliteStatement
        guard sqlite3_bind_parameter_count(handle) == arguments.count else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "wrong number of values for a statement", sql: sql)
        }
        defer {
            // What it says was said by the step already. Personal values do not stay bound.
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
        }
        for (index, value) in arguments.enumerated() {
            guard let code = try value?.bind(to: handle, at: CInt(index + 1)), code != SQLITE_OK else { continue }
            throw lastError(code, sql)
        }
        while true {
            switch sqlite3_step(handle) {
            case SQLITE_DONE: return
            case SQLITE_ROW: continue
            case let code: throw lastError(code, sql)
            }
        }
    }

    private func lastError(_ code: CInt, _ sql: String) -> DatabaseError {
        DatabaseError(resultCode: ResultCode(rawValue: code), message: lastErrorMessage, sql: sql)
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
