internal import DoorwardDomain
import FoundationEssentials
import GRDB

/// The error for a stored value that this program did not write, or that was altered. It contains the column's name and never
/// the value.
struct UnreadableColumn: Error {
    let column: String
    /// The key of the row; `nil` where it is not known.
    var row: String?

    /// The column, and the row if it is known.
    var place: String { row.map { "\(column) in the row \($0)" } ?? column }
}

extension EntityID {
    /// The 16 bytes of the UUID. They sort in the same order as its text.
    var blob: Data {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Data($0) }
    }

    init?(blob: some Collection<UInt8>) {
        guard blob.count == 16 else { return nil }
        var (high, low): (UInt64, UInt64) = (0, 0)
        for byte in blob.prefix(8) { high = high << 8 | UInt64(byte) }
        for byte in blob.dropFirst(8) { low = low << 8 | UInt64(byte) }
        self.init(high: high, low: low)
    }

    /// Returns the bytes of all ids in sequence, 16 bytes each.
    static func blob(of ids: [EntityID]) -> Data {
        var data = Data(capacity: ids.count * 16)
        for id in ids { data.append(id.blob) }
        return data
    }

    static func list(blob: Data) -> [EntityID]? {
        guard blob.count.isMultiple(of: 16) else { return nil }
        return stride(from: blob.startIndex, to: blob.endIndex, by: 16).compactMap { EntityID(blob: blob[$0..<$0 + 16]) }
    }
}

/// Reads a row's columns from left to right. Throws `UnreadableColumn` for a value that is not of the requested type.
struct ColumnReader {
    private let row: Row
    private var index = 0

    init(_ row: Row) { self.row = row }

    private mutating func next() -> Int {
        defer { index += 1 }
        return index
    }

    /// The first column as text, which names the row: an id, a name or a number. `nil` for anything else.
    var rowName: String? {
        let stored: DatabaseValue = row[0]
        return switch stored.storage {
        case .int64(let number): "\(number)"
        case .string(let text): text.streamSafe
        case .blob(let bytes): RecordID(blob: bytes)?.description
        case .null, .double: nil
        }
    }

    /// The error for the column read last.
    func unreadable() -> UnreadableColumn {
        UnreadableColumn(column: Array(row.columnNames)[index - 1])
    }

    mutating func value<Value: DatabaseValueConvertible>(_: Value.Type = Value.self) throws -> Value {
        guard let value = try optional(Value.self) else { throw unreadable() }
        return value
    }

    mutating func optional<Value: DatabaseValueConvertible>(_: Value.Type = Value.self) throws -> Value? {
        // Do not use the row's own subscript, which would trap on a value that cannot be converted.
        let stored: DatabaseValue = row[next()]
        if stored.isNull { return nil }
        guard let value = Value.fromDatabaseValue(stored) else { throw unreadable() }
        return value
    }

    mutating func value(_: String.Type = String.self) throws -> String {
        guard let text = try optional(String.self) else { throw unreadable() }
        return text
    }

    /// Makes the text stream-safe (`StreamSafeText`), because older gateways stored text unchecked.
    mutating func optional(_: String.Type = String.self) throws -> String? {
        let stored: DatabaseValue = row[next()]
        if stored.isNull { return nil }
        guard let text = String.fromDatabaseValue(stored) else { throw unreadable() }
        return text.streamSafe
    }

    /// Returns the stored value, of any type.
    mutating func stored() -> DatabaseValue { row[next()] }

    mutating func id<Entity>() throws -> EntityID<Entity> {
        guard let id: EntityID<Entity> = try optionalID() else { throw unreadable() }
        return id
    }

    mutating func optionalID<Entity>() throws -> EntityID<Entity>? {
        let found: (isNull: Bool, id: EntityID<Entity>?) = try row.withUnsafeData(atIndex: next()) { data in
            (data == nil, data.flatMap { EntityID(blob: $0) })
        }
        if !found.isNull, found.id == nil { throw unreadable() }
        return found.id
    }

    mutating func ids<Entity>() throws -> [EntityID<Entity>] {
        guard let ids = EntityID<Entity>.list(blob: try value(Data.self)) else { throw unreadable() }
        return ids
    }

    mutating func optionalIDs<Entity>() throws -> [EntityID<Entity>]? {
        guard let blob = try optional(Data.self) else { return nil }
        guard let ids = EntityID<Entity>.list(blob: blob) else { throw unreadable() }
        return ids
    }

    mutating func instant() throws -> Timestamp {
        guard let instant = try optionalInstant() else { throw unreadable() }
        return instant
    }

    mutating func optionalInstant() throws -> Timestamp? {
        guard let milliseconds = try optional(Int64.self) else { return nil }
        guard let instant = Timestamp(stored: milliseconds) else { throw unreadable() }
        return instant
    }

    /// Reads an enum value by its raw value.
    mutating func word<Word: RawRepresentable<String>>(_: Word.Type = Word.self) throws -> Word {
        guard let word: Word = try optionalWord() else { throw unreadable() }
        return word
    }

    mutating func optionalWord<Word: RawRepresentable<String>>(_: Word.Type = Word.self) throws -> Word? {
        guard let text = try optional(String.self) else { return nil }
        guard let word = Word(rawValue: text) else { throw unreadable() }
        return word
    }

    mutating func bytes() throws -> [UInt8] { [UInt8](try value(Data.self)) }

    mutating func optionalBytes() throws -> [UInt8]? { try optional(Data.self).map { [UInt8]($0) } }

    mutating func json() throws -> [String: JSONValue] {
        guard let text = try optional(String.self) else { return [:] }
        guard let object = StoredJSON.object(from: Array(text.utf8)) else { throw unreadable() }
        return object
    }
}

extension Timestamp {
    /// The milliseconds since the Unix epoch that a column can contain: the years -1 to 10000. No gateway writes others, and durations
    /// can be added to these without an overflow.
    static let storedMilliseconds: ClosedRange<Int64> = -62_198_755_200_000...253_433_836_800_000

    /// An instant as a column contains it; `nil` for one outside of `storedMilliseconds`.
    init?(stored milliseconds: Int64) {
        guard Self.storedMilliseconds.contains(milliseconds) else { return nil }
        self.init(milliseconds: milliseconds)
    }
}
