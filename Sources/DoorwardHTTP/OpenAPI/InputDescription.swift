internal import DoorwardControl
internal import DoorwardDomain
internal import Synchronization

/// The input of a route: the form of its body and the parameters of its query.
///
/// It is recorded from the route's handler: the handler is called with a request whose `read` runs the handler's closure once, with readers
/// that record each call, and then ends the handler. So a description cannot differ from what is read.
struct InputDescription: Sendable {
    /// `nil` for a route that reads no body.
    let body: JSONSchema?
    /// The parameters of the query.
    let query: [JSONSchema.Member]

    init<Value>(_ read: (inout BodyReader, inout QueryReader) throws(GatewayError) -> Value) throws(GatewayError) {
        let query = InputRecorder()
        func form(_ recorder: InputRecorder) throws(GatewayError) -> JSONSchema? {
            let errors = FieldErrors()
            var bodyReader = BodyReader([:], errors: errors, recorder: recorder)
            var queryReader = QueryReader(nil, errors: errors, recorder: query)
            _ = try read(&bodyReader, &queryReader)
            return recorder.members.isEmpty ? nil : .object(recorder.members)
        }
        let first = InputRecorder()
        var forms = [try form(first)]
        for variant in 1..<max(1, first.variants) { forms.append(try form(InputRecorder(variant: variant))) }
        let bodies = forms.compactMap(\.self)
        body = bodies.count > 1 ? .oneOf(bodies) : bodies.first
        self.query = query.members.map { JSONSchema.Member($0.name, $0.schema.withoutNull, isRequired: $0.isRequired) }
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
    private var entries: [(name: String, schema: JSONSchema)] = []
    /// The names that `markOptional` and `markRequired` have noted.
    private var (optional, required): (Set<String>, Set<String>) = ([], [])
    /// The form of the body that is being described, from 0.
    private let variant: Int
    /// The number of forms that the body can have.
    private(set) var variants = 1

    init(variant: Int = 0) { self.variant = variant }

    /// The schema of the object that a closure reads.
    static func schema(_ read: (inout BodyReader) -> Void) -> JSONSchema {
        let recorder = InputRecorder()
        var reader = BodyReader([:], errors: FieldErrors(), recorder: recorder)
        read(&reader)
        return .object(recorder.members)
    }

    var members: [JSONSchema.Member] {
        entries.map { name, schema in
            let isRequired = required.contains(name)
            return JSONSchema.Member(
                name, isRequired || schema == .null ? schema : .nullable(schema),
                isRequired: isRequired && !optional.contains(name))
        }
    }

    /// Notes a value that is read. A key that is read several times has the form of the first time.
    func add(_ name: String, _ schema: JSONSchema) {
        if !entries.contains(where: { $0.name == name }) { entries.append((name, schema)) }
    }

    /// Notes that the key can be left out, even if a value is then required.
    func markOptional(_ name: String) { optional.insert(name) }

    /// Notes that `null` is rejected, and an absent key too unless it was marked as optional.
    func markRequired(_ name: String) { required.insert(name) }

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

// Short forms for JSON that is written in the source. DoorwardHTTP uses them for the OpenAPI document alone.

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral,
    ExpressibleByBooleanLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }

    init(_ texts: some Sequence<String>) { self = .array(texts.map { .string($0) }) }
}

extension JSONSchema {
    /// The schema in JSON Schema 2020-12 (https://json-schema.org/draft/2020-12/json-schema-core).
    var json: JSONValue { .object(keywords) }

    private var keywords: [String: JSONValue] {
        switch self {
        case .any: [:]
        case .null: ["type": "null"]
        case .boolean: ["type": "boolean"]
        case .integer(let range):
            Self.number("integer", range.map { (.integer($0.lowerBound), .integer($0.upperBound)) })
        case .number(let range): Self.number("number", range.map { (.number($0.lowerBound), .number($0.upperBound)) })
        case .string(let rules): rules.keywords
        case .words(let words): ["type": "string", "enum": JSONValue(words)]
        case .array(let element, let maxItems):
            ["type": "array", "items": element.json].merging(maxItems.map { ["maxItems": .integer(Int64($0))] } ?? [:]) { $1 }
        case .object(let members): Self.object(members)
        case .map(let value): ["type": "object", "additionalProperties": value == .any ? true : value.json]
        case .reference(let name): ["$ref": .string("#/components/schemas/\(name)")]
        case .oneOf(let forms): ["oneOf": .array(forms.map(\.json))]
        case .nullable(let schema): schema.orNull
        }
    }

