internal import DoorwardAudit
internal import DoorwardDomain
internal import DoorwardKernel
import FoundationEssentials
import GRDB
internal import GRDBSQLite

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
        func number(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(high: number(blob.prefix(8)), low: number(blob.dropFirst(8)))
    }

    /// Returns the bytes of all ids in sequence, 16 bytes each.
    static func blob(of ids: [EntityID]) -> Data {
        ids.reduce(into: Data(capacity: ids.count * 16)) { $0.append($1.blob) }
    }

    static func list(blob: Data) -> [EntityID]? {
        guard blob.count.isMultiple(of: 16) else { return nil }
        return stride(from: blob.startIndex, to: blob.endIndex, by: 16).compactMap { EntityID(blob: blob[$0..<$0 + 16]) }
    }
}

/// A column of a statement's current row. It is valid as long as the row.
struct StoredColumn {
    let statement: SQLiteStatement
    let index: CInt

    var isNull: Bool { sqlite3_column_type(statement, index) == SQLITE_NULL }
    var value: DatabaseValue { DatabaseValue(sqliteStatement: statement, index: index) }

    /// The bytes of a blob or a text, which are valid until the next call for this statement; empty for NULL.
    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: sqlite3_column_blob(statement, index), count: Int(sqlite3_column_bytes(statement, index)))
    }

    /// `nil` for anything but a blob.
    var blob: UnsafeRawBufferPointer? { sqlite3_column_type(statement, index) == SQLITE_BLOB ? bytes : nil }
}

/// A value that a column contains, apart from NULL.
protocol ColumnValue: Bindable {
    /// `nil` for a stored value that no gateway writes.
    init?(column: StoredColumn)
}

extension ColumnValue where Self: DatabaseValueConvertible {
    init?(column: StoredColumn) {
        guard let value = Self.fromDatabaseValue(column.value) else { return nil }
        self = value
    }
}

extension Int: ColumnValue {}
extension Int64: ColumnValue {}
extension UInt16: ColumnValue {}
extension Bool: ColumnValue {}
extension Data: ColumnValue {}

extension String: ColumnValue {
    /// Makes the text stream-safe (`StreamSafeText`), because older gateways stored text unchecked.
    init?(column: StoredColumn) {
        guard let text = String.fromDatabaseValue(column.value) else { return nil }
        self = text.streamSafe
    }
}

extension EntityID: ColumnValue {
    init?(column: StoredColumn) {
        guard let blob = column.blob else { return nil }
        self.init(blob: blob)
    }
}

/// An enum value is stored as its raw value.
extension ColumnValue where Self: RawRepresentable<String> {
    init?(column: StoredColumn) {
        guard let text = String(column: column) else { return nil }
        self.init(rawValue: text)
    }

    func bind(to statement: OpaquePointer, at index: CInt) throws -> CInt { try bindText(rawValue, to: statement, at: index) }
}

extension AssociatedEntityType: ColumnValue {}
extension ClockChange: ColumnValue {}
extension CommandState: ColumnValue {}
extension LockState: ColumnValue {}
extension Role: ColumnValue {}

extension [UInt8]: ColumnValue, Bindable {
    init?(column: StoredColumn) {
        guard let blob = column.blob else { return nil }
        self.init(blob)
    }

    func bind(to statement: OpaquePointer, at index: CInt) -> CInt { withUnsafeBytes { bindBlob($0, to: statement, at: index) } }
}

/// Reads a statement's current row, from left to right. Throws `UnreadableColumn` for a value that is not of the requested type.
///
/// The functions with a number of a column, from 0, check nothing: they are for rows that are read by the thousand.
struct ColumnReader {
    private let row: Statement
    private let handle: SQLiteStatement
    private var index: CInt = 0
    /// The columns that the first row named, in this order: a name is looked up once for each statement.
    private var named: [(name: String, index: CInt)] = []
    private var namedCount = 0

    init(_ row: Statement) { (self.row, handle) = (row, row.sqliteStatement) }

    /// Begins again at the first column.
    mutating func rewind() { (index, namedCount) = (0, 0) }

    private func at(_ column: CInt) -> StoredColumn { StoredColumn(statement: handle, index: column) }

