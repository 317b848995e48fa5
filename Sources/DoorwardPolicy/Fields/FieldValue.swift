package import DoorwardDomain

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
    }

    static func text(_ value: String?) -> Self { value.map { .string($0) } ?? .null }
    static func flag(_ value: Bool?) -> Self { value.map { .bool($0) } ?? .null }
    static func number(_ value: (some BinaryInteger)?) -> Self { value.map { .integer(Int64(clamping: $0)) } ?? .null }
    static func time(_ value: Timestamp?) -> Self { value.map { .instant($0) } ?? .null }
    static func id<Entity>(_ value: EntityID<Entity>?) -> Self { value.map { .identifier($0.cast()) } ?? .null }
    static func ids<Entity>(_ values: [EntityID<Entity>]) -> Self { .list(values.map { .identifier($0.cast()) }) }
    static func word(_ value: (some RawRepresentable<String>)?) -> Self { value.map { .string($0.rawValue) } ?? .null }
    static func words(_ values: [some RawRepresentable<String>]) -> Self { .strings(values.map(\.rawValue)) }

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
