import FoundationEssentials
import Synchronization
import Testing

@testable import DoorwardClient

@Suite("Sessions") struct SessionTests {
    /// Issues tokens as a gateway does: each refresh token can be used once, and a second use ends the session.
    private final class TokenIssuer: Sendable {
        private let state = Mutex((current: 1, isEnded: false, refreshes: 0))

        var refreshes: Int { state.withLock { $0.refreshes } }
        var isEnded: Bool { state.withLock { $0.isEnded } }

        func respond(to request: StubGateway.Request) -> StubGateway.StubResponse {
            state.withLock { state in
                guard !state.isEnded else { return .error(401, "unauthenticated") }
                guard request.uri == "/api/v1/auth/refresh" else {
                    return request.token == "Bearer access-\(state.current)"
                        ? .data(#"{"user":{"id":"u"}}"#) : .error(401, "unauthenticated")
                }
                guard request.body.contains("\"refresh-\(state.current)\"") else {
                    state.isEnded = true
                    return .error(401, "unauthenticated")
                }
                state.current += 1
                state.refreshes += 1
                let (number, user) = (state.current, #"{"id":"u"}"#)
                return .data(
                    #"{"user":\#(user),"token":"access-\#(number)","expiresIn":900,"refreshToken":"refresh-\#(number)"}"#)
            }
        }
    }

    private func session(at gateway: StubGateway, token: String, lifetime: Int = 900, refresh: String = "refresh-1") throws
        -> Session
    {
        Session(
            server: try ServerAddress(gateway.address), email: "a@b.example", token: token, lifetime: lifetime,
            refreshToken: refresh)
    }

    @Test("if the gateway rejects the access token, it is refreshed and stored, and the request is repeated")
    func refreshed() async throws {
        let (tokenIssuer, folder) = (TokenIssuer(), try TemporaryFolder())
        let gateway = try await StubGateway { request, _ in tokenIssuer.respond(to: request) }
        let file = SessionFile(folder: folder.path)
        var old = try session(at: gateway, token: "old")
        old.caFile = "/etc/doors.pem"
        try file.write(old)
        let client = try DoorwardClient(patient: gateway.address, credentials: .session(file))
        #expect(try await client.users.me().content.id == "u")
        #expect(gateway.requests.map(\.uri) == ["/api/v1/users/me", "/api/v1/auth/refresh", "/api/v1/users/me"])
        let stored = try #require(try file.read())
        #expect((stored.token, stored.refreshToken, stored.email) == ("access-2", "refresh-2", "a@b.example"))
        #expect(stored.caFile == "/etc/doors.pem")
        #expect(try await client.users.me().content.id == "u")
        #expect(tokenIssuer.refreshes == 1)
    }

    @Test("if many clients find the token expired at once, only one refreshes it")
    func race() async throws {
        let (tokenIssuer, folder) = (TokenIssuer(), try TemporaryFolder())
        let gateway = try await StubGateway { request, _ in tokenIssuer.respond(to: request) }
        try SessionFile(folder: folder.path).write(try session(at: gateway, token: "old"))
        let address = gateway.address
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    // The clients share only the file, as separate programs do.
                    let client = try DoorwardClient(
                        patient: address, credentials: .session(SessionFile(folder: folder.path)))
                    #expect(try await client.users.me().content.id == "u")
                }
            }
            try await group.waitForAll()
        }
        #expect(tokenIssuer.refreshes == 1)
        #expect(!tokenIssuer.isEnded)
    }

    /// Holds a task so that another task can cancel it.
    private final class Caller: Sendable {
        private let task = Mutex<Task<Void, any Error>?>(nil)

        /// `cancel()` waits for the mutex, so that it cannot come before the task is stored.
        func start(_ body: @escaping @Sendable () async throws -> Void) -> Task<Void, any Error> {
            task.withLock { task in
                let started = Task { try await body() }
                task = started
                return started
            }
        }

        func cancel() { task.withLock { $0?.cancel() } }
    }

    @Test("a refresh that has begun is stored although the request that needed it is cancelled")
    func cancelled() async throws {
        let (tokenIssuer, folder, caller) = (TokenIssuer(), try TemporaryFolder(), Caller())
        let silent = try await StubGateway { _, _ in .noResponse }
        let other = try DoorwardClient(patient: silent.address, credentials: .none)
        let gateway = try await StubGateway { request, _ in
            let response = tokenIssuer.respond(to: request)
            guard request.uri == "/api/v1/auth/refresh" else { return response }
            return .delayed(response) {
                caller.cancel()
                // When this later request ends as cancelled, the first request has noticed its cancellation too.
                let later = Task { _ = try await other.users.me() }
                later.cancel()
                _ = await later.result
            }
        }
        let file = SessionFile(folder: folder.path)
        try file.write(try session(at: gateway, token: "old"))
        let client = try DoorwardClient(patient: gateway.address, credentials: .session(file))
        _ = await caller.start { _ = try await client.users.me() }.result
        #expect(try file.read()?.refreshToken == "refresh-2")
        #expect(try await client.users.me().content.id == "u")
        #expect(!tokenIssuer.isEnded)
    }

