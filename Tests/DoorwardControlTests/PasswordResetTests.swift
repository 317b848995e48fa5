import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

@testable import DoorwardKernel
@testable import DoorwardLocks
@testable import DoorwardTenancy

/// One-time password links: who can create them, and how using one affects passwords and sessions.
@Suite struct PasswordResetTests {
    static let newPassword = Secret("another long passphrase")

    private func offer(_ house: House, to user: UserID, by caller: UserID? = nil) async throws -> PasswordReset.Offer {
        try await house.control.passwordResets.offer(house.caller(caller ?? house.ids.superAdmin), to: user)
    }

    private func use(_ house: House, _ token: Secret<String>, _ password: Secret<String> = newPassword) async throws {
        try await house.control.passwordResets.use(
            token, newPassword: password, origin: RequestOrigin(clientAddress: "192.0.2.9", requestID: "r"))
    }

    private func isUnauthenticated(_ body: () async throws -> Void) async -> Bool {
        if case .unauthenticated = await failure(body) { true } else { false }
    }

    @Test("a link sets the password once, and ends the sessions of the old password")
    func lifecycle() async throws {
        let signed = try await SignInTests.Signed()
        let house = signed.house
        let old = try await signed.logIn()
        let offer = try await offer(house, to: signed.user.id)
        #expect(offer.expiresAt == house.clock.now().advanced(by: .seconds(86_400)))
        try await use(house, offer.token)
        #expect(house.control.signIn.sessions.session(old.session.id, at: house.clock.now()) == nil)
        #expect(try await house.store.liveSessions(at: house.clock.now()).isEmpty)
        #expect(await isUnauthenticated { _ = try await signed.refresh(old.refreshToken) })
        #expect(await isUnauthenticated { _ = try await signed.logIn() })
        _ = try await signed.logIn("ann@example.com", Self.newPassword)
        #expect(await isUnauthenticated { try await use(house, offer.token) }, "second use")
    }

    @Test("unknown, expired and replaced tokens, and those of disabled users, get the same response and change nothing")
    func oneAnswer() async throws {
        let signed = try await SignInTests.Signed()
        let house = signed.house
        #expect(await isUnauthenticated { try await use(house, Secret("no token at all")) })
        let replaced = try await offer(house, to: signed.user.id)
        let over = try await offer(house, to: signed.user.id)
        #expect(await isUnauthenticated { try await use(house, replaced.token) })
        house.clock.advance(by: PasswordReset.lifetime)
        #expect(await isUnauthenticated { try await use(house, over.token) }, "expired after exactly 24 hours")
        let disabled = try await offer(house, to: signed.user.id)
        let caller = house.caller(house.ids.superAdmin)
        _ = try await house.control.users.update(caller, signed.user.id, UserChanges(isEnabled: false))
        #expect(await isUnauthenticated { try await use(house, disabled.token) })
        _ = try await house.control.users.update(caller, signed.user.id, UserChanges(isEnabled: true))
        _ = try await signed.logIn()
    }

    @Test("a link is valid until the last millisecond of its 24 hours")
    func lastMillisecond() async throws {
        let signed = try await SignInTests.Signed()
        let offer = try await offer(signed.house, to: signed.user.id)
        signed.house.clock.advance(by: PasswordReset.lifetime - .milliseconds(1))
        try await use(signed.house, offer.token)
    }

    @Test("failures count against the client address, and a password that breaks the rules does not use up the token")
    func failures() async throws {
        let signed = try await SignInTests.Signed()
        let offer = try await offer(signed.house, to: signed.user.id)
        guard case .invalid(let problems) = await failure({ try await use(signed.house, offer.token, Secret("short")) }) else {
            Issue.record("a short password was accepted")
            return
        }
        #expect(problems == [FieldProblem(field: "newPassword", problem: "too_short")])
        for _ in 0..<20 {
            #expect(await isUnauthenticated { try await use(signed.house, Secret(String(repeating: "A", count: 43))) })
        }
        guard case .rateLimited = await failure({ try await use(signed.house, offer.token) }) else {
            Issue.record("the twenty-first attempt within a minute was not rate limited")
            return
        }
        signed.house.clock.advance(by: .seconds(61))
        try await use(signed.house, offer.token)
    }

