internal import DoorwardDomain
internal import DoorwardPolicy

/// A field of an object that every reader sees whole: its name, the form of its values, and how they are written.
struct ResponseField<Object>: Sendable {
    /// The field in the schema of the object.
    let member: JSONSchema.Member
    fileprivate let write: @Sendable (Object, inout JSONWriter) -> Void

    private init(_ member: JSONSchema.Member, _ write: @escaping @Sendable (Object, inout JSONWriter) -> Void) {
        (self.member, self.write) = (member, write)
    }

    /// A field with values in the form of `schema`.
    init(_ name: String, _ schema: JSONSchema, _ value: @escaping @Sendable (Object) -> some JSONRenderable & SendableMetatype) {
        self.init(JSONSchema.Member(name, schema)) { $1.field(name, value($0)) }
    }

    /// A field whose form follows from the type of its values.
    init<Value: JSONRenderable & FieldConvertible>(_ name: String, _ value: @escaping @Sendable (Object) -> Value) {
        self.init(name, Value.schema, value)
    }

    /// A field with objects that have a table themselves.
    init<Value: ResponseValue>(_ name: String, _ value: @escaping @Sendable (Object) -> Value) {
        self.init(JSONSchema.Member(name, Value.schema)) { $1.field(name, value($0)) }
    }

    /// A field that is left out if it has no value.
    static func ifPresent<Value: JSONRenderable & FieldConvertible>(
        _ name: String, _ value: @escaping @Sendable (Object) -> Value?
    ) -> Self {
        Self(JSONSchema.Member(name, Value.schema, isRequired: false)) { $1.fieldIfPresent(name, value($0)) }
    }

    /// A field with values in the form of `schema`, written by a closure.
    static func written(
        _ name: String, _ schema: JSONSchema, _ write: @escaping @Sendable (Object, inout JSONWriter) -> Void
    ) -> Self {
        Self(JSONSchema.Member(name, schema)) { object, writer in writer.field(name) { write(object, &$0) } }
    }

    /// A field with an object of further fields.
    static func object(_ name: String, _ fields: [Self]) -> Self {
        written(name, fields.schema()) { object, writer in writer.object { fields.write(object, into: &$0) } }
    }

    /// A field with a list of objects, each with the same fields. It is left out if there is no list.
    ///
    /// - Parameter isRequired: whether there is always a list.
    static func objects<Element>(
        _ name: String, isRequired: Bool = true, _ elements: @escaping @Sendable (Object) -> [Element]?,
        _ fields: [ResponseField<Element>]
    ) -> Self {
        Self(JSONSchema.Member(name, .array(fields.schema()), isRequired: isRequired)) { object, writer in
            guard let elements = elements(object) else { return }
            writer.field(name) { $0.array(elements) { writer, element in writer.object { fields.write(element, into: &$0) } } }
        }
    }
}

extension Array {
    /// The form of an object with these fields.
    func schema<Object>() -> JSONSchema where Element == ResponseField<Object> { .object(map(\.member)) }

    /// Adds the fields to the current object.
    func write<Object>(_ object: Object, into writer: inout JSONWriter) where Element == ResponseField<Object> {
        for field in self { field.write(object, &writer) }
    }
}

extension APIResponse {
    /// A success response whose `data` has these fields.
    static func success<Object>(
        _ fields: [ResponseField<Object>], of object: Object, status: Int = 200, location: String? = nil
    ) -> APIResponse {
        success(status, location: location) { fields.write(object, into: &$0) }
    }
}

/// An object of responses, or several of them, or `null`.
protocol ResponseValue: SendableMetatype {
    static var schema: JSONSchema { get }
    func write(into writer: inout JSONWriter)
}

/// An object whose form and content in responses follow from one table.
protocol ResponseObject: ResponseValue {
    static var fields: [ResponseField<Self>] { get }
}

extension ResponseObject {
    static var schema: JSONSchema { fields.schema() }

    func write(into writer: inout JSONWriter) { writer.object { Self.fields.write(self, into: &$0) } }
}

extension Optional: ResponseValue where Wrapped: ResponseObject {
    static var schema: JSONSchema { .nullable(Wrapped.schema) }

    func write(into writer: inout JSONWriter) { if let self { self.write(into: &writer) } else { writer.null() } }
}

extension Array: ResponseValue where Element: ResponseObject {
    static var schema: JSONSchema { .array(Element.schema) }

    func write(into writer: inout JSONWriter) { writer.array(self) { $1.write(into: &$0) } }
}

extension JSONWriter {
    mutating func field(_ name: String, _ value: some ResponseValue) { field(name) { value.write(into: &$0) } }
}
