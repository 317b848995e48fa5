internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy
internal import HTTPTypes
internal import Hummingbird

/// The description of the API, from which the OpenAPI document, the page `/docs` and `docs/api.md` are written.
///
/// It is derived from the route table, from what the handlers read, and from the field tables, so that it cannot differ from them.
struct APIDocument: Sendable {
    /// One method of one path.
    struct Operation: Sendable {
        let method: HTTPRequest.Method
        /// The path, with a parameter as `{name}`.
        let path: String
        /// The names of the parameters in the path.
        let pathParameters: [String]
        let needsSignIn: Bool
        let description: RouteDescription
        let input: InputDescription
        /// The statuses of error responses.
        let errors: [Int]

        /// A parameter in the path, the query or a header.
        struct Parameter: Sendable {
            enum Place: String { case path, query, header }

            let name: String
            let place: Place
            let schema: JSONSchema
            /// A sentence about the parameter; `nil` if its name is enough.
            var summary: String?
            /// Whether a request without it is rejected. A parameter in the path is always required.
            var isRequired = false
        }

        /// `*`, or entity tags separated by commas, which tags of the gateway do not contain.
        private static let tags = {
            let tag = #"(W/)?"[!#-+\x2D-~]*""#
            return #"^(\*|\#(tag)([ \t]*,[ \t]*\#(tag))*)$"#
        }()

        var parameters: [Parameter] {
            var parameters = pathParameters.map { name in
                Parameter(name: name, place: .path, schema: name == "name" ? .string(StreamRequest.nameRules) : .id)
            }
            parameters += input.query.map {
                Parameter(
                    name: $0.name, place: .query, schema: $0.schema, summary: Self.sentences[$0.name], isRequired: $0.isRequired)
            }
            func addHeader(_ name: String, _ rules: StringSchema, _ summary: String, isRequired: Bool = false) {
                parameters.append(
                    Parameter(name: name, place: .header, schema: .string(rules), summary: summary, isRequired: isRequired))
            }
            if description.takesSetupToken {
                addHeader(
                    SetupRoutes.tokenHeader, StringSchema(minLength: 43, pattern: "^[A-Za-z0-9_-]{43}"),
                    "The token of the line `set up at …` that the gateway prints at its start.", isRequired: true)
            }
            if needsSignIn, method == .post {
                addHeader(
                    "Idempotency-Key", IdempotencyKeys.schema,
                    description.isRepeatable
                        ? "A repeated request with the same key has no further effect, and gets the first response."
                        : "Only its form is checked: a repeated request is carried out again.")
            }
            if description.isConditional {
                addHeader(
                    "If-Match", StringSchema(minLength: 1, pattern: Self.tags),
                    "The `ETag` of the version to change; 412 if the object has changed since.")
            }
            if description.answers.contains(where: { $0.status == 202 }) {
                addHeader("Prefer", StringSchema(), "With `respond-async`, the response does not wait for the lock.")
            }
            if description.passesPreference {
                addHeader("Prefer", StringSchema(), "With `respond-async`, no command's result waits for its lock.")
            }
            return parameters
        }

        /// The group of the operation: the first part of its path.
        var group: String { String(path.split(separator: "/").dropFirst(2).first ?? "") }
        /// The operation's id, such as `get_devices_id`.
        var id: String {
            let parts = path.split { !$0.isLetter && !$0.isNumber && $0 != "-" }.dropFirst(2)
            return ([method.rawValue.lowercased()] + parts.map(String.init)).joined(separator: "_").replacing("-", with: "_")
        }
    }

    let operations: [Operation]

    /// Describes the routes of the API. Each handler is called once, and ends where it reads its input.
    ///
    /// - Parameter request: any request; only its services are used.
    /// - Throws: `.internalFailure` if a handler reads no input, so that its input is unknown.
    init(_ routes: [Route], describedBy request: AnonymousRequest) async throws {
        var operations: [Operation] = []
        for route in routes {
            guard let description = route.description else { continue }
            guard let input = await Self.input(of: route, request) else {
                throw GatewayError.internalFailure("the input of \(route.method) \(route.path) is not described")
            }
            operations.append(Operation(route, description, input))
        }
        self.operations = operations.sorted { ($0.group, $0.path, $0.order) < ($1.group, $1.path, $1.order) }
    }

