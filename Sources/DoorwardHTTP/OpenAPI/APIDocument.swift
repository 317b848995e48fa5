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
            /// Whether a query without it is rejected. A parameter in the path is always required.
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
            if needsSignIn, method == .post {
                parameters.append(
                    Parameter(
                        name: "Idempotency-Key", place: .header,
                        schema: .string(StringSchema(minLength: 1, maxLength: 255, pattern: "^[!-~]+$")),
                        summary: description.isRepeatable
                            ? "A repeated request with the same key has no further effect, and gets the first response."
                            : "Only its form is checked: a repeated request is carried out again."))
            }
            if description.isConditional {
                parameters.append(
                    Parameter(
                        name: "If-Match", place: .header,
                        schema: .string(StringSchema(minLength: 1, pattern: Self.tags)),
                        summary: "The `ETag` of the version to change; 412 if the object has changed since."))
            }
            if description.answers.contains(where: { $0.status == 202 }) {
                parameters.append(
                    Parameter(
                        name: "Prefer", place: .header, schema: .text,
                        summary: "With `respond-async`, the response does not wait for the lock."))
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
    /// - Parameter call: any request; only its services are used.
    /// - Throws: `.internalFailure` if a handler reads no input, so that its input is unknown.
    init(_ routes: [Route], describedBy call: OpenCall) async throws {
        var operations: [Operation] = []
        for route in routes {
            guard let description = route.description else { continue }
            guard let input = await Self.input(of: route, call) else {
                throw GatewayError.internalFailure("the input of \(route.method) \(route.path) is not described")
            }
            operations.append(Operation(route, description, input))
        }
        self.operations = operations.sorted { ($0.group, $0.path, $0.order) < ($1.group, $1.path, $1.order) }
    }

    private static func input(of route: Route, _ call: OpenCall) async -> InputDescription? {
        let box = InputDescription.Box()
        func request<Requester>(of caller: Requester) -> ReadRequest<Requester> {
            let services = call.services
            let head = HTTPRequest(method: route.method, scheme: nil, authority: nil, path: route.path)
            let facts = RequestMetadata(
                head, peer: call.facts.peer, proxies: services.proxies, random: services.control.random)
            return ReadRequest(
                services: services, facts: facts, parameters: Parameters(), body: [:], client: call.client, caller: caller,
                description: box)
        }
        // The description is complete when `read` throws; the error itself is ignored.
        switch route.handler {
        case .open(let handler): _ = try? await handler(request(of: ()))
        case .signedIn(let handler): _ = try? await handler(request(of: Caller(userID: .nonexistent)))
        }
        return box.description
    }

    // MARK: - Components

    /// The schemas that operations refer to by name.
    static let schemas: [(name: String, schema: JSONSchema)] =
        [
            ("APIKey", APIKey.fields.schema()), ("AccessRecord", AccessRecord.fields.schema()),
            ("Adapter", AdapterRoutes.schema), ("AuditedLog", AuditRoutes.logSchema), ("Backup", StoreRoutes.schema),
            ("Clock", ClockRoutes.schema), ("Command", ShownCommand.fields.schema()),
            ("ConsistencyProof", AuditRoutes.consistencySchema),
            ("Decision", ExplainedDecision.schema), ("Device", ShownDevice.fields.schema()), ("DeviceStatus", deviceStatus),
            ("DiscoveredDevice", DiscoveredRoutes.schema), ("GuestAccess", GuestAccess.fields.schema()),
            ("InclusionProof", AuditRoutes.inclusionSchema), ("Invitation", ShownInvitation.fields.schema()),
            ("Pagination", Pagination.schema), ("PermittedPrincipal", NamedPrincipal.schema),
            ("Portfolio", Portfolio.fields.schema()), ("Property", Property.fields.schema()),
            ("RemovalPreview", RemovalPreview.schema), ("Retention", RetentionRoutes.schema),
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
            .optionalFields([
                "fields": .array(.fields(["field": .text, "problem": .text])),
                "problem": .words(ReceiptProblem.allCases.map(\.rawValue)),
            ])
        case 403:
            .optionalFields([
                "operation": LockOperation.schema, "deviceId": .id, "reason": DenialReason.schema, "rule": Rule.schema,
                "opensAt": .instant, "closesAt": .instant, "missing": Denial.Missing.schema,
                "command": .nullable(.reference("Command")), "module": .text, "name": .text, "limit": .count, "count": .count,
            ])
        case 429: .optionalFields(["limit": .count])
        case 409: .optionalFields(["dependents": .map(.count)])
        case 502, 503, 504: .optionalFields(["command": .nullable(.reference("Command"))])
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
        // A report or an export is of the object that its query names.
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
