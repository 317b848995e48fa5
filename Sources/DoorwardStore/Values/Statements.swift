internal import DoorwardControl
internal import DoorwardDomain
import GRDB
internal import GRDBSQLite

extension Database {
    /// Executes a statement that returns no rows. It is prepared once for each connection.
    ///
    /// The values are bound without GRDB, which would first build three arrays of them and look up their names.
    ///
    /// - Throws: `ConstraintViolation` for a text with U+0000; `DatabaseError` as GRDB would.
    func run(_ sql: String, _ arguments: [(any Bindable)?] = []) throws {
        // GRDB must observe the begin and the end of transactions.
        guard !arguments.isEmpty else { return try cachedStatement(sql: sql).execute() }
        try step(sql, arguments) { _ in }
    }

    /// Executes a statement with values bound as by `run`, and passes each row to `read`. The row is valid only during the call.
    func step(_ sql: String, _ arguments: [(any Bindable)?], read: (RowValues) throws -> Void) throws {
        let handle = try cachedStatement(sql: sql).sqliteStatement
        guard sqlite3_bind_parameter_count(handle) == arguments.count else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "wrong number of values for a statement", sql: sql)
        }
        defer {
            // The step has already reported any error. Personal values must not stay bound.
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
            case SQLITE_ROW: try read(RowValues(statement: handle))
            case let code: throw lastError(code, sql)
            }
        }
    }

    private func lastError(_ code: CInt, _ sql: String) -> DatabaseError {
        DatabaseError(resultCode: ResultCode(rawValue: code), message: lastErrorMessage, sql: sql)
    }

    /// Reads every row of the result.
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

    /// Reads the first row of the result, if there is one.
    func firstRow<Value>(
        _ sql: String, _ arguments: StatementArguments = StatementArguments(), read: (inout ColumnReader) throws -> Value
    ) throws -> Value? {
        let cursor = try Row.fetchCursor(cachedStatement(sql: sql), arguments: arguments)
        guard let row = try cursor.next() else { return nil }
        var columns = ColumnReader(row)
        return try read(&columns)
    }
}

/// The values of a statement's current row, by their columns from 0.
struct RowValues {
    fileprivate let statement: OpaquePointer

    /// 0 for NULL.
    func integer(_ column: CInt) -> Int64 { sqlite3_column_int64(statement, column) }

    func isNull(_ column: CInt) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    /// Empty for NULL.
    func bytes(_ column: CInt) -> [UInt8] {
        guard let start = sqlite3_column_blob(statement, column) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
    }

    /// `nil` for NULL, and for a value that is not an id.
    func id<Entity>(_ column: CInt) -> EntityID<Entity>? {
        guard sqlite3_column_bytes(statement, column) == 16, let start = sqlite3_column_blob(statement, column) else {
            return nil
        }
        return EntityID(blob: UnsafeRawBufferPointer(start: start, count: 16))
    }

    /// An enum value, by its raw value; `nil` for NULL and for any other text.
    func word<Word: RawRepresentable<String>>(_ column: CInt) -> Word? {
        guard let start = sqlite3_column_text(statement, column) else { return nil }
        return Word(rawValue: String(cString: start))
    }
}
