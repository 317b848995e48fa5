internal import DoorwardControl
internal import DoorwardDomain
internal import Synchronization

/// The input of a route: the form of its body and the parameters of its query.
///
/// It is what the route's handler reads: the handler is called with a request whose `read` runs the handler's closure once with
/// readers that note each call, and then ends the handler. So a description cannot differ from what is read.
struct InputDescription: Sendable {
    /// A parameter of a query.
    struct Parameter: Sendable {
        let name: String
        let schema: JSONSchema
    }

    /// `nil` for a route that reads no body.
    let body: JSONSchema?
    let query: [Parameter]

    init<Value>(_ read: (inout BodyReader, inout QueryReader) throws(GatewayError) -> Value) throws(GatewayError) {
        let query = InputRecorder()
        func form(_ recorder: InputRecorder) throws(GatewayError) -> JSONSchema? {
            let mistakes = FieldErrors()
            var bodyReader = BodyReader([:], mistakes: mistakes, recorder: recorder)
            var queryReader = QueryReader(nil, mistakes: mistakes, recorder: query)
            _ = try read(&bodyReader, &queryReader)
            return recorder.members.isEmpty ? nil : .object(recorder.members)
        }
        let first = InputRecorder()
        let form1 = try form(first)
        if first.choice != nil, let form1, let form2 = try form(InputRecorder(isChosen: true)) {
            body = .oneOf([form1, form2])
        } else {
            body = form1
        }
        self.query = query.members.map { Parameter(name: $0.name, schema: $0.schema.withoutNull) }
    }

    /// Gets the description out of a handler.
    final class Box: Sendable {
        private let stored = Mutex<InputDescription?>(nil)

        func set(_ description: InputDescription) { stored.withLock { $0 = description } }

        /// `nil` if the handler read nothing.
        var description: InputDescription? { stored.withLock { $0 } }
    }
}

/// Notes the calls of a `BodyReader` or `QueryReader`.
final class InputRecorder {
    private struct Entry {
        let name: String
        let schema: JSONSchema
        var isNullable = true
        var isRequired = false
    }

    private var entries: [Entry] = []
    private var optional: Set<String> = []
    private let isChosen: Bool
    /// The key that decides between two forms of the body; `nil` if there is one form.
    private(set) var choice: String?

    /// - Parameter isChosen: whether the body has the key that decides between two forms.
    init(isChosen: Bool = false) { self.isChosen = isChosen }

    /// The schema of the object that a closure reads.
    static func schema(_ read: (inout BodyReader) -> Void) -> JSONSchema {
        let recorder = InputRecorder()
        var reader = BodyReader([:], mistakes: FieldErrors(), recorder: recorder)
        read(&reader)
        return .object(recorder.members)
    }

    var members: [JSONSchema.Member] {
        entries.map { JSONSchema.Member($0.name, $0.isNullable ? .nullable($0.schema) : $0.schema, isRequired: $0.isRequired) }
    }

    /// Notes a value that is read. A key that is read several times has the form of the first time.
    func add(_ name: String, _ schema: JSONSchema) {
        if !entries.contains(where: { $0.name == name }) { entries.append(Entry(name: name, schema: schema)) }
    }

    /// Notes that the key can be left out, even if a value is then required.
    func markOptional(_ name: String) { optional.insert(name) }

    /// Notes that `null` is rejected, and an absent key too unless it was marked as optional.
    func markRequired(_ name: String) {
        guard let index = entries.firstIndex(where: { $0.name == name }) else { return }
        entries[index].isNullable = false
        entries[index].isRequired = !optional.contains(name)
    }

    func chooses(_ key: String) -> Bool {
        choice = key
        return isChosen
    }
}

extension JSONSchema {
    /// The same form without `null`.
    fileprivate var withoutNull: JSONSchema { if case .nullable(let schema) = self { schema } else { self } }
}
