internal import Crypto
internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy
internal import HTTPTypes
internal import Hummingbird

/// All routes of the gateway. Each path is registered with the router once; its endpoint selects the method.
enum RouteTable {
    static let routes: [Route] =
        HealthRoutes.all + MetricsRoutes.all + AccountPageRoutes.all + SetupRoutes.all + GuestPageRoutes.all + SignInRoutes.all
        + UserRoutes.all + CredentialRoutes.all + InvitationRoutes.all + APIKeyRoutes.all + PermissionRoutes.all
        + AbilityRoutes.all + PlaceRoutes.all + LockdownRoutes.all + SubscriptionRoutes.all + RetentionRoutes.all
        + RoleRoutes.all + DeviceRoutes.all + AuthorizationRoutes.all + DiscoveredRoutes.all + LockCommandRoutes.all
        + CommandRoutes.all + GuestAccessRoutes.all + GuestLinkRoutes.all + AccessRecordRoutes.all + AuditRoutes.all
        + PurchaseRoutes.all + ComplianceRoutes.all + AdapterRoutes.all + StreamRoutes.all + StoreRoutes.all + ClockRoutes.all
        + SimulatorRoutes.all + BulkRoutes.all + DocumentRoutes.all + ConsoleRoutes.all

    /// The methods that are passed to endpoints. Any other method gets the response for a method that no path supports.
    static let commonMethods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options]

    static func responder(_ services: Services, routes: [Route] = routes) -> GatewayResponder {
        responder(services, routes, bulkResponder: responder(services, BulkRoutes.items(of: routes), bulkResponder: nil))
    }

    private static func responder(
        _ services: Services, _ routes: [Route], bulkResponder: GatewayResponder?
    ) -> GatewayResponder {
        let router = Router(context: GatewayContext.self)
        for (path, ofPath) in Dictionary(grouping: routes, by: \.path) {
            let bulkResponder = path == BulkRoutes.path ? bulkResponder : nil
            let endpoint = Endpoint(services: services, routes: ofPath, bulkResponder: bulkResponder)
            for method in commonMethods {
                router.on(RouterPath(path), method: method) { request, context in
                    await endpoint.respond(to: request, context: context)
                }
            }
        }
        // A middleware wraps only the routes that are added after it. No route follows, so it handles only unknown paths.
        let unknownLog = RequestLog(services, method: "other", route: "unknown")
        router.add(middleware: UnknownPath(unknownLog))
        return GatewayResponder(router: router.buildResponder(), services: services, unknownLog: unknownLog)
    }
}

/// A route of the API: a method, a path and a handler.
struct Route: Sendable {
    enum Handler: Sendable {
        /// No sign-in is needed.
        case open(@Sendable (AnonymousRequest) async throws -> APIResponse)
        /// A sign-in is needed; the use case checks all further rights.
        case signedIn(@Sendable (AuthenticatedRequest) async throws -> APIResponse)
    }

    let method: HTTPRequest.Method
    /// Whether the handler runs on the connection's event loop. This is allowed only if each of its
    /// steps takes microseconds for every request.
    var runsOnEventLoop = false
    /// The pattern, with `:name` for a part that is read by `ReadRequest.id`.
    let path: String
    /// The route's name in metrics and log lines; `nil` for its path. Several routes may have the same.
    var label: String?
    let handler: Handler
    /// The route's description in the API document; `nil` for a route outside the API.
    var description: RouteDescription?
    /// Whether the body is a form (`application/x-www-form-urlencoded`) and not JSON.
    var readsForm = false
    /// The maximum number of bytes of a JSON body.
    var maxBodyBytes = WireLimits.bodyBytes
    /// Renders an error as a page; `nil` for the error of the API.
    var errorPage: @Sendable (ErrorResponse, RequestMetadata) -> APIResponse? = { _, _ in nil }
    /// Throws if the request is rejected even before its sign-in is checked.
    var precondition: @Sendable (RequestMetadata) throws(GatewayError) -> Void = { (_) throws(GatewayError) in }
    /// Throws if the caller, or for open routes the address, is rate limited; called before the body is read.
    var limit: @Sendable (GatewayControl, Caller?, RequestMetadata) async throws(GatewayError) -> Void = {
        (_, _, _) throws(GatewayError) in
    }

