import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

@testable import DoorwardKernel
@testable import DoorwardLocks
@testable import DoorwardTenancy

/// Passwords, sessions, refresh tokens, and rate limits on guesses.
@Suite struct SignInTests {
    static let password = Secret("a long enough passphrase")

    /// A house with a user who has a password.
    struct Signed {
        let house: House
        let user: User

        init(house: House, user: User) { (self.house, self.user) = (house, user) }

        init() async throws {
            house = try await House()
            let new = NewUser(email: "Ann@Example.com", firstName: "Ann", lastName: "Lee", password: SignInTests.password)
            user = try #require(
                try await house.control.users.create(house.caller(house.ids.superAdmin), new, repeatable: nil).executed)
        }

        func logIn(_ email: String = "ann@example.com", _ password: Secret<String> = SignInTests.password) async throws
            -> SignedIn
        {
            try await house.control.signIn.logIn(
                email: email, password: password, origin: RequestOrigin(clientAddress: "192.0.2.9", requestID: "r"))
        }

        func refresh(_ token: Secret<String>) async throws -> SignedIn {
            try await house.control.signIn.refresh(token, origin: RequestOrigin())
        }
    }

    @Test("the correct password begins a session, with the email address in any case")
    func logIn() async throws {
        let signed = try await Signed()
        let result = try await signed.logIn()
        #expect(result.user == signed.user)
        #expect(signed.house.control.signIn.sessions.session(result.session.id, at: signed.house.clock.now()) != nil)
        let record = try #require(signed.house.gatewayLog.last?.body)
        #expect(record.event == .signedIn)
        #expect(record.actor.userID == signed.user.id)
    }

    @Test("a wrong password, an unknown address, a password that is too long and a disabled user get the same response")
    func oneAnswer() async throws {
        let signed = try await Signed()
        _ = try await signed.house.control.users.update(
            signed.house.caller(signed.house.ids.superAdmin), signed.house.ids.tenant, UserChanges(isEnabled: false))
        let attempts = [
            ("ann@example.com", Secret("a wrong passphrase here")), ("nobody@example.com", Self.password),
            ("ann@example.com", Secret(String(repeating: "x", count: 5000))), ("tom1@example.com", Self.password),
        ]
        for (email, password) in attempts {
            guard case .unauthenticated = await failure({ _ = try await signed.logIn(email, password) }) else {
                Issue.record("\(email) got another response than the other failures")
                return
            }
            let record = try #require(signed.house.gatewayLog.last?.body)
            #expect(record.event == .signInFailed)
            #expect(record.actor == .outside)
        }
    }

    @Test("after five failures an account must wait 1 s, 2 s, 4 s … up to five minutes; the correct password resets the wait")
    func accountSlowsDown() async throws {
        let signed = try await Signed()
        let wrong = Secret("a wrong passphrase here")
        for _ in 0..<5 { _ = await failure { _ = try await signed.logIn("ann@example.com", wrong) } }
        for expected in [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300] {
            guard case .rateLimited(let seconds) = await failure({ _ = try await signed.logIn() }) else {
                Issue.record("a guess was not rate limited")
                return
            }
            #expect(seconds == expected)
            signed.house.clock.advance(by: .seconds(expected))
            _ = await failure { _ = try await signed.logIn("ann@example.com", wrong) }
        }
        signed.house.clock.advance(by: .seconds(300))
        _ = try await signed.logIn()
        guard case .unauthenticated = await failure({ _ = try await signed.logIn("ann@example.com", wrong) }) else {
            Issue.record("failures before the correct password still count")
            return
        }
    }

    @Test("failures of one client address are limited over all accounts, and other addresses are not affected")
    func addressSlowsDown() async throws {
        let signed = try await Signed()
        for index in 0..<20 { _ = await failure { _ = try await signed.logIn("user\(index)@example.com", Self.password) } }
        guard case .rateLimited = await failure({ _ = try await signed.logIn() }) else {
            Issue.record("the twenty-first attempt within a minute was not rate limited")
            return
        }
        _ = try await signed.house.control.signIn.logIn(
            email: "ann@example.com", password: Self.password, origin: RequestOrigin(clientAddress: "192.0.2.10"))
        signed.house.clock.advance(by: .seconds(61))
        _ = try await signed.logIn()
    }

    @Test("a refresh token can be used once; using it again ends the session for both holders")
    func refreshReuse() async throws {
        let signed = try await Signed()
        let first = try await signed.logIn()
        let second = try await signed.refresh(first.refreshToken)
        #expect(second.session.id == first.session.id)
        guard case .unauthenticated = await failure({ _ = try await signed.refresh(first.refreshToken) }) else {
            Issue.record("a used refresh token was accepted")
            return
        }
        #expect(signed.house.gatewayLog.last?.body.event == .refreshReused)
        #expect(signed.house.control.signIn.sessions.session(first.session.id, at: signed.house.clock.now()) == nil)
        guard case .unauthenticated = await failure({ _ = try await signed.refresh(second.refreshToken) }) else {
            Issue.record("the ended session could be refreshed")
            return
        }
    }

    @Test("of two concurrent uses of one refresh token at most one succeeds", arguments: 0..<100 as Range<UInt64>)
    func refreshTwins(seed: UInt64) async throws {
        let signed = try await Signed()
        let first = try await signed.logIn()
        let won = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<2 { group.addTask { (try? await signed.refresh(first.refreshToken)) != nil } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(won <= 1)
        #expect(signed.house.control.signIn.sessions.session(first.session.id, at: signed.house.clock.now()) == nil)
    }

    @Test("signing out ends the session immediately, also after a restart")
    func logOut() async throws {
        let signed = try await Signed()
        let kept = try await signed.logIn()
        let ended = try await signed.logIn()
        try await signed.house.control.signIn.logOut(Caller(userID: signed.user.id, sessionID: ended.session.id))
        let restarted = try await House(clock: signed.house.clock, store: signed.house.store.reopened())
        let now = signed.house.clock.now()
        #expect(restarted.control.signIn.sessions.session(kept.session.id, at: now) != nil)
        #expect(restarted.control.signIn.sessions.session(ended.session.id, at: now) == nil)
    }

    @Test("disabling a user ends their sessions permanently: neither enabling nor a restart restores them")
    func disabling() async throws {
        let signed = try await Signed()
        let result = try await signed.logIn()
        let admin = signed.house.caller(signed.house.ids.superAdmin)
        for isEnabled in [false, true] {
            _ = try await signed.house.control.users.update(admin, signed.user.id, UserChanges(isEnabled: isEnabled))
        }
        let now = signed.house.clock.now()
        #expect(signed.house.control.signIn.sessions.session(result.session.id, at: now) == nil)
        let restarted = try await House(clock: signed.house.clock, store: signed.house.store.reopened())
        #expect(restarted.control.signIn.sessions.session(result.session.id, at: now) == nil)
        _ = try await signed.logIn()
    }

    @Test("a session that begins while its user is being disabled ends permanently, and enabling does not restore it")
    func disablingBesideASignIn() async throws {
        let signed = try await Signed()
        let (house, sessions) = (signed.house, signed.house.control.signIn.sessions)
        let admin = house.caller(house.ids.superAdmin)
        // The state of a sign-in after its session is stored and before it is in memory.
        let (now, generation) = (house.clock.now(), sessions.generation(of: signed.user.id))
        let session = Session(
            id: SessionID(high: 5, low: 5), userID: signed.user.id, createdAt: now, expiresAt: now.advanced(by: .seconds(3600)))
        _ = try await house.store.commit(StoreTransaction(credentials: [.beginSession(session, refreshDigest: [5])]))
        _ = try await house.control.users.update(admin, signed.user.id, UserChanges(isEnabled: false))
        #expect(!sessions.begin(session, generation))
        _ = try await house.control.users.update(admin, signed.user.id, UserChanges(isEnabled: true))
        #expect(sessions.session(session.id, at: now) == nil)
        #expect(try await house.store.liveSessions(at: now).isEmpty)
        let restarted = try await House(clock: house.clock, store: house.store.reopened())
        #expect(restarted.control.signIn.sessions.session(session.id, at: now) == nil)
    }

    /// A gateway on the signed user's store, which calls `meanwhile` before each read of a password hash, and `after` after it.
    private func control(
        of signed: Signed, after: @escaping @Sendable (InMemoryStore) async -> Void = { _ in },
        meanwhile: @escaping @Sendable (InMemoryStore) async -> Void = { _ in }
    ) async throws -> GatewayControl {
        let inner = signed.house.store.reopened()
        var limits = GatewayControl.Limits()
        limits.passwordCost = 10
        let control = GatewayControl(
            store: CountingStore(inner, afterPasswordHash: { await after(inner) }, onPasswordHash: { await meanwhile(inner) }),
            adapters: [ScriptedAdapter(clock: signed.house.clock)],
            clock: signed.house.clock, random: RandomSource(SeededGenerator(seed: 43)), limits: limits)
        try await control.start()
        return control
    }

    @Test("a sign-in with the right password, whose user is deleted meanwhile, fails like one with a wrong password")
    func deletedMeanwhile() async throws {
        let signed = try await Signed()
        let id = signed.user.id
        // The deletion is durable, and the directory does not have it yet.
        let control = try await control(of: signed) { store in
            _ = try? await store.commit(StoreTransaction(changes: [.removeUser(id)]))
        }
        let error = await failure {
            _ = try await control.signIn.logIn(
                email: "ann@example.com", password: Self.password, origin: RequestOrigin(clientAddress: "192.0.2.9"))
        }
        guard case .unauthenticated = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(control.signIn.sessions.count(at: signed.house.clock.now()) == 0)
    }

    @Test("a user who is deleted while a new password is checked gets no password and no codes, only a failed sign-in")
    func changeOfADeletedUser() async throws {
        let signed = try await Signed()
        let root = signed.house.caller(signed.house.ids.superAdmin)
        let armed = Promise<GatewayControl>()
        let id = signed.user.id
        let control = try await control(of: signed) { _ in
            guard let control = armed.current else { return }
            _ = try? await control.users.delete(root, id)
        }
        let signedIn = try await control.signIn.logIn(
            email: "ann@example.com", password: Self.password, origin: RequestOrigin())
        let caller = Caller(userID: id, sessionID: signedIn.session.id, origin: RequestOrigin())
        armed.fulfil(control)
        let change = await failure {
            try await control.credentials.changePassword(
                caller, current: Self.password, new: Secret("another long enough passphrase"))
        }
        #expect(control.directory.current.user(id) == nil)
        let codes = await failure { _ = try await control.credentials.createRecoveryCodes(caller, current: Self.password) }
        for error in [change, codes] {
            switch error {
            case .unauthenticated?, .denied?: continue
            default: Issue.record("\(String(describing: error))")
            }
        }
    }

    @Test("disabling a user ends their sessions even if the write is in doubt")
    func disablingInDoubt() async throws {
        let signed = try await Signed()
        let session = try await signed.logIn().session
        let house = signed.house
        house.store.failNext(.failed("the disk"), isDurable: true)
        let caller = house.caller(house.ids.superAdmin)
        _ = await failure { _ = try await house.control.users.update(caller, signed.user.id, UserChanges(isEnabled: false)) }
        #expect(house.control.signIn.sessions.session(session.id, at: house.clock.now()) == nil)
    }

    @Test("a password hash with another cost is replaced when its user signs in")
    func renewing() async throws {
        let signed = try await Signed()
        let older = PasswordHasher(cost: 11, random: RandomSource(SeededGenerator(seed: 3)))
        let hash = try await older.hash(Self.password)
        _ = try await signed.house.store.commit(StoreTransaction(credentials: [.setPassword(signed.user.id, hash: hash)]))
        guard
            case .unauthenticated = await failure({ _ = try await signed.logIn("ann@example.com", Secret("wrong passphrase 1")) })
        else {
            Issue.record("a wrong password was accepted")
            return
        }
        #expect(
            try await signed.house.store.passwordHash(of: signed.user.id) == hash, "a failed sign-in does not change the hash")
        _ = try await signed.logIn()
        #expect(try await signed.house.store.passwordHash(of: signed.user.id)?.hasPrefix("$scrypt$ln=10,") == true)
        _ = try await signed.logIn()
    }

    @Test("a sign-in with an old password does not put it back over a password that was set while it was hashed again")
    func renewingBesideAReset() async throws {
        let signed = try await Signed()
        let older = PasswordHasher(cost: 11, random: RandomSource(SeededGenerator(seed: 3)))
        let old = try await older.hash(Self.password)
        let id = signed.user.id
        _ = try await signed.house.store.commit(StoreTransaction(credentials: [.setPassword(id, hash: old)]))
        // Each read of the hash is followed by a reset, which the sign-in has not seen.
        let reset = try await older.hash(Secret("the password of a reset"))
        let (isArmed, opened) = (Promise<Bool>(), Promise<InMemoryStore>())
        let control = try await control(
            of: signed,
            after: { store in
                guard isArmed.current == true else { return }
                _ = try? await store.commit(StoreTransaction(credentials: [.setPassword(id, hash: reset)]))
                opened.fulfil(store)
            })
        isArmed.fulfil(true)
        _ = try await control.signIn.logIn(email: "ann@example.com", password: Self.password, origin: RequestOrigin())
        let store = try #require(opened.current)
        #expect(try await store.passwordHash(of: id) == reset)
    }

    @Test("a session that is not refreshed expires")
    func sessionsEnd() async throws {
        let signed = try await Signed()
        let result = try await signed.logIn()
        signed.house.clock.advance(by: .seconds(30 * 86_400))
        #expect(signed.house.control.signIn.sessions.session(result.session.id, at: signed.house.clock.now()) == nil)
        guard case .unauthenticated = await failure({ _ = try await signed.refresh(result.refreshToken) }) else {
            Issue.record("the refresh token of an expired session was accepted")
            return
        }
    }

    @Test(
        "a password must be long enough, not too long, and not a common one",
        arguments: [
            ("fourteen chars", "too_short"), ("fifteen chars !", nil), (String(repeating: "é", count: 512), nil),
            (String(repeating: "é", count: 513), "too_long"), ("passwordpassword", "too_common"),
            ("PasswordPassword", "too_common"),
            ("correct horse battery staple", "too_common"), ("            correct", nil),
        ] as [(String, String?)])
    func rules(text: String, problem: String?) {
        #expect(PasswordRules.problem(with: Secret(text)) == problem)
    }

    @Test("a hash verifies only its own password, is salted, and contains its cost")
    func hashing() async throws {
        let hasher = PasswordHasher(cost: 10, random: RandomSource(SeededGenerator(seed: 1)))
        let first = try await hasher.hash(Self.password)
        let second = try await hasher.hash(Self.password)
        #expect(first != second)
        #expect(first.hasPrefix("$scrypt$ln=10,r=8,p=1$"))
        #expect(try await hasher.verify(Self.password, against: first))
        #expect(try await !hasher.verify(Secret("a long enough passphrasf"), against: first))
        #expect(try await !hasher.verify(Self.password, against: nil))
        #expect(try await !hasher.verify(Self.password, against: "$scrypt$ln=10,r=8,p=1$$"))
    }

    @Test("at most eight passwords wait to be hashed; further ones are rejected immediately")
    func hashingIsBounded() async throws {
        let hasher = PasswordHasher(cost: 14, random: RandomSource(SeededGenerator(seed: 1)))
        let refused = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    guard case .unavailable = await failure({ _ = try await hasher.hash(Self.password) }) else { return false }
                    return true
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(refused >= 1)
        #expect(refused < 40)
    }
}
