/// A connection to one gateway, for apps: permissions, the objects that the person sees, and their changes.
///
///     let doorward = try Doorward(server: "https://doors.example", session: .folder(path))
///     try await doorward.signIn(email: email, password: password)
///     if doorward.permissions.canUnlock(door) { … }
public final class Doorward: Sendable {
    /// Where the sign-in comes from.
    public enum SessionSource: Sendable {
        /// Kept in a file in this folder, which only its owner can read. An absolute path.
        case folder(String)
        /// An API key, which belongs to a program and not to a person.
        case apiKey(String)
    }

    let client: DoorwardClient
    private let file: SessionFile?
    /// What the person may do. Load it with `refresh()`.
    @MainActor public let permissions: PermissionService
    /// The modules and limits of the selected portfolio.
    @MainActor public let subscriptions: SubscriptionService

    /// - Parameters:
    ///   - server: `https://HOST[:PORT]`, or plain HTTP to this machine.
    ///   - caFile: a PEM file with the trusted certificates, in place of those of the system.
    /// - Throws: `DoorwardError.unusable`.
    @MainActor public init(server: String, session: SessionSource, caFile: String? = nil) throws(DoorwardError) {
        do throws(ClientError) {
            switch session {
            case .folder(let path):
                let file = SessionFile(folder: path)
                (client, self.file) = (try DoorwardClient(server: server, credentials: .session(file), caFile: caFile), file)
            case .apiKey(let key):
                (client, file) = (try DoorwardClient(server: server, credentials: .bearer(key), caFile: caFile), nil)
            }
        } catch { throw DoorwardError(error) }
        let source = GatewaySource(client: client)
        permissions = PermissionService(source: source, clock: SystemLiveClock())
        subscriptions = SubscriptionService(source: source, clock: SystemLiveClock(), permissions: permissions)
    }

    /// Signs a person in, and loads their permissions.
    ///
    /// - Returns: the person's user.
    @MainActor @discardableResult public func signIn(email: String, password: String) async throws -> User {
        guard let file else { throw DoorwardError.unusable("an API key needs no sign-in") }
        try await DoorwardError.converting {
            let (session, _) = try await DoorwardClient(server: client.server.description, credentials: .none)
                .authentication.signIn(email: email, password: password)
            try file.write(session)
        }
        permissions.reset()
        subscriptions.clear()
        try await permissions.refresh()
        guard let me = permissions.me else { throw DoorwardError.notSignedIn }
        return me
    }

    /// Ends the session at the gateway, and forgets everything about the person. The person is signed out here even if the gateway
    /// cannot be reached; then this throws.
    @MainActor public func signOut() async throws {
        permissions.clear()
        subscriptions.clear()
        guard let file else { return }
        let result = await Result { try await DoorwardError.converting { try await client.authentication.signOut() } }
        do throws(ClientError) { try file.remove() } catch { throw DoorwardError(error) }
        try result.get()
    }

    /// Selects the portfolio that the person works in, and loads its subscription.
    @MainActor public func select(portfolio id: String?) async throws {
        permissions.select(portfolio: id)
        try await subscriptions.select(portfolio: id)
    }

    /// All actions and roles of the gateway, with the rights of each role.
    public func permissionCatalog() async throws -> PermissionCatalog {
        try await DoorwardError.converting {
            try await client.send(.get("permission-matrix"), as: PermissionCatalog.self).content
        }
    }
}

extension Result where Failure == any Error {
    init(isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

/// Reads from the gateway what the permission services need.
struct GatewaySource: AccessSource {
    let client: DoorwardClient

    private struct Abilities: Decodable {
        let rules: [Doorward.AbilityRule]
        let nextChangeAt: Doorward.Instant?
    }
    private struct Me: Decodable { let user: Doorward.User }
    private struct Portfolio: Decodable { let subscription: Doorward.Subscription }

    func abilities() async throws -> CallerAbilities {
        let answer = try await DoorwardError.converting {
            try await client.send(.get("users", "me", "permissions"), as: Abilities.self).content
        }
        return CallerAbilities(rules: answer.rules, nextChangeAt: answer.nextChangeAt)
    }

    func me() async throws -> Doorward.User {
        try await DoorwardError.converting { try await client.send(.get("users", "me"), as: Me.self).content.user }
    }

    func subscription(of portfolioID: String) async throws -> Doorward.Subscription {
        try await DoorwardError.converting {
            try await client.send(.get("portfolios", portfolioID, "subscription"), as: Portfolio.self).content.subscription
        }
    }
}