    private static func input(of route: Route, _ request: AnonymousRequest) async -> InputDescription? {
        let box = InputDescription.Box()
        func readRequest<Requester>(of caller: Requester) -> ReadRequest<Requester> {
            let services = request.services
            let head = HTTPRequest(method: route.method, scheme: nil, authority: nil, path: route.path)
            let metadata = RequestMetadata(
                head, peer: request.metadata.peer, proxies: services.proxies, random: services.control.random)
            return ReadRequest(
                services: services, metadata: metadata, parameters: Parameters(), body: [:], client: request.client,
                caller: caller,
                description: box)
        }
        // The description is complete when `read` throws; the error itself is ignored.
        switch route.handler {
        case .open(let handler): _ = try? await handler(readRequest(of: ()))
        case .signedIn(let handler): _ = try? await handler(readRequest(of: Caller(userID: .nonexistent)))
        }
        return box.description
    }

    // MARK: - Components

    /// The schemas that operations refer to by name.
    static let schemas: [(name: String, schema: JSONSchema)] =
        [
            ("APIKey", APIKey.fields.schema()), ("AccessRecord", AccessRecord.fields.schema()),
            ("Adapter", AdapterState.schema), ("AuditedLog", AuditLogs.AuditedLog.schema), ("Backup", StoreBackup.schema),
            ("Clock", ClockStatus.schema), ("Command", ShownCommand.fields.schema()),
            ("ConsistencyProof", ConsistencyProof.schema),
            ("Decision", ExplainedDecision.schema), ("Device", ShownDevice.fields.schema()), ("DeviceStatus", deviceStatus),
            ("DiscoveredDevice", DiscoveredDevice.schema), ("GuestAccess", GuestAccess.fields.schema()),
            ("GuestAccessDraft", GuestAccess.draftFields.schema()),
            ("InclusionProof", InclusionProof.schema), ("Invitation", ShownInvitation.fields.schema()),
            ("Pagination", Pagination.schema), ("PermittedPrincipal", NamedPrincipal.schema),
            ("Portfolio", Portfolio.fields.schema()), ("Property", Property.fields.schema()),
            ("RemovalPreview", RemovalPreview.schema), ("Retention", Retention.schema),
            ("RoleAssociation", UserRoleAssociation.fields.schema()), ("Subscription", SubscriptionRoutes.schema),
            ("Unit", Unit.fields.schema()), ("User", ShownUser.fields.schema()),
        ] + errorStatuses.map { ("Error\($0)", error($0)) }

    private static let deviceStatus: JSONSchema = {
        guard case .object(let members) = ShownDevice.statusFields.schema() else { return .any }
        return .object([JSONSchema.Member("deviceId", .id)] + members)
    }()

    /// The statuses of errors, ascending.
    static let errorStatuses = Set(ErrorCode.allCases.map(\.status)).sorted()

    /// The form of the error responses with a status.
    private static func error(_ status: Int) -> JSONSchema {
        var codes = ErrorCode.allCases.filter { $0.status == status }.map(\.rawValue)
        if status == 403 { codes += DenialReason.allCases.map(\.rawValue).filter { !codes.contains($0) } }
        return .fields([
            "status": .words(["error"]), "code": .words(codes), "message": .text, "details": details(of: status),
            "requestId": .text,
        ])
    }

    /// The form of `details` in the error responses with a status.
    private static func details(of status: Int) -> JSONSchema {
        switch status {
        case 400:
            .fields(
                [:],
                optional: [
                    "fields": .array(.fields(["field": .text, "problem": .text])),
                    "problem": .words(ReceiptProblem.allCases.map(\.rawValue)),
                ])
        case 403:
            .fields(
                [:],
                optional: [
                    "operation": LockOperation.schema, "deviceId": .id, "reason": DenialReason.schema, "rule": Rule.schema,
                    "opensAt": .instant, "closesAt": .instant, "missing": Denial.Missing.schema,
                    "command": .nullable(.reference("Command")), "module": .text, "name": .text, "limit": .count, "count": .count,
                ])
        case 429: .fields([:], optional: ["limit": .count])
        case 409: .fields([:], optional: ["dependents": .map(.count)])
        case 502, 503, 504: .fields([:], optional: ["command": .nullable(.reference("Command"))])
        default: .object([])
        }
    }
}

