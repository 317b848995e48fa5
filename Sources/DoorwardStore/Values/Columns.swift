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

/// A table of the tenancy. The cases are ordered so that a table comes after the tables that it references.
enum TenancyTable: String, CaseIterable {
    case portfolios, properties, units, devices, users
    case associations = "role_associations"
    case guestAccesses = "guest_accesses"
    /// The ids of removed users.
    case removedUsers = "removed_users"
    case apiKeys = "api_keys"
    case invitations
    /// The id is the id of the guest access.
    case guestLinks = "guest_links"

    /// All columns in the order in which they are written and read, the id first.
    var columns: [String] {
        switch self {
        case .portfolios:
            [
                "id", "name", "created_at", "updated_at", "tier", "modules", "max_properties", "max_units", "max_devices",
                "max_active_guest_access", "retention_days", "legal_hold",
            ]
        case .properties:
            [
                "id", "name", "portfolio_id", "has_address", "street", "city", "state", "postal_code", "country",
                "default_time_zone", "created_at", "updated_at", "lockdown_since", "lockdown_by", "lockdown_reason",
            ]
        case .units: ["id", "name", "property_id", "portfolio_id", "common_area_ids", "created_at", "updated_at"]
        case .devices:
            [
                "id", "name", "adapter", "address", "metadata", "firmware_version", "portfolio_id", "property_id", "unit_id",
                "is_remote_operation_enabled", "capabilities", "auto_relock_seconds", "sealed_code", "created_at", "updated_at",
            ] + DeviceText.allCases.map(\.rawValue)
        case .users:
            [
                "id", "email_key", "sealed", "is_enabled", "is_super_admin", "default_portfolio_id", "default_property_id",
                "default_unit_id", "has_compliance_pack", "created_at", "updated_at",
            ]
        case .associations: ["id", "user_id", "entity_type", "entity_id", "role", "created_at", "updated_at"]
        case .guestAccesses:
            [
                "id", "guest_user_id", "label", "property_id", "unit_id", "device_ids", "operations", "valid_from",
                "valid_until", "granted_by_user_id", "granted_under_association_id", "granted_under_role", "revoked_at",
                "created_at", "device_carriers", "time_zone", "resolved_from", "resolved_until", "schedule", "max_uses",
                "widened_under",
            ]
        case .removedUsers: ["id"]
        case .apiKeys:
            [
                "id", "name", "user_id", "parent_id", "entity_type", "entity_id", "role", "digest", "created_at", "expires_at",
            ]
        case .invitations:
            [
                "id", "email", "role", "entity_type", "entity_id", "account_id", "user_id", "key_id", "digest", "created_at",
                "expires_at",
            ]
        case .guestLinks: ["id", "user_id", "key_id", "digest", "created_at"]
        }
    }
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
                    .object([
                        "date": .string(day.date.description), "periods": .array(day.periods.map { .object($0.stored) }),
                    ])
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
        switch object["timeZone"] {
        case nil: break
        case .string(let name)?: timeZone = name
        default: return nil
        }
        switch object["specialDayCut"] {
        case nil: break
        case .string(let text)?:
            guard let stored = SpecialDayCut(rawValue: text) else { return nil }
            cut = stored
        default: return nil
        }
        switch object["specialDays"] {
        case nil: break
        case .array(let values)?:
            guard let stored = Self.all(values, SpecialDay.init(stored:)) else { return nil }
            days = stored
        default: return nil
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
