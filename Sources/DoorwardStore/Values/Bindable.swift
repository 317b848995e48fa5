internal import DoorwardControl
internal import DoorwardDomain
import FoundationEssentials
internal import GRDBSQLite

/// A value that can be bound to a parameter of a statement; `nil` is bound as NULL.
protocol Bindable {
    /// Binds a copy of the value.
    ///
    /// - Parameter index: the parameter's index, from 1.
    /// - Returns: SQLite's result code.
    /// - Throws: `ConstraintViolation` for a value that the database would not return unchanged.
    func bind(to statement: OpaquePointer, at index: CInt) throws -> CInt
}

/// Makes SQLite copy the bound value. C has a macro for it, which casts -1 to a function type (SQLite, "Constants Defining Special
/// Destructor Behavior").
private let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

extension Int64: Bindable {
    func bind(to statement: OpaquePointer, at index: CInt) -> CInt { sqlite3_bind_int64(statement, index, self) }
}

extension Int: Bindable {
    func bind(to statement: OpaquePointer, at index: CInt) -> CInt { sqlite3_bind_int64(statement, index, Int64(self)) }
}

extension Bool: Bindable {
    func bind(to statement: OpaquePointer, at index: CInt) -> CInt { sqlite3_bind_int64(statement, index, self ? 1 : 0) }
}

extension String: Bindable {
    /// - Throws: `ConstraintViolation` for a text with U+0000: it is read back as a C string, which would end there.
    func bind(to statement: OpaquePointer, at index: CInt) throws -> CInt {
        var text = self
        return try text.withUTF8 { bytes in
            guard !bytes.contains(0) else { throw ConstraintViolation(.inconsistent("a text with U+0000")) }
            return bytes.withMemoryRebound(to: CChar.self) { characters in
                // A null pointer would bind NULL instead of an empty text.
                guard let start = characters.baseAddress else { return sqlite3_bind_text(statement, index, "", 0, transient) }
                return sqlite3_bind_text(statement, index, start, CInt(characters.count), transient)
            }
        }
    }
}

extension Data: Bindable {
    func bind(to statement: OpaquePointer, at index: CInt) -> CInt { withUnsafeBytes { bindBlob($0, to: statement, at: index) } }
}

extension [UInt8]: Bindable {
    func bind(to statement: OpaquePointer, at index: CInt) -> CInt { withUnsafeBytes { bindBlob($0, to: statement, at: index) } }
}

extension EntityID: Bindable {
    /// Binds the bytes of `blob` without allocating them.
    func bind(to statement: OpaquePointer, at index: CInt) -> CInt {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { bindBlob($0, to: statement, at: index) }
    }
}

private func bindBlob(_ bytes: UnsafeRawBufferPointer, to statement: OpaquePointer, at index: CInt) -> CInt {
    // A null pointer would bind NULL instead of an empty blob.
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return sqlite3_bind_zeroblob(statement, index, 0) }
    return sqlite3_bind_blob(statement, index, start, CInt(bytes.count), transient)
}
