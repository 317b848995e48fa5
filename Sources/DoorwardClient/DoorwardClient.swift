/// API client of one gateway. Calls are grouped by resource: `client.devices.unlock(id, …)`.
package struct DoorwardClient: Sendable {
    /// The gateway's address.
    package let server: ServerAddress
    let channel: HTTPTransport
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
        channel = HTTPTransport(server: self.server, source: source, timeLimit: timeLimit, authorities: authorities)
    }

    /// Locks.
    package var devices: Devices { Devices(client: self) }
    /// Commands to locks, and their outcomes.
    package var commands: Commands { Commands(client: self) }
    /// Guest accesses and their validity.
    package var guestAccesses: GuestAccesses { GuestAccesses(client: self) }
    /// The access log.
    package var accessRecords: AccessRecords { AccessRecords(client: self) }
    /// Users.
    package var users: Users { Users(client: self) }
    /// Portfolios: the properties of one owner or company.
    package var portfolios: Portfolios { Portfolios(client: self) }
    /// Buildings and sites.
    package var properties: Properties { Properties(client: self) }
    /// Flats, offices and other parts of a property.
    package var units: Units { Units(client: self) }
    /// Roles on portfolios, properties and units.
    package var roles: Roles { Roles(client: self) }
    /// Keys with which programs sign in.
    package var apiKeys: APIKeys { APIKeys(client: self) }
    /// The caller's own sessions.
    package var sessions: Sessions { Sessions(client: self) }
    /// Signing in and out.
    package var authentication: Authentication { Authentication(client: self) }
    /// The gateway's database.
    package var store: Store { Store(client: self) }
    /// The gateway's adapters, one for each kind of lock.
    package var adapters: Adapters { Adapters(client: self) }
    /// Requests that the caller composes.
    package var raw: RawCalls { RawCalls(client: self) }
    /// Events of simulated locks.
    package var simulator: Simulator { Simulator(client: self) }

    // MARK: - Sending

    /// Sends an authenticated call. If the gateway rejects the session's token, the client refreshes the token and repeats the
    /// call once. The gateway checks the token before anything else, so the rejected call had no effect.
    func answer<Content: Decodable & Sendable>(_ call: APIRequest, as type: Content.Type = Content.self) async throws -> Response<
        Content
    > {
        try await data(of: call).answer(from: server)
    }

    /// Sends a call whose success has no body; see `answer`.
    func perform(_ call: APIRequest) async throws { _ = try await data(of: call) }

    private func data(of call: APIRequest) async throws -> TransportResponse {
        try await authenticated {
            try await channel.send(call, token: $0)
        } status: {
            $0.status
        }.successful()
    }

    /// Makes one attempt with the token of the credentials and, if the response is 401, a second one with a refreshed token.
    func authenticated<Response>(
        _ attempt: (_ token: String?) async throws -> Response, status: (Response) -> Int
    ) async throws -> Response {
        switch credentials {
        case .none: return try await attempt(nil)
        case .bearer(let token): return try await attempt(token)
        case .sessionWithoutRefresh(let file):
            return try await attempt(SessionKeeper(file: file, channel: channel).currentToken())
        case .session(let file):
            let keeper = SessionKeeper(file: file, channel: channel)
            let token = try await keeper.token()
            let response = try await attempt(token)
            guard status(response) == 401 else { return response }
            return try await attempt(try await keeper.token(after: token))
        }
    }
}