    /// A route that needs no sign-in.
    static func open(
        _ method: HTTPRequest.Method, _ path: String, described description: RouteDescription? = nil,
        errorPage: @escaping @Sendable (ErrorResponse, RequestMetadata) -> APIResponse? = { _, _ in nil },
        _ handler: @escaping @Sendable (AnonymousRequest) async throws -> APIResponse
    ) -> Route {
        Route(method: method, path: path, handler: .open(handler), description: description, errorPage: errorPage)
    }

    /// A file or a page that is the same for every caller. Any key in the body or query is rejected.
    static func page(_ path: String, _ response: @escaping @Sendable (AnonymousRequest) async throws -> APIResponse) -> Route {
        open(.get, path) { request in
            try request.readNothing()
            return try await response(request)
        }
    }

    static func get(
        _ path: String, _ summary: String, _ answers: [DocumentedAnswer],
        _ handler: @escaping @Sendable (AuthenticatedRequest) async throws -> APIResponse
    ) -> Route { signedIn(.get, path, RouteDescription(summary: summary, answers: answers), handler) }

    /// A route without input: any key in the body or query is rejected.
    static func read(
        _ path: String, _ summary: String, _ answers: [DocumentedAnswer],
        _ handler: @escaping @Sendable (AuthenticatedRequest) async throws -> APIResponse
    ) -> Route {
        get(path, summary, answers) { request in
            try request.readNothing()
            return try await handler(request)
        }
    }

    /// - Parameters:
    ///   - isRepeatable: whether the handler uses `Idempotency-Key`.
    ///   - sendsCommand: whether the handler sends a command to a lock.
    static func post(
        _ path: String, _ summary: String, _ answers: [DocumentedAnswer], isRepeatable: Bool = false, sendsCommand: Bool = false,
        _ handler: @escaping @Sendable (AuthenticatedRequest) async throws -> APIResponse
    ) -> Route {
        signedIn(
            .post, path,
            RouteDescription(summary: summary, answers: answers, isRepeatable: isRepeatable, sendsCommand: sendsCommand), handler)
    }

    /// - Parameters:
    ///   - isConditional: whether the handler uses `If-Match`.
    ///   - sendsCommand: whether the handler sends a command to a lock.
    static func put(
        _ path: String, _ summary: String, _ answers: [DocumentedAnswer], isConditional: Bool = true, sendsCommand: Bool = false,
        _ handler: @escaping @Sendable (AuthenticatedRequest) async throws -> APIResponse
    ) -> Route {
        signedIn(
            .put, path,
            RouteDescription(summary: summary, answers: answers, isConditional: isConditional, sendsCommand: sendsCommand),
            handler)
    }

    /// - Parameter isConditional: whether the handler uses `If-Match`.
    static func delete(
        _ path: String, _ summary: String, _ answers: [DocumentedAnswer], isConditional: Bool = false,
        _ handler: @escaping @Sendable (AuthenticatedRequest) async throws -> APIResponse
    ) -> Route {
        signedIn(.delete, path, RouteDescription(summary: summary, answers: answers, isConditional: isConditional), handler)
    }

    /// A route that removes one object; it reads `dryRun`.
    ///
    /// - Parameter isConditional: whether `remove` uses `If-Match`.
    static func removal(
        _ path: String, _ summary: String, isConditional: Bool = false,
        _ remove: @escaping @Sendable (AuthenticatedRequest, _ isDryRun: Bool) async throws -> RemovalPreview?
    ) -> Route {
        delete(path, summary, .removal, isConditional: isConditional) {
            .removal(try await remove($0, try $0.readQuery { $0.bool("dryRun") ?? false }))
        }
    }

    private static func signedIn(
        _ method: HTTPRequest.Method, _ path: String, _ description: RouteDescription,
        _ handler: @escaping @Sendable (AuthenticatedRequest) async throws -> APIResponse
    ) -> Route { Route(method: method, path: "/api/v1" + path, handler: .signedIn(handler), description: description) }
}

