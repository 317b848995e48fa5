internal import DoorwardControl
internal import HTTPTypes

/// A route of the API: a method, a path and a handler.
struct Route: Sendable {
    enum Handler: Sendable {
        /// No sign-in is needed.
        case open(@Sendable (OpenCall) async throws -> APIResponse)
        /// A sign-in is needed; the use case checks all further rights.
        case signedIn(@Sendable (AuthenticatedRequest) async throws -> APIResponse)
    }

    let method: HTTPRequest.Method
    /// Whether the handler runs on the connection's event loop: only if each of its steps takes microseconds, whatever the request.
    var runsOnEventLoop = false
    /// The pattern, with `:name` for a part that is read by `ReadRequest.id`.
    let path: String
    let handler: Handler
    /// Throws if the caller, or for open routes the address, is rate limited; called before the body is read.
    var limit: @Sendable (GatewayControl, Caller?, RequestMetadata) async throws(GatewayError) -> Void = {
        (_, _, _) throws(GatewayError) in
    }

    private init(_ method: HTTPRequest.Method, _ path: String, _ handler: Handler) {
        (self.method, self.path, self.handler) = (method, path, handler)
    }

    static func open(
        _ method: HTTPRequest.Method, _ path: String, _ handler: @escaping @Sendable (OpenCall) async throws -> APIResponse
    ) -> Route { Route(method, path, .open(handler)) }

    static func get(_ path: String, _ handler: @escaping @Sendable (AuthenticatedRequest) async throws -> APIResponse) -> Route {
        Route(.get, "/api/v1" + path, .signedIn(handler))
    }

    static func post(_ path: String, _ handler: @escaping @Sendable (AuthenticatedRequest) async throws -> APIResponse) -> Route {
        Route(.post, "/api/v1" + path, .signedIn(handler))
    }

    static func put(_ path: String, _ handler: @escaping @Sendable (AuthenticatedRequest) async throws -> APIResponse) -> Route {
        Route(.put, "/api/v1" + path, .signedIn(handler))
    }

    static func delete(_ path: String, _ handler: @escaping @Sendable (AuthenticatedRequest) async throws -> APIResponse) -> Route
    {
        Route(.delete, "/api/v1" + path, .signedIn(handler))
    }
}