    /// Reads the column with a name, in lower case. It takes least time if every row names its columns in the same order.
    mutating func optional<Value: ColumnValue>(named name: String) throws -> Value? {
        if namedCount == named.count || named[namedCount].name != name {
            guard let index = row.columnNames.firstIndex(of: name) else { throw UnreadableColumn(column: name) }
            named[namedCount...] = [(name, CInt(index))]
        }
        index = named[namedCount].index
        namedCount += 1
        return try optional()
    }

    /// The first column as text, which names the row: an id, a name or a number. `nil` for anything else.
    var rowName: String? {
        switch at(0).value.storage {
        case .int64(let number): "\(number)"
        case .string(let text): text.streamSafe
        case .blob(let bytes): RecordID(blob: bytes)?.description
        case .null, .double: nil
        }
    }

    /// The error for the column read last.
    func unreadable() -> UnreadableColumn { UnreadableColumn(column: row.columnNames[Int(index) - 1]) }

    /// Returns the stored value, of any type.
    mutating func stored() -> DatabaseValue {
        defer { index += 1 }
        return at(index).value
    }

    /// Mutating, so that an error names the column that the argument has read: a copy of the reader would be made before.
    private mutating func required<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw unreadable() }
        return value
    }

    mutating func value<Value: ColumnValue>(_: Value.Type = Value.self) throws -> Value { try required(try optional()) }

    mutating func optional<Value: ColumnValue>(_: Value.Type = Value.self) throws -> Value? {
        let column = at(index)
        // Before a value is refused: the error names the column before `index`.
        index += 1
        return column.isNull ? nil : try required(Value(column: column))
    }

    mutating func frontier() throws -> MerkleFrontier { try required(MerkleFrontier(bytes: try value())) }

    mutating func log() throws -> LogID { try required(LogID(try value())) }

    /// Reads a `seq`, or a number of records.
    mutating func seq() throws -> UInt64 { UInt64(clamping: try value(Int64.self)) }

    /// Returns 0 for NULL.
    func integer(_ column: CInt) -> Int64 { sqlite3_column_int64(handle, column) }

    /// Returns an empty array for NULL.
    func bytes(_ column: CInt) -> [UInt8] { Array(at(column).bytes) }

    /// Returns `nil` for NULL, and for a value that is not a hash.
    func hash(_ column: CInt) -> Digest32? { Digest32(at(column).bytes) }

    /// Returns `nil` for NULL, and for a value that is not an id.
    func id<Entity>(_ column: CInt) -> EntityID<Entity>? { EntityID(blob: at(column).bytes) }

    /// Returns an enum value by its raw value; `nil` for NULL and for any other text.
    func word<Word: RawRepresentable<String>>(_ column: CInt) -> Word? {
        sqlite3_column_text(handle, column).flatMap { Word(rawValue: String(cString: $0)) }
    }
}

extension Timestamp: ColumnValue {
    /// The milliseconds since the Unix epoch that a column can contain: the years -1 to 10000. No gateway writes others, and durations
    /// can be added to these without an overflow.
    static let storedMilliseconds: ClosedRange<Int64> = -62_198_755_200_000...253_433_836_800_000

    /// An instant as a column contains it; `nil` for one outside of `storedMilliseconds`.
    init?(stored milliseconds: Int64) {
        guard Self.storedMilliseconds.contains(milliseconds) else { return nil }
        self.init(milliseconds: milliseconds)
    }

    init?(column: StoredColumn) {
        guard let milliseconds = Int64(column: column) else { return nil }
        self.init(stored: milliseconds)
    }

    func bind(to statement: OpaquePointer, at index: CInt) -> CInt { milliseconds.bind(to: statement, at: index) }
}

/// The JSON of a column: an address, metadata or a schedule.
///
/// Reading makes text stream-safe (`StreamSafeText`): a file that was not written by a gateway may have keys with long runs of combining
/// marks, which would delay the start by seconds.
enum StoredJSON {
    /// The maximum nesting depth, which is greater than that of any address or metadata that the gateway accepts. The object itself is the
    /// first level.
    static let maxDepth = 64

    private static let encoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()

