import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

@Suite struct InMemoryTenancyTests {
    private let fixture = StoreFixture()

    @Test("The tenancy is loaded with the last version of each entity, parents before children")
    func loads() async throws {
        var fixture = fixture
        fixture.entities.change(fixture.flatDoor) { $0.name = "Renamed" }
        let store = try await fixture.filled()
        var loaded: [TenancyChange] = []
        try await store.loadTenancy { loaded.append($0) }
        #expect(Set(loaded).count == loaded.count)
        #expect(Set(loaded).isSubset(of: Set(fixture.entities.changes)))
        #expect(loaded.contains(.putDevice(try #require(fixture.entities.device(fixture.flatDoor)))))
        // Loading the result into another store shows that no child comes before its parent.
        let copy = InMemoryStore()
        for change in loaded { try await copy.commit(StoreTransaction(changes: [change])) }
    }

    @Test("A child without its parent is rejected")
    func orphans() async throws {
        let store = InMemoryStore()
        for change in fixture.entities.changes.dropFirst() where !change.hasNoParent {
            await #expect(throws: StoreError.refused(.parentUnknown)) {
                try await store.commit(StoreTransaction(changes: [change]))
            }
        }
    }

    @Test("Email addresses are compared regardless of case, and can be reused after a change")
    func emails() async throws {
        var entities = TenancyFixture(seed: 3)
        let first = entities.user("Ada", email: "Ada@Example.com")
        let store = InMemoryStore()
        try await store.commit(StoreTransaction(changes: entities.changes))
        var second = TenancyFixture(seed: 4)
        let bob = second.user("Bob", email: "ada@example.COM")
        await #expect(throws: StoreError.refused(.emailTaken(bob))) {
            try await store.commit(StoreTransaction(changes: second.changes))
        }
        var moved = try #require(entities.user(first))
        moved.email = "lovelace@example.com"
        try await store.commit(StoreTransaction(changes: [.putUser(moved)]))
        try await store.commit(StoreTransaction(changes: second.changes))
    }

    @Test("A session is live until it ends or expires, and a refresh token can be used once")
    func sessions() async throws {
        let store = try await fixture.filled()
        let until = fixture.at.advanced(by: .seconds(60))
        let session = Session(id: SessionID(high: 1, low: 1), userID: fixture.ada, createdAt: fixture.at, expiresAt: until)
        func commit(_ change: CredentialChange) async throws {
            _ = try await store.commit(StoreTransaction(credentials: [change]))
        }
        try await commit(.beginSession(session, refreshDigest: [1]))
        await #expect(throws: StoreError.refused(.duplicate)) {
            try await commit(.beginSession(session, refreshDigest: [9]))
        }
        #expect(try await store.liveSessions(at: fixture.at) == [session])
        #expect(try await store.liveSessions(at: until) == [])
        let later = until.advanced(by: .seconds(60))
        let rotation = CredentialChange.rotateRefresh(session.id, oldDigest: [1], newDigest: [2], expiresAt: later)
        try await commit(rotation)
        #expect(try await store.liveSessions(at: until).map(\.expiresAt) == [later])
        await #expect(throws: StoreError.refused(.refreshTokenSpent(session.id))) { try await commit(rotation) }
        #expect(try await store.refreshToken(digest: [1])?.isUsed == true)
        #expect(try await store.refreshToken(digest: [2])?.isUsed == false)
        try await commit(.endSession(session.id))
        #expect(try await store.liveSessions(at: fixture.at) == [])
        #expect(try await store.refreshToken(digest: [2])?.isSessionEnded == true)
        await #expect(throws: StoreError.refused(.refreshTokenSpent(session.id))) {
            try await commit(.rotateRefresh(session.id, oldDigest: [2], newDigest: [3], expiresAt: later))
        }
    }

    @Test("A password can be set only for an existing user")
    func passwords() async throws {
        let store = try await fixture.filled()
        try await store.commit(StoreTransaction(credentials: [.setPassword(fixture.ada, hash: "$scrypt$a")]))
        #expect(try await store.passwordHash(of: fixture.ada) == "$scrypt$a")
        let unknown = UserID(high: 7, low: 7)
        await #expect(throws: StoreError.refused(.parentUnknown)) {
            try await store.commit(StoreTransaction(credentials: [.setPassword(unknown, hash: "$scrypt$b")]))
        }
        #expect(try await store.passwordHash(of: unknown) == nil)
    }
}

extension TenancyChange {
    fileprivate var hasNoParent: Bool {
        switch self {
        case .putPortfolio, .putUser, .removeAssociation: true
        default: false
        }
    }
}
