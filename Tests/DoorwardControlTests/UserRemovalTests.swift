import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// Deleting users, and erasing their personal values in the logs.
@Suite struct UserRemovalTests {
    private static func delete(_ house: House, _ user: UserID, isDryRun: Bool = false) async throws -> RemovalPreview? {
        try await house.control.users.delete(house.caller(house.ids.superAdmin), user, isDryRun: isDryRun)
    }

    @Test("a deleted user holds nothing, and what the user granted as a tenant ends; records keep the id")
    func tenant() async throws {
        let house = try await House()
        _ = try await house.run(by: house.ids.tenant)
        _ = try await Self.delete(house, house.ids.tenant)
        let tenancy = house.control.directory.current
        #expect(tenancy.user(house.ids.tenant) == nil && tenancy.isRemoved(house.ids.tenant))
        #expect(tenancy.associations(of: house.ids.tenant).isEmpty)
        let guest = SecurityService.decide(
            .user(house.ids.guest), .unlock, on: house.ids.door, at: .trusted(house.clock.now()), override: false, in: tenancy)
        #expect(guest.denial?.reason == .grantorLostAccess)
        #expect(await denial { _ = try await house.begin(by: house.ids.tenant) }?.hasReach != true)
        let intent = try #require(house.portfolioLog.map(\.body).first { $0.kind == .commandIntent })
        #expect(intent.actor.userID == house.ids.tenant && intent.actor.name == "Tom Tenant")
        try await StoredTenancy.requireIntegrity(of: house.control, house.store)
    }

    @Test("the gateway's log has the deleted user's fields; the portfolio's log has the ended roles and the id alone")
    func records() async throws {
        let house = try await House()
        let (portfolio, gateway) = (house.portfolioLog.count, house.gatewayLog.count)
        _ = try await Self.delete(house, house.ids.tenant)
        let (inPortfolio, inGateway) = (
            house.portfolioLog.dropFirst(portfolio).map(\.body), house.gatewayLog.dropFirst(gateway).map(\.body)
        )
        #expect(inPortfolio.map(\.action) == [.remove, .delete] && inGateway.map(\.action) == [.remove, .delete])
        #expect(inPortfolio.last?.details == ["before": .null, "after": .null])
        guard case .object(let before) = inGateway.last?.details["before"] else { return _ = Issue.record("no fields") }
        #expect(before["email"] != nil && before["lastName"] == .personal("Tenant", person: house.ids.tenant))
        #expect(house.store.log(.portfolio(house.ids.otherPortfolio)).isEmpty, "the user held nothing there")
    }

    @Test("a guest's accesses end with the guest, and the end of a valid one is recorded")
    func guest() async throws {
        let house = try await House()
        let preview = try #require(try await Self.delete(house, house.ids.guest, isDryRun: true))
        #expect(preview.removed.map(\.name) == ["Gus Guest"])
        #expect(preview.ended == [RecordTarget(type: "GuestAccess", id: house.ids.guestAccess.description)])
        #expect(house.control.directory.current.user(house.ids.guest) != nil)
        _ = try await Self.delete(house, house.ids.guest)
        #expect(house.control.directory.current.guestAccess(house.ids.guestAccess) == nil)
        #expect(house.portfolioLog.map(\.body.action).suffix(2) == [.revoke, .delete])
        try await StoredTenancy.requireIntegrity(of: house.control, house.store)
    }

