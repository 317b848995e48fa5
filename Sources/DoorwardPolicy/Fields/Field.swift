package import DoorwardDomain

/// Describes a field of an entity: its name, the level that it requires, and how it is read, stored and recorded.
///
/// The field tables (`Fields+….swift`) are the only description of an entity's fields. Responses, the details of records, and
/// `FieldTable` are derived from them. A new field is one line in one table.
///
/// `Field` is a class, so that iterating over a table retains one reference per field instead of each member of the field.
package final class Field<Entity: Sendable>: Sendable {
    /// The name in JSON, in responses and in the details of records.
    package let name: String
    /// The name with its quotation marks and colon, as written in a response.
    package let key: [UInt8]
    /// The lowest level that sees the field; `nil` for a field that only records contain.
    package let level: FieldLevel?
    /// A member of the field's object with a level of its own: one that a level below `level` sees, as the only member, or one that
    /// only levels above `level` see.
    let visiblePart: (name: String, level: FieldLevel)?
    /// The columns that store the field in the entity's table; empty for a derived field. Commands
    /// and records are stored in other forms and do not use these columns.
    package let columns: [String]
    /// The lowest level that sees any part of the field; `nil` for a field that responses never contain.
    fileprivate let threshold: FieldLevel?
    /// The form of the values in responses.
    private let schema: JSONSchema
    /// Whether a reader who may see the field can get an entity without it.
    private let canBeAbsent: Bool
    private let read: Reading
    private let audit: FieldAudit<Entity>?

    /// The closure that reads a field from its entity. The closures have concrete types, so that
    /// reading requires no boxing and no lookup.
    private enum Reading: Sendable {
        case own(@Sendable (Entity) -> FieldValue)
        case derived(@Sendable (Entity, FieldReader, TenancyDirectory) -> FieldValue)
    }

    /// Creates a field that is stored in the entity itself. The schema of its values follows from their type.
    ///
    /// - Parameter columns: the columns that store the field; by default one column, named `name` in snake case.
    @inline(__always)
    convenience init<Value: FieldConvertible>(
        _ name: String, _ level: FieldLevel, columns: [String]? = nil, audit: FieldAudit<Entity>? = nil,
        _ read: @escaping @Sendable (Entity) -> Value
    ) {
        self.init(name, level, as: Value.schema, columns: columns, audit: audit) { read($0).fieldValue }
    }

    /// Creates a field that is derived from other entities of the tenancy, or depends on the reader. The schema of its values
    /// follows from their type.
    @inline(__always)
    convenience init<Value: FieldConvertible>(
        _ name: String, _ level: FieldLevel, columns: [String] = [],
        from read: @escaping @Sendable (Entity, FieldReader, TenancyDirectory) -> Value
    ) {
        self.init(name, level, as: Value.schema, columns: columns) { read($0, $1, $2).fieldValue }
    }

    /// Creates a field that is stored in the entity itself, with values in the form of `schema`.
    ///
    /// - Parameters:
    ///   - canBeAbsent: whether a reader who may see the field can get an entity without it.
    ///   - columns: the columns that store the field; by default one column, named `name` in snake case.
    init(
        _ name: String, _ level: FieldLevel, as schema: JSONSchema, canBeAbsent: Bool = false, columns: [String]? = nil,
        audit: FieldAudit<Entity>? = nil, _ read: @escaping @Sendable (Entity) -> FieldValue
    ) {
        (self.name, self.level, self.audit, visiblePart) = (name, level, audit, nil)
        (self.schema, self.canBeAbsent) = (schema, canBeAbsent)
        (self.columns, self.read) = (columns ?? [Self.snakeCase(name)], .own(read))
        (key, threshold) = (Self.key(name), level)
    }

    /// Creates a field that is derived from other entities of the tenancy, or depends on the reader, with values in the form of
    /// `schema`.
    ///
    /// - Parameter audit: if not `nil`, must contain `form` and `isDifferent`, as records have no reader.
    init(
        _ name: String, _ level: FieldLevel, as schema: JSONSchema, canBeAbsent: Bool = false,
        part: (name: String, level: FieldLevel)? = nil, columns: [String] = [], audit: FieldAudit<Entity>? = nil,
        from read: @escaping @Sendable (Entity, FieldReader, TenancyDirectory) -> FieldValue
    ) {
        (self.name, self.level, visiblePart) = (name, level, part.map { ("\(name).\($0.name)", $0.level) })
        (self.schema, self.canBeAbsent) = (schema, canBeAbsent)
        (self.columns, self.audit, self.read) = (columns, audit, .derived(read))
        (key, threshold) = (Self.key(name), min(level, part?.level ?? level))
    }

    /// Creates a field that only records contain. It replaces a value that records must not contain.
    init(
        recorded name: String, _ audit: FieldAudit<Entity>?, columns: [String] = [],
        _ read: @escaping @Sendable (Entity) -> FieldValue
    ) {
        (self.name, level, visiblePart, self.columns) = (name, nil, nil, columns)
        (self.audit, self.read, schema, canBeAbsent) = (audit, .own(read), .any, true)
        (key, threshold) = (Self.key(name), nil)
    }

    /// A field that is only stored: neither responses nor records contain it.
    convenience init(stored name: String) {
        self.init(recorded: name, nil, columns: [Self.snakeCase(name)]) { _ in .absent }
    }

    private static func key(_ name: String) -> [UInt8] { Array("\"\(name)\":".utf8) }

    private static func snakeCase(_ name: String) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : String($1) }
    }

    /// Returns the value of the field as `reader` sees it; `.absent` if the field is left out.
    package func value(of entity: Entity, for reader: FieldReader, in tenancy: TenancyDirectory) -> FieldValue {
        guard let threshold, threshold <= reader.level else { return .absent }
        switch read {
        case .own(let read): return read(entity)
        case .derived(let read): return read(entity, reader, tenancy)
        }
    }

    /// The member of the schema of the field's entity; `nil` for a field that responses never contain.
    ///
    /// - Parameter lowest: the lowest level at which responses contain the entity.
    fileprivate func member(above lowest: FieldLevel) -> JSONSchema.Member? {
        threshold.map { JSONSchema.Member(name, schema, isRequired: $0 <= lowest && !canBeAbsent) }
    }

    /// Whether the record of a new or removed entity contains the field.
    var isRecordedWhenMade: Bool { audit?.records != .changes && audit != nil }
    /// Whether the record of a change contains the field if it changed.
    var isRecordedWhenChanged: Bool { audit?.records != .creation && audit != nil }

    func isDifferent(_ old: Entity, _ new: Entity) -> Bool {
        audit?.isDifferent.map { $0(old, new) } ?? (ownValue(of: old) != ownValue(of: new))
    }

    /// The value of the field in a record; `nil` if it is absent.
    func recorded(_ entity: Entity) -> RecordValue? {
        guard let audit else { return nil }
        if let form = audit.form { return form(entity) }
        return ownValue(of: entity).recorded { text in
            audit.person.map { .personal(text, person: $0(entity)) } ?? .string(text)
        }
    }

    private func ownValue(of entity: Entity) -> FieldValue {
        // For a field whose value depends on the reader, the audit does not use the value.
        if case .own(let read) = read { read(entity) } else { .absent }
    }
}