    @Test("creating and using a password link is recorded, without token or digest, also in the log of the user's portfolio")
    func records() async throws {
        let house = try await House()
        let offer = try await offer(house, to: house.ids.tenant)
        for log in [house.gatewayLog, house.portfolioLog] {
            let made = try #require(log.last?.body)
            #expect(made.kind == .adminChange && made.action == .create && made.target?.type == "PasswordReset")
            #expect(made.actor.userID == house.ids.superAdmin)
            #expect(
                made.details["after"]
                    == .object([
                        "userId": .string(house.ids.tenant.description), "expiresAt": .string(offer.expiresAt.description),
                    ]))
        }
        try await use(house, offer.token)
        let used = try #require(house.gatewayLog.last?.body)
        #expect(used.action == .update && used.target == RecordTarget(type: "User", id: house.ids.tenant.description))
        #expect(used.actor.userID == house.ids.tenant)
        #expect(used.details["after"] == .object(["password": .string("set_by_link")]))
        #expect(await isUnauthenticated { try await use(house, offer.token) })
        #expect(house.gatewayLog.last?.body.event == .signInFailed)
        #expect(!"\(house.gatewayLog)\(house.portfolioLog)".contains(offer.token.reveal()))
        #expect(!"\(offer)".contains(offer.token.reveal()))
    }

    @Test("a session that begins with the old password while it is replaced is not valid", arguments: 0..<40 as Range<UInt64>)
    func raceWithSignIn(seed: UInt64) async throws {
        let signed = try await SignInTests.Signed()
        let house = signed.house
        let offer = try await offer(house, to: signed.user.id)
        let session = await withTaskGroup(of: SessionID?.self) { group in
            group.addTask {
                for _ in 0..<(seed % 7) { await Task.yield() }
                return try? await signed.logIn().session.id
            }
            group.addTask {
                for _ in 0..<(seed / 7) { await Task.yield() }
                try? await use(house, offer.token)
                return nil
            }
            return await group.reduce(nil) { $0 ?? $1 }
        }
        _ = try await signed.logIn("ann@example.com", Self.newPassword)
        guard let session else { return }
        #expect(house.control.signIn.sessions.session(session, at: house.clock.now()) == nil)
        #expect(try await house.store.liveSessions(at: house.clock.now()).allSatisfy { $0.id != session })
    }

    @Test("a sign-in that was in progress when all sessions of its user ended begins no session; sign-ins of other users do")
    func generations() {
        let sessions = Sessions()
        func session(_ number: UInt64, of user: UInt64) -> Session {
            Session(
                id: SessionID(high: 1, low: number), userID: UserID(high: 1, low: user),
                createdAt: Timestamp(milliseconds: 0), expiresAt: Timestamp(milliseconds: 9_000))
        }
        let (user, other) = (UserID(high: 1, low: 1), UserID(high: 1, low: 2))
        let (before, others) = (sessions.generation(of: user), sessions.generation(of: other))
        #expect(sessions.begin(session(1, of: 1), before))
        #expect(sessions.endAll(of: user) == [SessionID(high: 1, low: 1)])
        #expect(!sessions.begin(session(2, of: 1), before))
        #expect(sessions.begin(session(3, of: 2), others))
        #expect(sessions.begin(session(4, of: 1), sessions.generation(of: user)))
    }

    // MARK: - Who can create a link

    private static let superAdminMissing = Denial(.roleInsufficient, hasReach: true, missing: .init(role: .superAdmin))

    @Test("only a super admin can create a link; others get the same denial whatever other roles the user has")
    func superAdminAlone() async throws {
        let house = try await House()
        let ids = house.ids
        _ = try await offer(house, to: ids.tenant)
        let before = house.gatewayLog.count
        for (caller, user, hasReach) in [
            (ids.managers[0], ids.tenant, true), (ids.owner, ids.tenant, true), (ids.owner, ids.managers[0], true),
            (ids.tenant, ids.tenant, true), (ids.managers[0], ids.owner, false), (ids.owner, ids.stranger, false),
            (ids.owner, ids.superAdmin, false),
        ] {
            let denial = await denial { _ = try await offer(house, to: user, by: caller) }
            #expect(denial?.hasReach == hasReach, "\(caller) for \(user)")
            if hasReach { #expect(denial == Self.superAdminMissing) }
        }
        #expect(house.gatewayLog.count == before)
        let root = house.caller(ids.superAdmin)
        _ = try await house.control.roles.assign(root, .auditor, to: ids.tenant, on: .portfolio(ids.otherPortfolio))
        let refusal = await denial { _ = try await offer(house, to: ids.tenant, by: ids.owner) }
        #expect(refusal == Self.superAdminMissing)
        guard case .notFound = await failure({ _ = try await offer(house, to: UserID(high: 9, low: 9)) }) else {
            Issue.record("a super admin did not get 'not found' for an unknown user")
            return
        }
    }

    @Test("a link that was created by a user who is not a super admin is invalid")
    func madeByAnother() async throws {
        let house = try await House()
        let token = Secret("a token of thirty-two characters")
        let reset = PasswordReset(
            id: PasswordResetID(high: 1, low: 1), userID: house.ids.tenant, createdBy: house.ids.owner,
            createdAt: house.clock.now(),
            expiresAt: house.clock.now().advanced(by: .seconds(60)))
        _ = try await house.store.commit(
            StoreTransaction(credentials: [.offerReset(reset, digest: OneTimeToken.digest(of: token))]))
        #expect(await isUnauthenticated { try await use(house, token) })
    }

    // MARK: - Invalidation

    @Test("a link becomes invalid when its creator loses the right, and stays invalid when they get it back")
    func makerDisabled() async throws {
        let house = try await House()
        let root = house.caller(house.ids.superAdmin)
        let creator = try #require(
            try await house.control.users.create(
                root,
                NewUser(
                    email: "second@example.com", firstName: "S", lastName: "A", password: Secret("a long enough passphrase"),
                    isSuperAdmin: true), repeatable: nil
            ).executed)
        let ended = try await offer(house, to: house.ids.tenant, by: creator.id)
        let kept = try await offer(house, to: house.ids.owner)
        for isEnabled in [false, true] {
            _ = try await house.control.users.update(root, creator.id, UserChanges(isEnabled: isEnabled))
        }
        #expect(await isUnauthenticated { try await use(house, ended.token) })
        try await use(house, kept.token)
    }

    @Test(
        "a link becomes invalid when the roles or guest accesses of its user change, and stays valid after other changes",
        arguments: ["given", "taken", "granted", "disabled", "renamed", "another's"])
    func rolesChange(_ change: String) async throws {
        let house = try await House()
        let (ids, root) = (house.ids, house.caller(house.ids.superAdmin))
        let offer = try await offer(house, to: ids.tenant)
        switch change {
        case "given":
            _ = try await house.control.roles.assign(root, .auditor, to: ids.tenant, on: .portfolio(ids.otherPortfolio))
        case "taken": try await house.control.roles.remove(house.caller(ids.owner), ids.tenant, from: .unit(ids.unit))
        case "granted":
            let access = GuestAccess(
                id: GuestAccessID(high: 1, low: 9), guestUserID: ids.tenant, propertyID: ids.property, deviceIDs: [ids.frontDoor],
                operations: [.unlock],
                window: GuestWindow(
                    validFrom: house.clock.now(), validUntil: house.clock.now().advanced(by: .seconds(3600))),
                grantedByUserID: ids.owner, grantedUnderAssociationID: ids.tenancy, grantedUnderRole: .owner,
                createdAt: house.clock.now())
            var draft = TenancyUnitOfWork(
                directory: house.control.directory.current, caller: root, time: .trusted(house.clock.now()),
                random: RandomSource())
            draft.apply(.putGuestAccess(access))
            _ = try await house.store.commit(draft.transaction)
        case "disabled":
            for isEnabled in [false, true] {
                _ = try await house.control.users.update(root, ids.tenant, UserChanges(isEnabled: isEnabled))
            }
        case "renamed": _ = try await house.control.users.update(root, ids.tenant, UserChanges(firstName: "Thomas"))
        default: _ = try await house.control.roles.assign(root, .auditor, to: ids.stranger, on: .portfolio(ids.portfolio))
        }
        if ["renamed", "another's"].contains(change) {
            try await use(house, offer.token)
        } else {
            #expect(await isUnauthenticated { try await use(house, offer.token) })
        }
    }

    // MARK: - From the host

    @Test("the host can create a link only for a super admin")
    func recover() async throws {
        let house = try await House()
        let host = OfflineAdministration(store: house.store, clock: house.clock, random: RandomSource(), passwordCost: 10)
        let root = try #require(house.control.directory.current.user(house.ids.superAdmin))
        let offer = try await host.recover(email: root.email.uppercased())
        #expect(offer.user == root)
        let record = try #require(house.gatewayLog.last?.body)
        #expect(record.actor == .gateway && record.source == .cli && record.target?.type == "PasswordReset")
        try await use(house, offer.token)
        guard case .notFound = await failure({ _ = try await host.recover(email: "nobody@example.org") }) else {
            Issue.record("an unknown address was accepted")
            return
        }
        let owner = try #require(house.control.directory.current.user(house.ids.owner))
        guard case .conflict(let sentence) = await failure({ _ = try await host.recover(email: owner.email) }) else {
            Issue.record("a link was created for a user who is not a super admin")
            return
        }
        #expect(sentence.contains("not a super admin"))
    }

    @Test(
        "the URL of a link is the address of the page, with the token in the fragment",
        arguments: [
            ("https://locks.example.org", "https://locks.example.org/reset-password#token=T"),
            ("https://example.org/locks//", "https://example.org/locks/reset-password#token=T"), (nil, "/reset-password#token=T"),
        ] as [(String?, String)])
    func url(base: String?, url: String) async throws {
        let user = User(
            id: UserID(high: 1, low: 1), email: "a@b", firstName: "A", lastName: "B", createdAt: Timestamp(milliseconds: 0),
            updatedAt: Timestamp(milliseconds: 0))
        let offer = PasswordReset.Offer(user: user, token: Secret("T"), expiresAt: Timestamp(milliseconds: 0))
        #expect(offer.url(under: base).reveal() == url)
    }

    @Test("guesses at links are limited by themselves, and slow no sign-in; malformed tokens are not counted")
    func guesses() async throws {
        let signed = try await SignInTests.Signed()
        let control = signed.house.control
        let origin = RequestOrigin(clientAddress: "192.0.2.9", requestID: "r")
        func use(_ token: String) async -> GatewayError? {
            await failure {
                try await control.passwordResets.use(
                    Secret(token), newPassword: Secret("a brand new password"), origin: origin)
            }
        }
        let count = signed.house.gatewayLog.count
        for _ in 0..<40 { _ = await use("malformed.") }
        #expect(signed.house.gatewayLog.count == count)
        let unknown = String(repeating: "A", count: 43)
        for _ in 0..<20 {
            guard case .unauthenticated = await use(unknown) else {
                Issue.record("not refused")
                return
            }
        }
        let link = await failure { _ = try await control.guestLinks.holder(of: Secret(unknown), origin) }
        for error in [await use(unknown), link] {
            guard case .rateLimited = error else {
                Issue.record("guesses are not limited: \(String(describing: error))")
                return
            }
        }
        _ = try await signed.logIn()
    }
}
