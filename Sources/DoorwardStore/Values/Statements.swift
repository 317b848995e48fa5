internal import DoorwardAudit
internal import DoorwardDomain
internal import DoorwardKernel
import FoundationEssentials
import GRDB
internal import GRDBSQLite

extension Database {
    /// Executes a statement that returns no rows. The statement is prepared once for each connection.
    ///
    /// The values are bound without GRDB, which would first build three arrays of the values and look up the parameters' names.
    ///
    /// - Throws: `ConstraintViolation` for a text with U+0000; otherwise the same `DatabaseError` as GRDB.
    func run(_ sql: String, _ arguments: [(any Bindable)?] = []) throws {
        // A statement without values is executed by GRDB, which must observe the begin and the end of transactions.
        guard !arguments.isEmpty else { return try cachedStatement(sql: sql).execute() }
        try step(sql, arguments) { _ in }
    }

    /// Executes a statement and passes each row, or only the first ones, to `read`. The values are bound as by `run`. A row is valid only
    /// during the call.
    func step(
        _ sql: String, _ arguments: [(any Bindable)?], upTo limit: Int = .max, read: (inout ColumnReader) throws -> Void
    ) throws {
        let statement = try cachedStatement(sql: sql)
        let handle = statement.sqliteStatement
        guard sqlite3_bind_parameter_count(handle) == arguments.count else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "wrong number of values for a statement", sql: sql)
        }
        defer {
            // Any error was already reported by `sqlite3_step`, so the result is ignored. Personal values must not stay bound.
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
        }
        for (index, value) in arguments.enumerated() {
            guard let code = try value?.bind(to: handle, at: CInt(index + 1)), code != SQLITE_OK else { continue }
            throw lastError(code, sql)
        }
        var row = ColumnReader(statement)
        for _ in 0..<limit {
            switch sqlite3_step(handle) {
            case SQLITE_DONE: return
            case SQLITE_ROW:
                row.rewind()
                try read(&row)
            case let code: throw lastError(code, sql)
            }
        }
    }

    /// Returns what `read` makes of each row of the result.
    func rows<Value>(
        _ sql: String, _ arguments: [(any Bindable)?] = [], read: (inout ColumnReader) throws -> Value
    ) throws -> [Value] {
        var values: [Value] = []
        try step(sql, arguments) { values.append(try read(&$0)) }
        return values
    }

    /// Returns what `read` makes of the first row of the result, if there is one.
    func firstRow<Value>(
        _ sql: String, _ arguments: [(any Bindable)?] = [], read: (inout ColumnReader) throws -> Value
    ) throws -> Value? {
        var value: Value?
        try step(sql, arguments, upTo: 1) { value = try read(&$0) }
        return value
    }

    /// Returns whether the result has a row.
    func hasRow(_ sql: String, _ arguments: [(any Bindable)?] = []) throws -> Bool {
        try firstRow(sql, arguments) { _ in true } ?? false
    }

    private func lastError(_ code: CInt, _ sql: String) -> DatabaseError {
        DatabaseError(resultCode: ResultCode(rawValue: code), message: lastErrorMessage, sql: sql)
    }
}

/// A value that can be bound to a parameter of a statement; `nil` is bound as NULL.
protocol Bindable {
    /// Binds a copy of the value.
    ///
    /// - Parameter index: the parameter's index, from 1.
    /// - Returns: SQLite's result code.
    /// - Throws: `ConstraintViolation` for a value that the database would not return unchanged.
    func bind(to statement: OpaquePointer, at index: CInt) throws -> CInt
}

/// Makes SQLite copy the bound value. In C, this is a macro that casts -1 to a function type (SQLite, "Constants Defining
/// Special Destructor Behavior").
private let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

extension Bindable where Self: FixedWidthInteger {
    func bind(to statement: OpaquePointer, at index: CInt) -> CInt { sqlite3_bind_int64(statement, index, Int64(self)) }
}

extension Int64: Bindable {}
extension Int: Bindable {}
extension UInt16: Bindable {}

extension Bool: Bindable {
    func bind(to statement: OpaquePointer, at index: CInt) -> CInt { sqlite3_bind_int64(statement, index, self ? 1 : 0) }
}

extension String: Bindable {
    func bind(to statement: OpaquePointer, at index: CInt) throws -> CInt { try bindText(self, to: statement, at: index) }
}

extension Data: Bindable {
    func bind(to statement: OpaquePointer, at index: CInt) -> CInt { withUnsafeBytes { bindBlob($0, to: statement, at: index) } }
}

extension EntityID: Bindable {
    /// Binds the same bytes as `blob` without allocating them.
    func bind(to statement: OpaquePointer, at index: CInt) -> CInt {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { bindBlob($0, to: statement, at: index) }
    }
}

/// - Throws: `ConstraintViolation` for a text with U+0000. Texts are read back as C strings, which would end at that character.
func bindText(_ text: String, to statement: OpaquePointer, at index: CInt) throws -> CInt {
    var text = text
    return try text.withUTF8 { bytes in
        guard !bytes.contains(0) else { throw ConstraintViolation(.inconsistent("a text with U+0000")) }
        return bytes.withMemoryRebound(to: CChar.self) { characters in
            // A null pointer would bind NULL instead of an empty text.
            guard let start = characters.baseAddress else { return sqlite3_bind_text(statement, index, "", 0, transient) }
            return sqlite3_bind_text(statement, index, start, CInt(characters.count), transient)
        }
    }
}

func bindBlob(_ bytes: UnsafeRawBufferPointer, to statement: OpaquePointer, at index: CInt) -> CInt {
    // A null pointer would bind NULL instead of an empty blob.
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return sqlite3_bind_zeroblob(statement, index, 0) }
    return sqlite3_bind_blob(statement, index, start, CInt(bytes.count), transient)
}
