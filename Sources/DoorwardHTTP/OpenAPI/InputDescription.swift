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
        let isRequired: Bool
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
        var forms = [try form(first)]
        for variant in 1..<max(1, first.variants) { forms.append(try form(InputRecorder(variant: variant))) }
        let bodies = forms.compactMap(\.self)
        body = bodies.count > 1 ? .oneOf(bodies) : bodies.first
        self.query = query.members.map { Parameter(name: $0.name, schema: $0.schema.withoutNull, isRequired: $0.isRequired) }
    }

    /// Gets the description out of a handler.
    final class Box: Sendable {
        private let stored = Mutex<InputDescription?>(nil)

        func set(_ description: InputDescription) { stored.withLock { $0 = description } }

        /// `nil` if the handler read nothing.
        var description: InputDescription? { stored.withLock { $0 } }
    }
}

/// Notes the calls of a `BodyReader` or `QueryReader`. A body can have several forms, which at most one key distinguishes
/// (`chooses`); the body is then read once for each form.
final class InputRecorder {
    private struct Entry {
        let name: String
        let schema: JSONSchema
        var isNullable = true
        var isRequired = false
    }

    private var entries: [Entry] = []
    private var optional: Set<String> = []
    /// The form of the body that is being described, from 0.
    private let variant: Int
    /// The number of forms that the body can have.
    private(set) var variants = 1

    init(variant: Int = 0) { self.variant = variant }

    /// The schema of the object that a closure reads.
    static func schema(_ read: (inout BodyReader) -> Void) -> JSONSchema {
        let recorder = InputRecorder()
        var reader = BodyReader([:], mistakes: FieldErrors(), recorder: recorder)
        read(&reader)
        return .object(recorder.members)
    }

    var members: [JSONSchema.Member] {
        entries.map { entry in
            let isNullable = entry.isNullable && entry.schema != .null
            return JSONSchema.Member(
                entry.name, isNullable ? .nullable(entry.schema) : entry.schema, isRequired: entry.isRequired)
        }
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

    /// Notes that the body has a form without `key` and one with it.
    func chooses(by key: String) -> Bool {
        variants = 2
        if variant == 0 { add(key, .null) }
        return variant == 1
    }

    /// Notes that the body has a form for each of these values of `key`.
    func chooses<Word: RawRepresentable<String>>(_ key: String, of words: [Word]) -> Word {
        variants = words.count
        add(key, .words([words[variant].rawValue]))
        return words[variant]
    }
}

extension JSONSchema {
    /// The same form without `null`.
    fileprivate var withoutNull: JSONSchema { if case .nullable(let schema) = self { schema } else { self } }
}