extension Field {
    /// The level at which the reader sees the entity, so that a client can tell a hidden field from one without a value.
    ///
    /// - Parameter level: the lowest level that sees any field of the entity.
    static func viewLevel(_ level: FieldLevel = .publicLevel) -> Field {
        let levels = FieldLevel.allCases.filter { $0 >= level }.map(\.name)
        return Field("viewLevel", level, as: .words(levels)) { _, reader, _ in .string(reader.level.name) }
    }
}

/// The reader for whom an entity is rendered, with the reader's level and the time.
package struct FieldReader: Sendable {
    /// The subject, which must be resolved in the directory that is used for rendering.
    package let subject: Subject
    /// The level of the subject for the entity.
    package let level: FieldLevel
    /// The time at which rights are evaluated.
    package let now: DecisionTime

    package init(_ subject: Subject, level: FieldLevel, at now: DecisionTime) {
        (self.subject, self.level, self.now) = (subject, level, now)
    }
}

/// Determines how a field is recorded when its entity is created, changed or removed.
package struct FieldAudit<Entity: Sendable>: Sendable {
    /// The records that contain a field.
    enum Records: Sendable {
        /// Records of the creation or removal of the entity.
        case creation
        /// Records of a change of this field.
        case changes
        case all
    }

    let records: Records
    /// For a personal value, returns the person whom it concerns; `nil` if that person is not a user.
    var person: (@Sendable (Entity) -> UserID?)?
    /// Computes the value that is recorded instead of the field's value.
    var form: (@Sendable (Entity) -> RecordValue)?
    /// Returns whether the field changed; `nil` to compare the values of the field.
    var isDifferent: (@Sendable (Entity, Entity) -> Bool)?

    static var created: Self { Self(records: .creation) }
    static var changed: Self { Self(records: .changes) }
    static var always: Self { Self(records: .all) }

    /// Records the result of `form` in all records, if `isDifferent` finds a change.
    static func always(
        if isDifferent: @escaping @Sendable (Entity, Entity) -> Bool, as form: @escaping @Sendable (Entity) -> RecordValue
    ) -> Self { Self(records: .all, form: form, isDifferent: isDifferent) }

    /// A personal value, which is erased with the key of the person whom it concerns.
    static func personal(
        _ records: Records = .all, of person: @escaping @Sendable (Entity) -> UserID? = { _ in nil }
    ) -> Self { Self(records: records, person: person) }

    /// - Parameters:
    ///   - isDifferent: finds a change; `nil` to compare the values of the field.
    ///   - form: what is recorded instead of a value that may be secret or long; `nil` for the value.
    static func changed(
        if isDifferent: (@Sendable (Entity, Entity) -> Bool)? = nil, as form: (@Sendable (Entity) -> RecordValue)? = nil
    ) -> Self { Self(records: .changes, form: form, isDifferent: isDifferent) }
}

