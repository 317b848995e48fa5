internal import DoorwardDomain

/// The description of a route in the API document. Path, method and authentication are properties of the route; the schema of its
/// input follows from what its handler reads, see `InputDescription`.
struct RouteDescription: Sendable {
    /// What the route does, as one sentence.
    let summary: String
    /// The responses of successful requests.
    let answers: [DocumentedAnswer]
    /// Whether the route takes `Idempotency-Key`.
    var isRepeatable = false
    /// Whether the route takes `If-Match`.
    var isConditional = false
    /// Whether the route sends a command to a lock, which can end without a confirmation.
    var sendsCommand = false
    /// Whether the route takes the token of the set-up in a header.
    var takesSetupToken = false
    /// Whether the route passes `Prefer` on to the requests that it carries out.
    var passesPreference = false
}

/// The response of a successful request.
struct DocumentedAnswer: Sendable {
    let status: Int
    let summary: String
    /// The form of `data`; `nil` for a response without a body.
    let data: JSONSchema?
    /// The headers that every such response has.
    var headers: [String] = []
    /// The media types of a body that is a text without the envelope; `data` is `nil` then.
    var mediaTypes: [String] = []
}

extension [DocumentedAnswer] {
    /// Status 200, with one object as a field of `data`.
    static func object(_ name: String, _ component: String) -> Self { data([name: .reference(component)]) }

    /// Status 200, with one object as a field of `data`, and with the `ETag` of the object.
    static func tagged(_ name: String, _ component: String) -> Self { tagged(.fields([name: .reference(component)])) }

    /// Status 200, with this form of `data`, and with the `ETag` of the object.
    static func tagged(_ data: JSONSchema) -> Self {
        [DocumentedAnswer(status: 200, summary: "The object.", data: data, headers: ["ETag"])]
    }

    /// Status 200, with these fields of `data`.
    static func data(_ fields: KeyValuePairs<String, JSONSchema>) -> Self {
        [DocumentedAnswer(status: 200, summary: summary(fields.map(\.key)), data: .fields(fields))]
    }

    /// Status 200, with these fields of `data`.
    static func data<Object>(_ fields: [ResponseField<Object>]) -> Self {
        [DocumentedAnswer(status: 200, summary: summary(fields.map(\.member.name)), data: fields.schema())]
    }

    /// The sentence about a `data` with these fields.
    private static func summary(_ names: [String]) -> String {
        let quoted = names.map { "`\($0)`" }
        if names.last == "pagination" { return "A page of the list \(quoted[0])." }
        let all = quoted.count > 1 ? "\(quoted.dropLast().joined(separator: ", ")) and \(quoted[quoted.count - 1])" : quoted[0]
        return "`data` has \(all)."
    }

    /// Status 200, with a body of plain text.
    static func text(_ summary: String) -> Self { file(summary, ["text/plain"]) }

    /// Status 200, with a file in one of several formats.
    static func file(_ summary: String, _ mediaTypes: [String]) -> Self {
        [DocumentedAnswer(status: 200, summary: summary, data: nil, mediaTypes: mediaTypes)]
    }

    /// Status 201, with the created object as a field of `data`, and with its location.
    static func created(_ name: String, _ component: String) -> Self { created(.fields([name: .reference(component)])) }

    /// Status 201, with this form of `data`, and with the location of the created object.
    static func created(_ data: JSONSchema) -> Self {
        [DocumentedAnswer(status: 201, summary: "Created.", data: data, headers: ["Location"])]
    }

    /// Status 201 with these fields of `data`, some of which are secrets that no other response contains.
    static func issued(_ fields: JSONSchema) -> Self {
        [DocumentedAnswer(status: 201, summary: "Created. This is the only response with the secrets.", data: fields)]
    }

    /// Status 200, with a page of a list as a field of `data`.
    static func page(_ name: String, _ component: String) -> Self {
        data([name: .array(.reference(component)), "pagination": .reference("Pagination")])
    }

    /// Status 204.
    static var nothing: Self { [DocumentedAnswer(status: 204, summary: "It is done; the response has no body.", data: nil)] }

    /// Status 204, or 200 with the effects of a dry run.
    static var removal: Self {
        nothing + [
            DocumentedAnswer(
                status: 200, summary: "The effects, with `dryRun=true`. Nothing was changed.",
                data: .fields(["preview": .reference("RemovalPreview")]))
        ]
    }
}

extension JSONSchema {
    /// An object that always has these members, can have the optional ones, and has no others.
    static func fields(
        _ members: KeyValuePairs<String, JSONSchema>, optional: KeyValuePairs<String, JSONSchema> = [:]
    ) -> JSONSchema {
        .object(members.map { Member($0.key, $0.value) } + optional.map { Member($0.key, $0.value, isRequired: false) })
    }

    /// A whole number in a range.
    static func integer(in range: ClosedRange<Int>) -> JSONSchema {
        .integer(Int64(range.lowerBound)...Int64(range.upperBound))
    }

    /// A whole number that is not negative.
    static let count = JSONSchema.integer(0...Int64.max)
}
