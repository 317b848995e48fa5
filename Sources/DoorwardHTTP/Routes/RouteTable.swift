internal import DoorwardControl
internal import HTTPTypes
internal import Hummingbird

/// All routes of the gateway. Each path is registered with the router once; its endpoint selects the method.
enum RouteTable {
    static let routes: [Route] =
        HealthRoutes.all + MetricsRoutes.all + AccountPageRoutes.all + GuestPageRoutes.all + SignInRoutes.all + UserRoutes.all
        + CredentialRoutes.all + InvitationRoutes.all + APIKeyRoutes.all + PermissionRoutes.all + AbilityRoutes.all
        + PlaceRoutes.all + LockdownRoutes.all + SubscriptionRoutes.all + RetentionRoutes.all + RoleRoutes.all
        + DeviceRoutes.all + AuthorizationRoutes.all + DiscoveredRoutes.all + LockCommandRoutes.all + CommandRoutes.all
        + GuestAccessRoutes.all + GuestLinkRoutes.all + AccessRecordRoutes.all + AuditRoutes.all + PurchaseRoutes.all
        + ComplianceRoutes.all + AdapterRoutes.all + StreamRoutes.all + StoreRoutes.all + ClockRoutes.all + SimulatorRoutes.all
        + DocumentRoutes.all + ConsoleRoutes.all

    /// The methods that are passed to endpoints. Any other method gets the response for a method that no path supports.
    static let commonMethods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options]

    static func responder(_ services: Services, routes: [Route] = routes) -> GatewayResponder {
        let router = Router(context: GatewayContext.self)
        for (path, ofPath) in Dictionary(grouping: routes, by: \.path) {
            let endpoint = Endpoint(services: services, routes: ofPath)
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
    let description: RouteDescription?
    /// Whether the body is a form (`application/x-www-form-urlencoded`) and not JSON.
    var readsForm = false
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
        _ handler: @escaping @Sendable (AnonymousRequest) async throws -> APIResponse
    ) -> Route { Route(method: method, path: path, handler: .open(handler), description: description) }

    static func get(
        _ path: String, _ summary: String, _ answers: [DocumentedAnswer],
        _ handler: @escaping @Sendable (AuthenticatedRequest) async throws -> APIResponse
    ) -> Route { signedIn(.get, path, RouteDescription(summary: summary, answers: answers), handler) }

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

    private static func signedIn(
        _ method: HTTPRequest.Method, _ path: String, _ description: RouteDescription,
        _ handler: @escaping @Sendable (AuthenticatedRequest) async throws -> APIResponse
    ) -> Route { Route(method: method, path: "/api/v1" + path, handler: .signedIn(handler), description: description) }
}