    /// Returns `nil` for an object that could not be read back: one nested deeper than `maxDepth`, or with a number that JSON does not have.
    static func text(of object: [String: JSONValue]) -> String? {
        guard let bytes = try? encoder.encode(object), self.object(from: Array(bytes)) != nil else { return nil }
        // The text need not be stream-safe here, because reading makes it stream-safe.
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text of a column; NULL for an empty object.
    ///
    /// - Throws: `ConstraintViolation` for an object that could not be read back.
    static func column(of object: [String: JSONValue]) throws -> String? {
        if object.isEmpty { return nil }
        guard let text = text(of: object) else { throw ConstraintViolation(.inconsistent("an object is nested too deep")) }
        return text
    }

    /// Returns `nil` unless the bytes are exactly one object in JSON.
    static func object(from bytes: [UInt8]) -> [String: JSONValue]? {
        guard case .object(let object)? = try? JSONParser<JSONValue>.parse(bytes, maxDepth: maxDepth, rejectsMarks: false) else {
            return nil
        }
        return object
    }
}

// The form of a schedule in its column: an object with the names of the API, in which the days of a period are a bit set and the
// times are seconds of the day.
extension Schedule {
    /// The object to store. The text is never empty; an empty column means an access without a schedule.
    var stored: [String: JSONValue] {
        var object: [String: JSONValue] = [
            "periods": .array(
                periods.map { period in
                    .object(period.hours.stored.merging(["days": .integer(Int64(period.days.rawValue))]) { $1 })
                })
        ]
        if let timeZone { object["timeZone"] = .string(timeZone) }
        if specialDayCut != .instant { object["specialDayCut"] = .string(specialDayCut.rawValue) }
        if !specialDays.isEmpty {
            object["specialDays"] = .array(
                specialDays.map { day in
                    .object(["date": .string(day.date.description), "periods": .array(day.periods.map { .object($0.stored) })])
                })
        }
        return object
    }

    /// Reads a stored object; `nil` if this program did not write it.
    init?(stored object: [String: JSONValue]) {
        guard case .array(let periods)? = object["periods"], let read = Self.all(periods, Period.init(stored:)) else {
            return nil
        }
        var (timeZone, cut, days): (String?, SpecialDayCut, [SpecialDay]) = (nil, .instant, [])
        if let stored = object["timeZone"] {
            guard case .string(let name) = stored else { return nil }
            timeZone = name
        }
        if let stored = object["specialDayCut"] {
            guard case .string(let text) = stored, let read = SpecialDayCut(rawValue: text) else { return nil }
            cut = read
        }
        if let stored = object["specialDays"] {
            guard case .array(let values) = stored, let read = Self.all(values, SpecialDay.init(stored:)) else { return nil }
            days = read
        }
        self.init(timeZone: timeZone, periods: read, specialDays: days, specialDayCut: cut)
    }

    /// Reads every element; `nil` if one is not an object, or `read` returns `nil` for it.
    fileprivate static func all<Element>(_ values: [JSONValue], _ read: ([String: JSONValue]) -> Element?) -> [Element]? {
        var elements: [Element] = []
        for value in values {
            guard case .object(let object) = value, let element = read(object) else { return nil }
            elements.append(element)
        }
        return elements
    }
}

extension Schedule.Period {
    fileprivate init?(stored object: [String: JSONValue]) {
        guard case .integer(let bits)? = object["days"], let days = UInt8(exactly: bits),
            days <= WeekdaySet.everyDay.rawValue, let hours = Schedule.Hours(stored: object)
        else { return nil }
        self.init(days: WeekdaySet(rawValue: days), from: hours.from, until: hours.until)
    }
}

extension Schedule.Hours {
    fileprivate var stored: [String: JSONValue] {
        ["from": .integer(Int64(from.seconds)), "until": .integer(Int64(until.seconds))]
    }

    fileprivate init?(stored object: [String: JSONValue]) {
        guard let from = LocalTime(stored: object["from"]), let until = LocalTime(stored: object["until"]) else { return nil }
        self.init(from: from, until: until)
    }
}

extension Schedule.SpecialDay {
    fileprivate init?(stored object: [String: JSONValue]) {
        guard case .string(let text)? = object["date"], let date = CivilDate(text), case .array(let values)? = object["periods"],
            let periods = Schedule.all(values, Schedule.Hours.init(stored:))
        else { return nil }
        self.init(date: date, periods: periods)
    }
}

extension LocalTime {
    fileprivate init?(stored value: JSONValue?) {
        guard case .integer(let number)? = value, let seconds = Int(exactly: number), (0...86_400).contains(seconds) else {
            return nil
        }
        self.init(hour: seconds / 3600, minute: seconds / 60 % 60, second: seconds % 60)
    }
}