extension APIDocument.Operation {
    fileprivate init(_ route: Route, _ description: RouteDescription, _ input: InputDescription) {
        (method, self.description, self.input) = (route.method, description, input)
        let parts = route.path.split(separator: "/")
        pathParameters = parts.filter { $0.hasPrefix(":") }.map { String($0.dropFirst()) }
        path = "/" + parts.map { $0.hasPrefix(":") ? "{\($0.dropFirst())}" : String($0) }.joined(separator: "/")
        if case .signedIn = route.handler { needsSignIn = true } else { needsSignIn = false }
        var errors = [400, 401, 403, 429, 500, 503]
        // The response to a report or export is about the object that its query names.
        let files = ["text/html", "text/csv"]
        let isOfNamedObject = !input.query.isEmpty && description.answers.contains { !Set($0.mediaTypes).isDisjoint(with: files) }
        if !pathParameters.isEmpty || input.body != nil || isOfNamedObject { errors.append(404) }
        if input.body != nil { errors += [413, 415] }
        if method != .get { errors.append(409) }
        if description.isConditional { errors.append(412) }
        if description.isRepeatable { errors.append(422) }
        if description.sendsCommand { errors += [502, 504] }
        self.errors = errors.sorted()
    }

    /// The order of the operations of one path.
    fileprivate var order: Int {
        [HTTPRequest.Method.get, .post, .put, .delete].firstIndex(of: method) ?? .max
    }
}

// Writes the document in the format of OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1.html).

extension APIDocument {
    var openAPI: JSONValue {
        let paths = Dictionary(grouping: operations, by: \.path).mapValues { operations in
            JSONValue.object(Dictionary(operations.map { ($0.method.rawValue.lowercased(), $0.openAPI) }) { $1 })
        }
        return [
            "openapi": "3.1.1",
            "info": ["title": "Doorward", "version": "1", "description": .string(Self.introduction)],
            "paths": .object(paths),
            "components": [
                "securitySchemes": [
                    "bearer": [
                        "type": "http", "scheme": "bearer",
                        "description": "The token of a sign-in, or the secret of an API key.",
                    ]
                ],
                "schemas": .object(Dictionary(Self.schemas.map { ($0.name, $0.schema.json) }) { $1 }),
                "responses": .object(Dictionary(Self.errorStatuses.map { ("Error\($0)", Self.errorResponse($0)) }) { $1 }),
            ],
        ]
    }

    /// The rules that apply to all operations.
    static let introduction = """
        Success is `{"status":"success","data":{…}}`. An error has a stable `code`, a `message` for a person, and the `requestId` \
        that the gateway's log names; with `Accept: application/problem+json` it has the form of RFC 9457. An object contains the \
        fields that the caller's level sees, and `viewLevel` names the level. Unknown keys are rejected.
        """

    private static func errorResponse(_ status: Int) -> JSONValue {
        let codes = ErrorCode.allCases.filter { $0.status == status }.map { "`\($0.rawValue)`" }.joined(separator: ", ")
        return [
            "description": .string(status == 403 ? "\(codes), or the reason of a denial" : codes),
            "content": [
                "application/json": ["schema": JSONSchema.reference("Error\(status)").json],
                "application/problem+json": ["schema": ["type": "object"]],
            ],
        ]
    }
}

extension APIDocument.Operation {
    fileprivate var openAPI: JSONValue {
        var members: [String: JSONValue] = [
            "operationId": .string(id), "summary": .string(description.summary), "tags": [.string(group)],
            "responses": .object(responses), "security": needsSignIn ? [["bearer": []]] : [],
        ]
        if !parameters.isEmpty { members["parameters"] = .array(parameters.map(\.openAPI)) }
        if let body = input.body {
            members["requestBody"] = [
                "required": .bool(body.hasRequiredMember),
                "content": ["application/json": ["schema": body.json, "example": body.example()]],
            ]
        }
        return .object(members)
    }