    /// A bound that no value of its type can exceed is left out.
    private static func number(_ type: JSONValue, _ bounds: (JSONValue, JSONValue)?) -> [String: JSONValue] {
        guard let bounds else { return ["type": type] }
        let keywords = ["type": type, "minimum": bounds.0]
        return bounds.1 == .integer(.max) ? keywords : keywords.merging(["maximum": bounds.1]) { $1 }
    }

    private static func object(_ members: [Member]) -> [String: JSONValue] {
        var keywords: [String: JSONValue] = ["type": "object", "additionalProperties": false]
        let properties = members.map { ($0.name, $0.schema.json) }
        keywords["properties"] = .object(Dictionary(properties) { first, _ in first })
        let required = members.filter(\.isRequired).map(\.name)
        if !required.isEmpty { keywords["required"] = JSONValue(required) }
        return keywords
    }

    /// The keywords of the same form or `null`.
    private var orNull: [String: JSONValue] {
        var keywords = keywords
        guard case .string(let type) = keywords["type"] else { return ["anyOf": [json, ["type": "null"]]] }
        keywords["type"] = [.string(type), "null"]
        if case .array(let words) = keywords["enum"] { keywords["enum"] = .array(words + [.null]) }
        return keywords
    }

    // MARK: - Examples

    /// A value of this form.
    ///
    /// - Parameter name: the key or parameter that the value is for; it selects a realistic example.
    func example(for name: String = "") -> JSONValue {
        switch self {
        case .any, .map: [:]
        case .null: .null
        case .boolean: true
        case .integer(let range): .integer(range.map { min(max(20, $0.lowerBound), $0.upperBound) } ?? 20)
        case .number(let range): .number(range?.lowerBound ?? 1.5)
        case .string(let rules): .string(rules.example(for: name))
        case .words(let words): .string(words.first ?? "")
        case .array(let element, _): [element.example(for: name)]
        case .object(let members):
            .object(Dictionary(members.map { ($0.name, $0.schema.example(for: $0.name)) }) { $1 })
        case .reference(let component):
            APIDocument.schemas.first { $0.name == component }?.schema.example(for: name) ?? .null
        case .oneOf(let forms): forms.first?.example(for: name) ?? .null
        case .nullable(let schema): schema.example(for: name)
        }
    }
}

extension StringSchema {
    fileprivate var keywords: [String: JSONValue] {
        var keywords: [String: JSONValue] = ["type": "string"]
        if let minLength { keywords["minLength"] = .integer(Int64(minLength)) }
        if let maxLength { keywords["maxLength"] = .integer(Int64(maxLength)) }
        if let pattern { keywords["pattern"] = .string(pattern) }
        if let format { keywords["format"] = .string(format) }
        return keywords
    }

    fileprivate func example(for name: String) -> String {
        switch (format, name) {
        case ("uuid", _): "01980c5e-8a3f-7d21-9b1c-3f2e5a7c9d10"
        case ("date-time", "validUntil"), ("date-time", "expiresAt"): "2027-01-16T11:00:00.000Z"
        case ("date-time", _): "2027-01-15T14:00:00.000Z"
        case ("date", _): "2026-12-25"
        default: Self.examples[name] ?? (name.isEmpty ? "text" : name)
        }
    }

    /// The examples of texts, by their keys.
    private static let examples = [
        "validFrom": "2027-01-15T14:00:00Z", "validUntil": "2027-01-16T11:00:00Z", "from": "09:00", "until": "17:00",
        "timeZone": "Europe/Zurich", "defaultTimeZone": "Europe/Zurich", "email": "ada@example.org",
        "guestEmail": "ada@example.org", "firstName": "Ada", "lastName": "Berg", "password": "lantern orbit maple winter",
        "newPassword": "lantern orbit maple winter", "currentPassword": "an older and longer passphrase",
        "reason": "A tenant lost the key.", "name": "Flat 1", "label": "Weekend guests", "adapter": "simulator",
        "street": "Lindenweg 4", "city": "Bern", "country": "Switzerland", "postalCode": "3007",
        "file": "/var/backups/doorward.db", "code": "4711", "method": "POST",
        "path": "/api/v1/devices/01980c5e-8a3f-7d21-9b1c-3f2e5a7c9d10/lock",
        "note": "doorward.local/log\n1\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\n\u{2014} witness.example AAAAAAAA\n",
    ]
}