/// A request of a signed-in user, after its body was read.
typealias AuthenticatedRequest = ReadRequest<Caller>
/// A request that needs no sign-in, after its body was read.
typealias AnonymousRequest = ReadRequest<Void>

/// A request whose body was read, as route handlers use it. Before that, a request is represented by its `GatewayContext`.
struct ReadRequest<Requester: Sendable>: Sendable {
    let services: Services
    let metadata: RequestMetadata
    let parameters: Parameters
    /// The body; an absent body is an empty object.
    let body: [String: JSONValue]
    let client: ClientPresence
    /// The caller of the request.
    let caller: Requester
    /// Receives the description of what the handler would read; `nil` while a request is handled.
    var description: InputDescription.Box?
    /// Carries out the requests of a bulk; `nil` for a request that is none.
    var bulk: BulkDispatcher?

    var control: GatewayControl { services.control }

    /// A parameter in the path.
    func text(_ name: String) -> String { parameters.get(name) ?? "" }

    /// An id in the path.
    func id<Entity>(_ name: String, of: Entity.Type = Entity.self) -> EntityID<Entity> { EntityID(orNonexistent: text(name)) }

    /// Reads body and query with `read`, and throws all errors of both, including unknown keys.
    func read<Value>(_ read: (inout BodyReader, inout QueryReader) throws(GatewayError) -> Value) throws(GatewayError) -> Value {
        if let description {
            // The handler ends here, because there is no real request.
            try description.set(InputDescription(read))
            throw .invalid([])
        }
        let errors = FieldErrors()
        var bodyReader = BodyReader(body, errors: errors)
        var queryReader = QueryReader(metadata.query, errors: errors)
        let value = try read(&bodyReader, &queryReader)
        bodyReader.finish()
        queryReader.finish()
        try errors.finish()
        return value
    }

    func readBody<Value>(_ read: (inout BodyReader) -> Value) throws(GatewayError) -> Value {
        try self.read { (body, _) throws(GatewayError) in read(&body) }
    }

    func readQuery<Value>(_ read: (inout QueryReader) -> Value) throws(GatewayError) -> Value {
        try self.read { (_, query) throws(GatewayError) in read(&query) }
    }

    /// Whether the request has a body or a query for `read` to check.
    var hasInput: Bool { !body.isEmpty || metadata.query != nil || description != nil }

    /// Rejects any key in the body or query, for requests that have parameters only in the path.
    func readNothing() throws(GatewayError) {
        if hasInput { try read { (_, _) throws(GatewayError) in } }
    }
}

extension ReadRequest<Caller> {
    /// The renderer for the caller, with the current directory.
    var view: ProjectedRenderer { ProjectedRenderer(caller.principal, control: control) }

    /// The renderer for the caller, with the directory that the rendered objects were chosen in.
    func view(in snapshot: CurrentDirectory.Snapshot) -> ProjectedRenderer {
        ProjectedRenderer(caller.principal, in: snapshot, control: control)
    }

    /// The response with a page of a list, as the caller may see its items.
    func page<Item>(
        _ name: String, _ page: Page<Item>, _ render: (ProjectedRenderer, Item, inout JSONWriter) -> Void
    ) throws(GatewayError) -> APIResponse {
        let view = view(in: page.snapshot)
        return try .page(name, page) { render(view, $1, &$0) }
    }
}

extension ProjectedRenderer {
    /// - Parameter snapshot: the directory that the principal is resolved in; `nil` for the current one.
    init(_ principal: Principal, in snapshot: CurrentDirectory.Snapshot? = nil, control: GatewayControl) {
        let snapshot = snapshot ?? control.directory.snapshot
        self.init(
            snapshot.directory.subject(of: principal), in: snapshot, at: control.clock.decisionTime(), devices: control.devices)
    }
}

extension APIResponse {
    /// The response to a removal: without a body, or the effects of a dry run.
    static func removal(_ preview: RemovalPreview?) -> APIResponse {
        guard let preview else { return .nothing }
        return .success { $0.field("preview", preview) }
    }
}

