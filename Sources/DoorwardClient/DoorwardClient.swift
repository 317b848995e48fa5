internal import NIOHTTP1

/// API client of one gateway. Calls are grouped by resource: `client.devices.unlock(id, …)`.
package struct DoorwardClient: Sendable {
    /// The gateway's address.
    package let server: ServerAddress
    let transport: HTTPTransport
    private let credentials: Credentials

    /// - Parameters:
    ///   - server: `https://HOST[:PORT]`, or plain HTTP to this machine.
    ///   - source: the client type that the access log records: `cli` or `console`; `nil` for the API itself.
    ///   - timeLimit: replaces each call's own time limit.
    ///   - caFile: a PEM file with the trusted certificates, in place of those of the system.
    /// - Throws: `ClientError.badAddress`, `.authorityFile`.
    package init(
        server: String, credentials: Credentials, source: String? = nil, timeLimit: Duration? = nil, caFile: String? = nil
    ) throws(ClientError) {
        self.server = try ServerAddress(server)
        self.credentials = credentials
        var authorities: TrustedAuthorities?
        if let caFile { authorities = try TrustedAuthorities(file: caFile) }
        transport = HTTPTransport(server: self.server, source: source, timeLimit: timeLimit, authorities: authorities)
    }

    /// Locks.
    package var devices: Resource<Doorward.LockDevice> { Resource(client: self) }
    /// Guest accesses and their validity.
    package var guestAccesses: Resource<Doorward.GuestAccess> { Resource(client: self) }
    /// The access log.
    package var accessRecords: AccessRecords { AccessRecords(client: self) }
    /// Checkpoints and proofs of the access logs.
    package var audit: Audit { Audit(client: self) }
    /// Users.
    package var users: Resource<Doorward.User> { Resource(client: self) }
    /// Portfolios: the properties of one owner or company.
    package var portfolios: Resource<Doorward.Portfolio> { Resource(client: self) }
    /// Buildings and sites.
    package var properties: Resource<Doorward.Property> { Resource(client: self) }
    /// Flats, offices and other parts of a property.
    package var units: Resource<Doorward.Unit> { Resource(client: self) }
    /// Roles on portfolios, properties and units.
    package var roles: Roles { Roles(client: self) }
    /// Keys with which programs sign in.
    package var apiKeys: Resource<Doorward.APIKey> { Resource(client: self) }

    // MARK: - Sending

    /// Sends an authenticated request. If the gateway rejects the session's token, the client refreshes the token and repeats the
    /// call once. The gateway checks the token before anything else, so the rejected call had no effect.
    ///
    /// - Parameter key: the member of `data` that is decoded; `nil` for `data` itself.
    func send<Content: Decodable & Sendable>(
        _ request: APIRequest, as type: Content.Type = Content.self, member key: String? = nil
    ) async throws -> Response<Content> {
        try await data(of: request).decoded(member: key)
    }

    /// Sends a call whose success has no body; see `send`.
    func perform(_ request: APIRequest) async throws { _ = try await data(of: request) }

    /// Sends a call, and returns the response of a success as it is; see `send`.
    func data(of request: APIRequest) async throws -> TransportResponse {
        try await authenticated { try await transport.send(request, token: $0) }.successful()
    }

    /// Sends a request that the caller composes, for endpoints that have no function of their own. It is sent once, without further
    /// validation. A POST gets a new `Idempotency-Key` unless the caller gives one; it is not repeated, as not every path accepts such
    /// a key. A token that the gateway no longer accepts is refreshed, as for every call.
    ///
    /// - Parameters:
    ///   - method: upper case, such as `GET`.
    ///   - path: the path after `/api/v1`, percent-encoded. It begins with a slash and may include a query.
    ///   - query: items that are added to the query, not yet percent-encoded; those without a value are left out.
    ///   - headers: they replace headers of the same name that the client sends by default. A value contains no control characters.
    ///   - body: sent as JSON unless a header sets another media type.
    /// - Returns: a response of any status, as soon as its headers have arrived.
    /// - Throws: `ClientError` if no response arrives.
    package func open(
        _ method: String, _ path: String, query: [(name: String, value: String?)] = [],
        headers: [(name: String, value: String)] = [], body: [UInt8]? = nil
    ) async throws -> RawResponse {
        var request = APIRequest(HTTPMethod(rawValue: method), encodedPath: path)
        (request.query, request.headers, request.body) = (query, headers, body)
        if method == "POST" { request.idempotencyKey = APIRequest.newKey() }
        // A command is answered after the lock's confirmation, and a backup after it was written: both can take long.
        if method != "GET" { request.timeLimit = .seconds(3600) }
        return try await open(request)
    }

    /// Sends a request once, and returns as soon as the status and the headers have arrived.
    func open(_ request: APIRequest) async throws -> RawResponse {
        try await authenticated { try await transport.open(request, token: $0) }
    }

    /// Renews the access token of a session if it is about to expire.
    func renew() async throws {
        if case .session(let file) = credentials { _ = try await TokenProvider(file: file, transport: transport).token() }
    }

    /// Makes one attempt with the token of the credentials and, if the response is 401, a second one with a refreshed token.
    func authenticated<Response: HTTPResponse>(_ attempt: (_ token: String?) async throws -> Response) async throws -> Response {
        switch credentials {
        case .none: return try await attempt(nil)
        case .bearer(let token): return try await attempt(token)
        case .sessionWithoutRefresh(let file):
            return try await attempt(TokenProvider(file: file, transport: transport).currentToken())
        case .session(let file):
            let tokens = TokenProvider(file: file, transport: transport)
            let token = try await tokens.token()
            let response = try await attempt(token)
            guard response.status == 401 else { return response }
            return try await attempt(try await tokens.token(after: token))
        }
    }
}

/// Credentials of a client. The description contains no secret.
package enum Credentials: Sendable, Confidential {
    /// No credentials: for signing in.
    case none
    /// An access token or an API key, used as given.
    case bearer(String)
    /// A session stored in a file; its access token is refreshed when it has expired.
    case session(SessionFile)
    /// Like `session`, but the access token is never refreshed: for short calls that may be abandoned.
    case sessionWithoutRefresh(SessionFile)

    /// The kind of the credentials, without any secret.
    package var description: String {
        switch self {
        case .none: "nobody"
        case .bearer: "bearer ••••"
        case .session(let file), .sessionWithoutRefresh(let file): "session in \(file.path)"
        }
    }
}

/// A value with a secret: printed, dumped and debugged, it is its description only.
package protocol Confidential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Confidential {
    /// The description.
    package var debugDescription: String { description }
    /// Reflects the description.
    package var customMirror: Mirror { Mirror(reflecting: description) }
}
