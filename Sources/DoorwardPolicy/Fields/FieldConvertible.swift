package import DoorwardDomain

/// A type whose values a field can have. Its form in JSON and the schema of that form are defined here, once for each type.
package protocol FieldConvertible: SendableMetatype {
    /// The schema of all values of this type.
    static var schema: JSONSchema { get }
    /// The value in JSON.
    var fieldValue: FieldValue { get }
    /// A list of values in JSON.
    static func list(_ values: [Self]) -> FieldValue
}

extension FieldConvertible {
    /// A list of the values, each in its own form.
    package static func list(_ values: [Self]) -> FieldValue { .list(values.map(\.fieldValue)) }
}

extension Optional: FieldConvertible where Wrapped: FieldConvertible {
    package static var schema: JSONSchema { .nullable(Wrapped.schema) }
    package var fieldValue: FieldValue { self?.fieldValue ?? .null }
}

extension Array: FieldConvertible where Element: FieldConvertible {
    package static var schema: JSONSchema { .array(Element.schema) }
    package var fieldValue: FieldValue { Element.list(self) }
}

extension Bool: FieldConvertible {
    package static var schema: JSONSchema { .boolean }
    package var fieldValue: FieldValue { .bool(self) }
}

extension String: FieldConvertible {
    package static var schema: JSONSchema { .text }
    package var fieldValue: FieldValue { .string(self) }
    package static func list(_ values: [String]) -> FieldValue { .strings(values) }
}

extension FixedWidthInteger where Self: FieldConvertible {
    /// An integer of any size.
    package static var schema: JSONSchema { .integer() }
    /// The integer; one beyond 64 bits becomes the nearest that fits.
    package var fieldValue: FieldValue { .integer(Int64(clamping: self)) }
}

extension Int: FieldConvertible {}
extension Int64: FieldConvertible {}
extension UInt64: FieldConvertible {}

extension Timestamp: FieldConvertible {
    package static var schema: JSONSchema { .instant }
    package var fieldValue: FieldValue { .instant(self) }
}

extension EntityID: FieldConvertible {
    package static var schema: JSONSchema { .id }
    package var fieldValue: FieldValue { .identifier(cast()) }
}

/// An object that an adapter or a user defines.
extension Dictionary: FieldConvertible where Key == String, Value == JSONValue {
    package static var schema: JSONSchema { .map(.any) }
    package var fieldValue: FieldValue { .free(self) }
}

// MARK: - Enumerations

extension FieldConvertible where Self: RawRepresentable<String> & CaseIterable {
    /// One of the raw values.
    package static var schema: JSONSchema { .words(allCases.map(\.rawValue)) }
    /// The raw value.
    package var fieldValue: FieldValue { .string(rawValue) }
    /// The raw values.
    package static func list(_ values: [Self]) -> FieldValue { .strings(values.map(\.rawValue)) }
}

extension ActorKind: FieldConvertible {}
extension AssociatedEntityType: FieldConvertible {}
extension ChangeAction: FieldConvertible {}
extension CommandState: FieldConvertible {}
extension DenialReason: FieldConvertible {}
extension DoorState: FieldConvertible {}
extension EventMethod: FieldConvertible {}
extension LockOperation: FieldConvertible {}
extension LockState: FieldConvertible {}
extension RecordDecision: FieldConvertible {}
extension RecordEvent: FieldConvertible {}
extension RecordKind: FieldConvertible {}
extension RecordSource: FieldConvertible {}
extension Role: FieldConvertible {}
extension StateQuality: FieldConvertible {}
