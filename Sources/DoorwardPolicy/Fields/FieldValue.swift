package import DoorwardDomain

/// The value of a field: JSON, with ids, instants and words as they are until they are written.
package enum FieldValue: Hashable, Sendable {
    /// The field is left out.
    case absent
    /// The field has no value.
    case null
    /// As in JSON.
    case bool(Bool)
    /// As in JSON.
    case integer(Int64)
    /// As in JSON.
    case string(String)
    /// An id of any entity.
    case identifier(EntityID<FieldValue>)
    /// RFC 3339 in JSON.
    case instant(Timestamp)
    /// In this order.
    case list([FieldValue])
    /// A list of texts.
    case strings([String])
    /// In this order; members that are `.absent` are left out.
    case object([Member])
    /// An object of an adapter's or a user's own, with keys in ascending order.
    case free([String: JSONValue])
    /// The details of a record.
    case details([String: RecordValue])

    /// A member of an object.
    package struct Member: Hashable, Sendable {
        /// The key.
        package let name: String
        /// `.absent` where the member is left out.
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

    /// The same in a record; `nil` for an absent value.
    ///
    /// - Parameter text: what becomes of a text, which may be personal.
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
        // An object may hold anything: a record says of it what the field's audit form says.
        case .object, .free, .details: .withheld
        }
    }
}
