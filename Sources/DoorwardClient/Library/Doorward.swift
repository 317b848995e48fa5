/// A connection to one gateway, for apps: permissions, the objects that the person sees, and their changes.
///
///     let doorward = try Doorward(server: "https://doors.example", session: .folder(path))
///     try await doorward.signIn(email: email, password: password)
///     try await doorward.start()
///     for try await board in doorward.devices.watch(.property(id)) { render(board.value) }
public final class Doorward: Sendable {
    /// Where the sign-in comes from.
    public enum SessionSource: Sendable {
        /// Kept in a file in this folder, which only its owner can read. An absolute path.
        case folder(String)
        /// An API key, which belongs to a program and not to a person.
        case apiKey(String)
    }

    let client: DoorwardClient
    private let anonymous: DoorwardClient
    private let file: SessionFile?
    /// The live stream, on which all watches share one connection.
    public let live: Live
    /// What the person may do. `start()` loads it and keeps it current.
    @MainActor public let permissions: PermissionService
    /// The modules and limits of the selected portfolio.
    @MainActor public let subscriptions: SubscriptionService
    @MainActor private let keeper: AccessKeeper

    /// - Parameters:
    ///   - server: `https://HOST[:PORT]`, or plain HTTP to this machine.
    ///   - caFile: a PEM file with the trusted certificates, in place of those of the system.
    /// - Throws: `DoorwardError.unusable`.
    @MainActor public convenience init(server: String, session: SessionSource, caFile: String? = nil) throws(DoorwardError) {
        try self.init(server: server, session: session, caFile: caFile, clock: SystemLiveClock())
    }

    /// Creates an instance with the services that it uses.
    @MainActor package init(server: String, session: SessionSource, caFile: String?, clock: any LiveClock) throws(DoorwardError) {
        do throws(ClientError) {
            anonymous = try DoorwardClient(server: server, credentials: .none, caFile: caFile)
            switch session {
            case .folder(let path):
                let file = SessionFile(folder: path)
                (client, self.file) = (try DoorwardClient(server: server, credentials: .session(file), caFile: caFile), file)
            case .apiKey(let key):
                (client, file) = (try DoorwardClient(server: server, credentials: .bearer(key), caFile: caFile), nil)
            }
        } catch { throw DoorwardError(error) }
        live = client.live(clock: clock)
        permissions = PermissionService(source: client, clock: clock)
        subscriptions = SubscriptionService(source: client, clock: clock, permissions: permissions)
        keeper = AccessKeeper(live: live, permissions: permissions, subscriptions: subscriptions, clock: clock)
    }

    // MARK: - The session

    /// Whether a session is stored, or an API key is used. The gateway may have ended it since.
    public var isSignedIn: Bool {
        guard let file else { return true }
        guard let session = try? file.read() else { return false }
        return session.server == client.server.description
    }

    /// Signs a person in. Call `start()` next.
    ///
    /// - Returns: the person's user.
    @MainActor @discardableResult public func signIn(email: String, password: String) async throws -> User {
        guard let file else { throw DoorwardError.unusable("an API key needs no sign-in") }
        try await DoorwardError.converting {
            try file.write(try await anonymous.signIn(email: email, password: password).session)
        }
        permissions.reset()
        subscriptions.clear()
        try await permissions.refresh()
        guard let me = permissions.me else { throw DoorwardError.notSignedIn }
        return me
    }

    /// Loads the permissions, and keeps them current until the sign-out: by the stream, which this opens, and without it by
    /// reading them again every five minutes. No view can end this.
    @MainActor public func start() async throws {
        try await permissions.refresh()
        await keeper.start()
    }

    /// Ends the session at the gateway, and forgets everything about the person. The person is signed out here even if the gateway
    /// cannot be reached; then this throws.
    @MainActor public func signOut() async throws {
        await keeper.stop()
        await live.engine.forget()
        permissions.clear()
        subscriptions.clear()
        guard let file else { return }
        let result = await Result { try await DoorwardError.converting { try await client.signOut() } }
        do throws(ClientError) { try file.remove() } catch { throw DoorwardError(error) }
        try result.get()
    }

    /// Selects the portfolio that the person works in, and loads its subscription.
    @MainActor public func select(portfolio id: String?) async throws {
        permissions.select(portfolio: id)
        await keeper.select(portfolio: id)
        try await subscriptions.select(portfolio: id)
    }

    /// All actions and roles of the gateway, with the rights of each role.
    public func permissionCatalog() async throws -> PermissionCatalog {
        try await DoorwardError.converting {
            try await client.send(.get("permission-matrix"), as: PermissionCatalog.self).content
        }
    }

    /// Runs a request. After a denial, the permissions are read again, as they were apparently out of date.
    func request<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await DoorwardError.converting(body)
        } catch DoorwardError.refused(let refusal) where refusal.status == 403 {
            let permissions = permissions
            Task { await permissions.rereadAfterDenial() }
            throw DoorwardError.refused(refusal)
        }
    }

    // MARK: - Objects

    /// Locks.
    public var devices: NounCollection<LockDevice> { NounCollection(doorward: self) }
    /// Flats, offices and other parts of properties.
    public var units: NounCollection<Unit> { NounCollection(doorward: self) }
    /// Buildings and sites.
    public var properties: NounCollection<Property> { NounCollection(doorward: self) }
    /// The properties of one owner or company.
    public var portfolios: NounCollection<Portfolio> { NounCollection(doorward: self) }
    /// Guests' rights.
    public var guestAccesses: NounCollection<GuestAccess> { NounCollection(doorward: self) }
    /// Attempts to operate locks.
    public var commands: NounCollection<Command> { NounCollection(doorward: self) }

    /// Follows the access log; see `Live.follow`.
    public func followRecords(_ query: LiveQuery<AccessRecord> = .all, after cursor: RecordCursor? = nil) -> RecordSequence {
        live.follow(query, after: cursor)
    }

    /// What an app can show when permissions or data are not as expected. Contains no secret.
    @MainActor public var diagnostics: [String: String] {
        [
            "server": client.server.description, "signedIn": "\(isSignedIn)", "permissions": "\(permissions.status)",
            "stream": "\(live.status)", "portfolio": permissions.selectedPortfolioID ?? "none",
            "tier": subscriptions.subscription?.tier ?? "not loaded", "user": permissions.me?.id ?? "not loaded",
        ]
    }
}

extension Result where Failure == any Error {
    init(isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }

    var failure: (any Error)? { if case .failure(let error) = self { error } else { nil } }
}

/// Reads from the gateway what the permission services need.
extension DoorwardClient: AccessSource {
    package func abilities() async throws -> CallerAbilities {
        try await DoorwardError.converting { try await send(.get("users", "me", "permissions")).content }
    }

    package func me() async throws -> Doorward.User {
        try await DoorwardError.converting { try await users.me().content }
    }

    package func subscription(of portfolioID: String) async throws -> Doorward.Subscription {
        try await DoorwardError.converting { try await portfolios.subscription(of: portfolioID).content }
    }
}