    private var responses: [String: JSONValue] {
        var responses: [String: JSONValue] = [:]
        for status in errors { responses["\(status)"] = ["$ref": .string("#/components/responses/Error\(status)")] }
        for answer in description.answers { responses["\(answer.status)"] = answer.openAPI }
        return responses
    }
}

extension APIDocument.Operation.Parameter {
    fileprivate var openAPI: JSONValue {
        var members: [String: JSONValue] = ["name": .string(name), "in": .string(place.rawValue), "schema": schema.json]
        if place == .path || isRequired { members["required"] = true }
        if let summary { members["description"] = .string(summary) }
        return .object(members)
    }
}

extension DocumentedAnswer {
    fileprivate var openAPI: JSONValue {
        var members: [String: JSONValue] = ["description": .string(summary)]
        if let schema {
            members["content"] = ["application/json": ["schema": schema.json, "example": schema.example(for: "success")]]
        }
        if !mediaTypes.isEmpty {
            members["content"] = .object(Dictionary(mediaTypes.map { ($0, ["schema": ["type": "string"]]) }) { $1 })
        }
        if !headers.isEmpty {
            members["headers"] = .object(
                Dictionary(headers.map { ($0, ["required": true, "schema": ["type": "string"]]) }) { $1 })
        }
        return .object(members)
    }

    /// The form of the body; `nil` for a response without one.
    var schema: JSONSchema? { data.map { .fields(["status": .words(["success"]), "data": $0]) } }
}

extension JSONSchema {
    /// Whether a value of this form has at least one required member, so that the empty object is not valid.
    var hasRequiredMember: Bool {
        switch self {
        case .object(let members): members.contains(where: \.isRequired)
        case .oneOf(let forms): forms.allSatisfy(\.hasRequiredMember)
        default: false
        }
    }
}

extension APIDocument.Operation {
    /// What the parameters of queries mean, each in a sentence. A name means the same in every operation.
    static let sentences = [
        "page": "The number of the page, from 1; a page past the end is empty.",
        "limit": "The largest number of items in the response.",
        "sortBy": "The order of the list; with a minus sign before it, descending.",
        "q": "Only items whose name contains this text, in any case.",
        "dryRun": "With `true`, the response shows the effects, and nothing is changed.",
        "cascade": "With `true`, the properties and units in it are deleted, too; locks are kept.",
        "cursor": "The `nextCursor` of the previous page, with the same filters.",
        "order": "`desc` for the newest first, `asc` for the oldest first.",
        "portfolioId": "Only of this portfolio.", "propertyId": "Only of this property.", "unitId": "Only of this unit.",
        "deviceId": "Only of this lock.", "logId": "Only of this log.", "userId": "Only actions of this user.",
        "kind": "Only records of this kind.", "operation": "Only of this operation on a lock.",
        "decision": "Only records with this decision.", "reason": "Only denials for this reason.",
        "outcome": "Only commands with this outcome.", "from": "The beginning, which is included.",
        "until": "The end, which is not included.", "to": "The size of the larger tree.",
        "fromSeq": "The first record of the log to export.", "untilSeq": "The first record of the log not to export.",
        "seq": "The position of the record in its log.", "size": "The size of the tree: the number of records that it covers.",
        "timeZone": "The IANA name of the zone in which days begin.", "by": "The length of the periods that are counted.",
        "groupBy": "The field by whose values the counts of a period are divided.", "format": "The format of the file.",
        "separator": "Of a CSV file; spreadsheets of countries with decimal commas expect `semicolon`.",
        "cosigned": "With `true`, the newest checkpoint that a witness has cosigned.",
        "at": "The time of the question: now or later; up to 60 s before now is taken as now.",
        "state": "Only locks in this state.", "isOnline": "Only locks that are online, or that are not.",
        "batteryBelow": "Only locks whose battery is below this percentage.", "adapter": "Only locks of this adapter.",
        "active": "Only guest accesses that are neither revoked nor past their end; with `false`, the others.",
        "hasLink": "Only guest accesses with a link that the caller may end; with `false`, the others.",
        "preview": "The number of next intervals to add to the response.",
        "deviceNames": "With `true`, the response has the names of the locks.",
        "refresh": "With `true`, the lock is asked for its state first.",
        "subscribe": "`name:type:query`, once for each subscription.",
    ]
}