    @Test("`.sessionWithoutRefresh` never refreshes the token")
    func withoutRefresh() async throws {
        let (tokenIssuer, folder) = (TokenIssuer(), try TemporaryFolder())
        let gateway = try await StubGateway { request, _ in tokenIssuer.respond(to: request) }
        let file = SessionFile(folder: folder.path)
        let client = try DoorwardClient(patient: gateway.address, credentials: .sessionWithoutRefresh(file))
        try file.write(try session(at: gateway, token: "access-1"))
        #expect(try await client.users.me().content.id == "u")
        try file.write(try session(at: gateway, token: "old"))
        await #expect(throws: ClientError.self) { try await client.users.me() }
        try file.write(try session(at: gateway, token: "access-1", lifetime: 5))
        await #expect(throws: ClientError.notSignedIn(server: gateway.address)) { try await client.users.me() }
        #expect(gateway.requests.map(\.uri) == ["/api/v1/users/me", "/api/v1/users/me"])
    }

    @Test("a token that expires soon is refreshed before it is used")
    func expiresSoon() async throws {
        let (tokenIssuer, folder) = (TokenIssuer(), try TemporaryFolder())
        let gateway = try await StubGateway { request, _ in tokenIssuer.respond(to: request) }
        let file = SessionFile(folder: folder.path)
        try file.write(try session(at: gateway, token: "access-1", lifetime: 5))
        _ = try await DoorwardClient(patient: gateway.address, credentials: .session(file)).users.me()
        #expect(gateway.requests.map(\.uri) == ["/api/v1/auth/refresh", "/api/v1/users/me"])
    }

    @Test("a session that cannot be refreshed has expired: the user has to sign in again, and the file is unchanged")
    func expired() async throws {
        let folder = try TemporaryFolder()
        let gateway = try await StubGateway { _, _ in .error(401, "unauthenticated") }
        let file = SessionFile(folder: folder.path)
        let stored = try session(at: gateway, token: "old")
        try file.write(stored)
        let client = try DoorwardClient(patient: gateway.address, credentials: .session(file))
        let expired = ClientError.sessionExpired(server: gateway.address, email: "a@b.example", name: .default)
        await #expect(throws: expired) { try await client.users.me() }
        #expect(try file.read() == stored)
        try file.remove()
        await #expect(throws: ClientError.notSignedIn(server: gateway.address)) { try await client.users.me() }
    }

    @Test("an API key is not refreshed")
    func apiKey() async throws {
        let folder = try TemporaryFolder()
        let gateway = try await StubGateway { _, _ in .error(401, "unauthenticated") }
        let file = SessionFile(folder: folder.path)
        try file.write(Session(server: try ServerAddress(gateway.address), apiKey: "dw_key"))
        let client = try DoorwardClient(patient: gateway.address, credentials: .session(file))
        let expired = ClientError.sessionExpired(server: gateway.address, email: nil, name: .default)
        await #expect(throws: expired) { try await client.users.me() }
        #expect(gateway.requests.map(\.token) == ["Bearer dw_key"])
    }

    @Test("the secrets of a session are sent only to its own gateway")
    func otherGateway() async throws {
        let folder = try TemporaryFolder()
        let gateway = try await StubGateway { _, _ in .data(#"{"user":{"id":"u"}}"#) }
        let other = try await StubGateway { _, _ in .data(#"{"user":{"id":"u"}}"#) }
        let file = SessionFile(folder: folder.path)
        try file.write(try session(at: gateway, token: "access-1"))
        let client = try DoorwardClient(patient: other.address, credentials: .session(file))
        await #expect(throws: ClientError.notSignedIn(server: other.address)) { try await client.users.me() }
        #expect(other.requests.isEmpty)
    }

    @Test("descriptions and dumps of a session contain no secret")
    func masked() async throws {
        let gateway = try await StubGateway { _, _ in .closeConnection }
        let session = try session(at: gateway, token: "access-secret", refresh: "refresh-secret")
        for text in ["\(session)", String(reflecting: session), "\(Credentials.bearer("secret"))", String(describing: [session])]
        {
            #expect(!text.contains("secret"))
        }
        var dumped = ""
        dump(session, to: &dumped)
        dump(Credentials.bearer("secret"), to: &dumped)
        #expect(!dumped.contains("secret"))
    }
}