    @Test("the sessions of a deleted user end at once, and a later user with the same address has none of the former rights")
    func sessions() async throws {
        let house = try await House()
        let root = house.caller(house.ids.superAdmin)
        let (users, signIn) = (house.control.users, house.control.signIn)
        let password = Secret("a long enough password")
        func new() async throws -> User {
            try #require(
                try await users.create(
                    root, NewUser(email: "Nina@example.org", firstName: "Nina", lastName: "N", password: password),
                    repeatable: nil
                ).executed)
        }
        let nina = try await new()
        _ = try await house.control.roles.assign(
            house.caller(house.ids.owner), .auditor, to: nina.id, on: .portfolio(house.ids.portfolio))
        let signedIn = try await signIn.logIn(email: "nina@example.org", password: password, origin: RequestOrigin())
        #expect(try await Self.delete(house, nina.id, isDryRun: true)?.ended.contains { $0.type == "Session" } == true)
        _ = try await Self.delete(house, nina.id)
        #expect(house.control.signIn.sessions.session(signedIn.session.id, at: house.clock.now()) == nil)
        for attempt in [
            await failure { _ = try await signIn.refresh(signedIn.refreshToken, origin: RequestOrigin()) },
            await failure { _ = try await signIn.logIn(email: "nina@example.org", password: password, origin: RequestOrigin()) },
        ] {
            guard case .unauthenticated = attempt else {
                Issue.record("\(String(describing: attempt))")
                continue
            }
        }
        let namesake = try await new()
        #expect(namesake.id != nina.id)
        #expect(house.control.directory.current.associations(of: namesake.id).isEmpty)
        #expect(house.control.directory.current.isRemoved(nina.id))
    }

    @Test("the last super admin cannot be deleted; a disabled one does not count as another")
    func lastSuperAdmin() async throws {
        let house = try await House()
        let root = house.caller(house.ids.superAdmin)
        func isRefused() async -> Bool {
            if case .conflict = await failure({ _ = try await Self.delete(house, house.ids.superAdmin) }) { true } else { false }
        }
        #expect(await isRefused())
        let second = try #require(
            try await house.control.users.create(
                root,
                NewUser(
                    email: "b@example.org", firstName: "B", lastName: "", password: Secret("a long enough password"),
                    isSuperAdmin: true), repeatable: nil
            ).executed)
        _ = try await house.control.users.update(root, second.id, UserChanges(isEnabled: false))
        #expect(await isRefused())
        _ = try await house.control.users.update(root, second.id, UserChanges(isEnabled: true))
        _ = try await Self.delete(house, house.ids.superAdmin)
        #expect(house.control.directory.current.superAdminIDs.count == 1)
    }

    @Test("a command of a deleted user that waits is denied")
    func waiting() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 9, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .confirm(after: .seconds(2)))
            let sent = try await house.begin(by: house.ids.tenant)
            let waiting = try await house.begin(by: house.ids.tenant)
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(1)))
            _ = try await Self.delete(house, house.ids.tenant)
            #expect(await sent.finished.command.state == .confirmed, "it was sent before")
            let denied = await waiting.finished.command
            #expect(denied.state == .denied && denied.outcomeDetail == "user_unknown" && denied.sent == false)
        }
    }

    @Test("an erasure makes the person's values in every log unreadable, and is recorded in each of them")
    func erasure() async throws {
        let house = try await House()
        let root = house.caller(house.ids.superAdmin)
        _ = try await house.run(by: house.ids.tenant)
        _ = try await Self.delete(house, house.ids.tenant)
        let tree = try await house.store.range(of: .portfolio(house.ids.portfolio), from: 0, limit: 100)?.entries.map(\.leafHash)
        try await house.control.erasure.erase(root, of: house.ids.tenant)
        let intent = try #require(house.portfolioLog.map(\.body).first { $0.kind == .commandIntent })
        #expect(intent.actor.userID == house.ids.tenant && intent.actor.name == nil)
        for log in [house.portfolioLog, house.gatewayLog] {
            let record = try #require(log.last?.body)
            #expect(record.kind == .gateway && record.event == .erasure)
            #expect(record.target == RecordTarget(type: "User", id: house.ids.tenant.description))
            #expect(record.actor.userID == house.ids.superAdmin)
        }
        #expect(house.store.log(.portfolio(house.ids.otherPortfolio)).isEmpty, "no value of the person is in that log")
        let after = try await house.store.range(of: .portfolio(house.ids.portfolio), from: 0, limit: 100)?.entries.map(\.leafHash)
        #expect(after?.dropLast() == tree?[...], "the leaves are not changed")
        #expect(try await house.store.logs(withValuesOf: house.ids.tenant).isEmpty)
    }

    @Test("only a super admin erases, a living user keeps the account, and an id that was never a user's is unknown")
    func erasureRights() async throws {
        let house = try await House()
        let erasure = house.control.erasure
        #expect(
            await denial { try await erasure.erase(house.caller(house.ids.owner), of: house.ids.tenant) }?.reason
                == .roleInsufficient)
        #expect(
            await denial { try await erasure.erase(house.caller(house.ids.tenant), of: house.ids.owner) }?.hasReach
                == false)
        let root = house.caller(house.ids.superAdmin)
        guard case .notFound = await failure({ try await erasure.erase(root, of: UserID(high: 4, low: 4)) }) else {
            return _ = Issue.record("an unknown user was erased")
        }
        try await erasure.erase(root, of: house.ids.tenant)
        #expect(house.control.directory.current.user(house.ids.tenant)?.lastName == "Tenant")
        #expect(try await house.run(by: house.ids.tenant).state == .confirmed)
        #expect(house.portfolioLog.last?.body.actor.name == "Tom Tenant", "a later record has a new key")
    }
}
