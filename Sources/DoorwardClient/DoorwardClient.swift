/// API client of one gateway. Calls are grouped by resource: `client.devices.unlock(id, …)`.
package struct DoorwardClient: Sendable {
    /// The gateway's address.
    package let server: ServerAddress
    let channel: Channel
    private let credentials: Credentials

    /// - Parameters:
    ///   - server: `https://HOST[:PORT]`, or plain HTTP to this machine.
    ///   - source: the client type that the access log records: `cli` or `console`; `nil` for the API itself.
    ///   - timeLimit: replaces each call's own time limit.
    /// - Throws: `ClientError.badAddress`.
    package init(server: String, credentials: Credentials, source: String? = nil, timeLimit: Duration? = nil) throws(ClientError)
    {
        self.server = try ServerAddress(server)
        self.credentials = credentials
        channel = Channel(server: self.server, source: source, timeLimit: timeLimit)
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
    /// Buildings and sites.
    package var properties: Properties { Properties(client: self) }
    /// Flats, offices and other parts of a property.
    package var units: Units { Units(client: self) }
    /// Signing in and out.
    package var authentication: Authentication { Authentication(client: self) }
    /// The gateway's database.
    package var store: Store { Store(client: self) }
    /// Events of simulated locks.
    package var simulator: Simulator { Simulator(client: self) }

    // MARK: - Sending

    /// Sends an authenticated call. If the gateway rejects the session's token, it is refreshed once and the call repeated: the
    /// gateway checks the token before anything else, so the first call had no effect.
    func answer<Content: Decodable & Sendable>(_ call: Call, as type: Content.Type = Content.self) async throws -> Answer<Content>
    {
        try await data(of: call).answer(from: server)
    }

    /// Sends a call whose success has no body; see `answer`.
    func perform(_ call: Call) async throws { _ = try await data(of: call) }

    private func data(of call: Call) async throws -> Reply {
        switch credentials {
        case .none: return try await channel.send(call, token: nil).successful()
        case .bearer(let token): return try await channel.send(call, token: token).successful()
        case .sessionUnrenewed(let file):
            let token = try SessionKeeper(file: file, channel: channel).standingToken()
            return try await channel.send(call, token: token).successful()
        case .session(let file):
            let keeper = SessionKeeper(file: file, channel: channel)
            let token = try await keeper.token()
            let reply = try await channel.send(call, token: token)
            guard reply.status == 401 else { return try reply.successful() }
            return try await channel.send(call, token: try await keeper.token(after: token)).successful()
        }
    }
}