extension Array {
    /// The schema of the entity in responses: an object that has the fields of the lowest level, and can have those of the other
    /// levels.
    package func schema<Entity>() -> JSONSchema where Element == Field<Entity> {
        let lowest = compactMap(\.threshold).min() ?? .publicLevel
        return .object(compactMap { $0.member(above: lowest) })
    }

    /// The details in the record of a created or removed entity.
    package func recorded<Entity>(_ entity: Entity) -> [String: RecordValue] where Element == Field<Entity> {
        reduce(into: [:]) { if $1.isRecordedWhenMade { $0[$1.name] = $1.recorded(entity) } }
    }

    /// The details in the record of a change: the fields that changed, before and after.
    package func recordedChanges<Entity>(
        from old: Entity, to new: Entity
    ) -> (before: [String: RecordValue], after: [String: RecordValue]) where Element == Field<Entity> {
        let changed = filter { $0.isRecordedWhenChanged && $0.isDifferent(old, new) }
        return (
            changed.reduce(into: [:]) { $0[$1.name] = $1.recorded(old) },
            changed.reduce(into: [:]) { $0[$1.name] = $1.recorded(new) }
        )
    }

    /// The recorded values of the named fields, changed or not.
    package func recorded<Entity>(_ names: String..., of entity: Entity) -> [String: RecordValue]
    where Element == Field<Entity> {
        reduce(into: [:]) { if names.contains($1.name) { $0[$1.name] = $1.recorded(entity) } }
    }

    /// Returns one object that contains the fields as `reader` sees them, for an entity that is rendered inside another one.
    func object<Entity>(
        _ entity: Entity, for reader: FieldReader, in tenancy: TenancyDirectory
    ) -> FieldValue where Element == Field<Entity> {
        .object(map { FieldValue.Member($0.name, $0.value(of: entity, for: reader, in: tenancy)) }.filter { $0.value != .absent })
    }
}

/// The value of a field: JSON with typed ids and instants, which are converted to text only when they are written.
package enum FieldValue: Hashable, Sendable {
    /// The field is left out.
    case absent
    /// The field has no value.
    case null
    /// A JSON boolean.
    case bool(Bool)
    /// A JSON integer.
    case integer(Int64)
    /// A JSON string.
    case string(String)
    /// An id of any entity.
    case identifier(EntityID<FieldValue>)
    /// An instant, written in the format of RFC 3339.
    case instant(Timestamp)
    /// A list of values, in this order.
    case list([FieldValue])
    /// A list of texts.
    case strings([String])
    /// An object with its members in this order; members that are `.absent` are left out.
    case object([Member])
    /// An object defined by an adapter or a user, written with its keys in ascending order.
    case free([String: JSONValue])
    /// The details of a record.
    case details([String: RecordValue])

    /// A member of an object.
    package struct Member: Hashable, Sendable {
        /// The key.
        package let name: String
        /// The value; `.absent` if the member is left out.
        package let value: FieldValue

        init(_ name: String, _ value: FieldValue) { (self.name, self.value) = (name, value) }

        init(_ name: String, _ value: some FieldConvertible) { self.init(name, value.fieldValue) }
    }

    /// Converts the value to the form of records; `nil` for an absent value.
    ///
    /// - Parameter text: converts a text, which may be personal.
    func recorded(_ text: (String) -> RecordValue) -> RecordValue? {
        switch self {
        case .absent: nil
        case .null: .null
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(value)
        case .string(let value): text(value)
        case .identifier(let id): .string(id.description)
        case .instant(let instant): .string(instant.description)
        case .list(let values): .array(values.compactMap { $0.recorded(text) })
        case .strings(let values): .array(values.map(text))
        // An object may contain secrets. Records contain the `form` of the field's `FieldAudit` instead.
        case .object, .free, .details: .withheld
        }
    }
}