extension RemovalPreview: ResponseObject {
    static let fields: [ResponseField<Self>] = [.init("removed", \.removed), .init("ended", \.ended)]
}

extension RemovalPreview.Removed: ResponseObject {
    static let fields: [ResponseField<Self>] = [.init("type", \.target.type), .init("id", \.target.id), .init("name", \.name)]
}

extension RecordTarget: ResponseObject {
    static let fields: [ResponseField<Self>] = [.init("type", \.type), .init("id", \.id)]
}

/// Reads `Idempotency-Key` and computes the fingerprint of its request.
struct IdempotencyKeys: Sendable {
    /// The gateway's HMAC key, so that stored fingerprints reveal nothing about a body.
    private let key: SymmetricKey

    init(key: SymmetricKey) { self.key = key }

    /// - Returns: `nil` for a request without a key.
    /// - Throws: `.invalid` for a key that is not 1 to 255 visible ASCII characters.
    func call(_ request: AuthenticatedRequest) throws(GatewayError) -> IdempotentCall? {
        guard let text = try Self.key(in: request.metadata) else { return nil }
        return IdempotentCall(
            key: IdempotencyKey(principal: request.caller.principal.key, key: text), fingerprint: fingerprint(of: request))
    }

    /// Returns the idempotency key of a request; `nil` if the request has none. Every authenticated POST route checks the form of the
    /// key, also a route that stores no response.
    ///
    /// - Throws: `.invalid` for a key that is not 1 to 255 visible ASCII characters.
    static func key(in metadata: RequestMetadata) throws(GatewayError) -> String? {
        guard let text = metadata.headers[.idempotencyKey] else { return nil }
        guard isKey(text) else { throw .invalid("Idempotency-Key", FieldProblemCode.malformed.rawValue) }
        return text
    }

    /// The form of a key.
    static let schema = StringSchema(
        minLength: WireLimits.idempotencyKeyCharacters.lowerBound, maxLength: WireLimits.idempotencyKeyCharacters.upperBound,
        pattern: "^[!-~]+$")

    /// Whether a text has the form of a key.
    static func isKey(_ text: String) -> Bool {
        WireLimits.idempotencyKeyCharacters.contains(text.utf8.count) && text.isVisibleASCII
    }

    /// HMAC-SHA-256 of method, path and body. Bodies that differ only in the order of keys have the same fingerprint.
    private func fingerprint(of request: AuthenticatedRequest) -> [UInt8] {
        var hmac = HMAC<SHA256>(key: key)
        var writer = JSONWriter()
        writer.array([request.metadata.method.rawValue, request.metadata.path]) { $1.write(into: &$0) }
        JSONValue.object(request.body).write(into: &writer)
        hmac.update(data: writer.bytes)
        return Array(hmac.finalize())
    }
}

extension AuthenticatedRequest {
    /// Creates an entity and responds with 201. A repeated request with the same key gets the entity that the first request
    /// created.
    ///
    /// - Parameters:
    ///   - make: calls the use case with the idempotency key; `nil` if the request has none.
    ///   - render: renders the created entity as the caller may see it.
    func create<Entity: Sendable>(
        _ make: (IdempotentCall?) async throws -> Answered<Entity>, render: (Entity, ProjectedRenderer) -> APIResponse
    ) async throws -> APIResponse {
        let made = try await make(try services.repeats.call(self))
        return render(made.value, view).addingReplayHeader(for: made)
    }
}

extension Principal {
    /// The text that identifies the principal in stored idempotency keys and in cursors.
    var key: String {
        switch self {
        case .user(let id): "user:\(id)"
        case .guestLink(let id): "guestLink:\(id)"
        case .apiKey(let id): "apiKey:\(id)"
        }
    }
}

extension APIResponse {
    /// Returns the same response; if it replays the response to an earlier request, adds the header that marks a replay.
    func addingReplayHeader<Value>(for answered: Answered<Value>) -> APIResponse {
        answered.isReplay ? with(.idempotentReplayed, "true") : self
    }
}
