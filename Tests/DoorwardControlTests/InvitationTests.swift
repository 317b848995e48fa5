import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

@testable import DoorwardKernel
@testable import DoorwardLocks
@testable import DoorwardTenancy

/// Invitations: who can create them, who can accept them, and when they end.
@Suite struct InvitationTests {
    private static let password = Secret("a long enough passphrase")
    private static let account = NewAccount(firstName: "Eve", lastName: "Adams", password: password)
    private static let origin = RequestOrigin(clientAddress: "192.0.2.9", requestID: "accept")

    private func invite(
        _ house: House, _ email: String = "eve@example.com", by user: UserID? = nil, to role: Role = .tenant,
        on entity: AssociatedEntity? = nil
    ) async throws -> IssuedInvitation {
        try await house.control.invitations.invite(
            house.caller(user ?? house.ids.managers[0]), email, to: role, on: entity ?? .unit(house.ids.unit))
    }

    private func accept(
        _ house: House, _ token: Secret<String>, _ account: NewAccount = account, as caller: Caller? = nil
    ) async throws -> SignedIn {
        try await house.control.invitations.accept(token, account, caller: caller, origin: Self.origin)
    }

    private func isUnauthenticated(_ body: () async throws -> Void) async -> Bool {
        if case .unauthenticated = await failure(body) { true } else { false }
    }

    private func isSignInRequired(_ body: () async throws -> Void) async -> Bool {
        if case .signInRequired = await failure(body) { true } else { false }
    }

    private func email(_ house: House, _ user: UserID) throws -> String {
        try #require(house.control.directory.current.user(user)).email
    }

    private func holds(_ house: House, _ user: UserID, _ role: Role, on entity: AssociatedEntity) -> Bool {
        house.control.directory.current.associations(on: entity).contains { $0.userID == user && $0.role == role }
    }

    // MARK: - Acceptance

    @Test("a new person gets an account with the role and is signed in, once")
    func newPerson() async throws {
        let house = try await House()
        let issued = try await invite(house)
        #expect(issued.invitation.expiresAt == house.clock.now().advanced(by: .seconds(7 * 86_400)))
        let signedIn = try await accept(house, issued.token)
        #expect(signedIn.user.email == "eve@example.com" && signedIn.user.fullName == "Eve Adams")
        #expect(holds(house, signedIn.user.id, .tenant, on: .unit(house.ids.unit)))
        #expect(try await house.run(by: signedIn.user.id).state == .confirmed)
        #expect(house.control.signIn.sessions.session(signedIn.session.id, at: house.clock.now()) != nil)
        #expect(await isUnauthenticated { _ = try await accept(house, issued.token) }, "second use")
        _ = try await house.control.signIn.logIn(email: "EVE@example.com", password: Self.password, origin: Self.origin)
    }

    @Test("the role is recorded in both logs, by the person who accepts, with the invitation and its creator")
    func records() async throws {
        let house = try await House()
        let issued = try await invite(house)
        for log in [house.gatewayLog, house.portfolioLog] {
            let made = try #require(log.last?.body)
            #expect(made.action == .create && made.target == RecordTarget(issued.invitation))
            #expect(made.actor.userID == house.ids.managers[0])
            guard case .object(let after) = made.details["after"] else { continue }
            #expect(after["email"] == .personal("eve@example.com", person: nil))
            #expect(Set(after.keys) == ["email", "role", "expiresAt", "entityType", "entityId"])
        }
        let user = try await accept(house, issued.token).user
        let assigned = try #require(house.portfolioLog.last?.body)
        #expect(assigned.action == .assign && assigned.actor.userID == user.id)
        guard case .object(let after) = assigned.details["after"] else { return }
        #expect(after["invitationId"] == .string(issued.invitation.id.description))
        #expect(after["invitedByUserId"] == .string(house.ids.managers[0].description))
        let text = "\(house.gatewayLog)\(house.portfolioLog)\(issued)"
        #expect(!text.contains(issued.token.reveal()) && !text.contains(Self.password.reveal()))
    }

    @Test("an address that has a user wants that user's own sign-in, and no account data")
    func existingUser() async throws {
        let house = try await House()
        let guest = house.ids.guest
        let issued = try await invite(house, try email(house, guest).uppercased())
        #expect(await isSignInRequired { _ = try await accept(house, issued.token) })
        #expect(await isSignInRequired { _ = try await accept(house, issued.token, as: house.caller(house.ids.stranger)) })
        guard
            case .invalid(let problems) = await failure({
                _ = try await accept(house, issued.token, as: house.caller(guest))
            })
        else {
            Issue.record("account data of a user who exists was accepted")
            return
        }
        #expect(problems.map(\.field) == ["firstName", "lastName", "password"])
        #expect(!holds(house, guest, .tenant, on: .unit(house.ids.unit)))
        let signedIn = try await accept(house, issued.token, NewAccount(), as: house.caller(guest))
        #expect(signedIn.user.id == guest && signedIn.user.firstName == "Gus")
        #expect(holds(house, guest, .tenant, on: .unit(house.ids.unit)))
        #expect(await isUnauthenticated { _ = try await accept(house, issued.token, NewAccount(), as: house.caller(guest)) })
    }

    @Test("a user who has the role already accepts it without a change")
    func alreadyHeld() async throws {
        let house = try await House()
        let issued = try await invite(house, try email(house, house.ids.tenant))
        let roles = house.control.directory.current.associations(of: house.ids.tenant)
        _ = try await accept(house, issued.token, NewAccount(), as: house.caller(house.ids.tenant))
        #expect(house.control.directory.current.associations(of: house.ids.tenant) == roles)
    }

    @Test("a new person must give a name and a password; missing ones do not use up the invitation")
    func incomplete() async throws {
        let house = try await House()
        let issued = try await invite(house)
        guard
            case .invalid(let problems) = await failure({
                _ = try await accept(house, issued.token, NewAccount(firstName: "Eve"))
            })
        else {
            Issue.record("accepted")
            return
        }
        #expect(problems == [FieldProblem(field: "password", problem: "required")])
        _ = try await accept(house, issued.token)
    }

    @Test("a person with one name accepts an invitation without a last name")
    func oneName() async throws {
        let house = try await House()
        let issued = try await invite(house)
        let user = try await accept(house, issued.token, NewAccount(firstName: "Eve", password: Self.password)).user
        #expect(user.lastName.isEmpty && user.fullName == "Eve")
    }

    @Test(
        "unknown, expired and replaced tokens get one answer, are recorded and limited",
        arguments: ["unknown", "expired", "replaced"])
    func invalid(_ kind: String) async throws {
        let house = try await House()
        let issued = try await invite(house)
        if kind == "expired" { house.clock.advance(by: Invitation.lifetime) }
        if kind == "replaced" { _ = try await invite(house, "EVE@example.com", by: house.ids.owner) }
        let token = kind == "unknown" ? Secret(String(repeating: "A", count: 43)) : issued.token
        for _ in 0..<20 { #expect(await isUnauthenticated { _ = try await accept(house, token) }) }
        #expect(house.gatewayLog.last?.body.event == .signInFailed)
        guard case .rateLimited = await failure({ _ = try await accept(house, token) }) else {
            Issue.record("guessing is not limited")
            return
        }
    }

    @Test("an invitation can be accepted until its last millisecond")
    func lastMillisecond() async throws {
        let house = try await House()
        let issued = try await invite(house)
        house.clock.advance(by: Invitation.lifetime - .milliseconds(1))
        _ = try await accept(house, issued.token)
    }

    @Test("two persons who accept at the same time get one account", arguments: 0..<20 as Range<UInt64>)
    func race(seed: UInt64) async throws {
        let house = try await House()
        let issued = try await invite(house)
        let count = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<2 as Range<UInt64> {
                group.addTask {
                    for _ in 0..<(seed * index) { await Task.yield() }
                    return (try? await accept(house, issued.token)) != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(count == 1)
        #expect(house.control.directory.current.associations(on: .unit(house.ids.unit)).count == 2)
    }

    // MARK: - Rights

    @Test("the right to invite is the right to assign the role")
    func rights() async throws {
        let house = try await House()
        let ids = house.ids
        for (user, role, entity, isAllowed) in [
            (ids.owner, .owner, .portfolio(ids.portfolio), true), (ids.managers[0], .maintenance, .property(ids.property), true),
            (ids.managers[0], .propertyManager, .property(ids.property), false), (ids.tenant, .tenant, .unit(ids.unit), false),
            (ids.stranger, .tenant, .unit(ids.unit), false), (ids.superAdmin, .owner, .portfolio(ids.portfolio), true),
            (ids.superAdmin, .tenant, .unit(ids.unit), false),
        ] as [(UserID, Role, AssociatedEntity, Bool)] {
            let denial = await denial { _ = try await invite(house, by: user, to: role, on: entity) }
            #expect((denial == nil) == isAllowed, "\(user) \(role)")
        }
    }

    @Test(
        "an invitation ends with its creator's right, and stays ended when the right comes back",
        arguments: ["removed", "disabled", "key"])
    func makerLosesRight(_ how: String) async throws {
        let house = try await House()
        let (ids, root) = (house.ids, house.caller(house.ids.superAdmin))
        let (manager, owner) = (ids.managers[0], house.caller(ids.owner))
        var creator = house.caller(manager)
        if how == "key" {
            let key = try await house.control.apiKeys.create(
                creator,
                NewAPIKey(
                    name: "K", entity: .property(ids.property), role: .propertyManager,
                    expiresAt: house.clock.now().advanced(by: .seconds(60))))
            creator = Caller(principal: .apiKey(key.key.id))
        }
        let issued = try await house.control.invitations.invite(creator, "eve@example.com", to: .tenant, on: .unit(ids.unit))
        let others = try await invite(house, "other@example.com", by: ids.managers[1])
        switch how {
        case "removed":
            try await house.control.roles.remove(owner, manager, from: .property(ids.property))
            _ = try await house.control.roles.assign(owner, .propertyManager, to: manager, on: .property(ids.property))
        case "disabled":
            for isEnabled in [false, true] {
                _ = try await house.control.users.update(root, manager, UserChanges(isEnabled: isEnabled))
            }
        default: house.clock.advance(by: .seconds(60))
        }
        #expect(await isUnauthenticated { _ = try await accept(house, issued.token) })
        _ = try await accept(house, others.token)
    }

    @Test("an invitation remains valid while another role of its creator gives the right")
    func anotherRole() async throws {
        let house = try await House()
        let (ids, owner) = (house.ids, house.caller(house.ids.owner))
        _ = try await house.control.roles.assign(owner, .auditor, to: ids.managers[0], on: .property(ids.property))
        let issued = try await invite(house)
        _ = try await house.control.roles.assign(
            house.caller(ids.superAdmin), .owner, to: ids.managers[0], on: .portfolio(ids.portfolio))
        try await house.control.roles.remove(owner, ids.managers[0], from: .property(ids.property))
        _ = try await accept(house, issued.token)
    }

    @Test("the creator and users who may assign the role can read and withdraw an invitation; for others it does not exist")
    func managed() async throws {
        let house = try await House()
        let ids = house.ids
        let issued = try await invite(house)
        let id = issued.invitation.id
        for user in [ids.managers[0], ids.managers[1], ids.owner] {
            #expect(try house.control.invitations.invitation(id, for: house.caller(user)) == issued.invitation)
        }
        for user in [ids.tenant, ids.stranger] {
            let hidden = await denial { try await house.control.invitations.withdraw(house.caller(user), id) }
            let missing = await denial {
                try await house.control.invitations.withdraw(house.caller(user), InvitationID(high: 7, low: 7))
            }
            #expect(hidden?.hasReach == false && hidden == missing)
        }
        let root = await denial { _ = try house.control.invitations.invitation(id, for: house.caller(ids.superAdmin)) }
        #expect(root?.reason == .roleInsufficient && root?.rule == .superAdmin)
        try await house.control.invitations.withdraw(house.caller(ids.owner), id)
        #expect(house.portfolioLog.last?.body.action == .delete)
        #expect(await isUnauthenticated { _ = try await accept(house, issued.token) })
        #expect(await denial { _ = try house.control.invitations.invitation(id, for: house.caller(ids.owner)) } != nil)
    }

    @Test("a newer invitation replaces only those of the same address, role and entity")
    func replaced() async throws {
        let house = try await House()
        let ids = house.ids
        let others = [
            try await invite(house, "adam@example.com"), try await invite(house, to: .maintenance, on: .property(ids.property)),
        ]
        let first = try await invite(house)
        let second = try await invite(house, "Eve@Example.com", by: ids.owner)
        let left = Set(house.control.directory.current.invitationIDs)
        #expect(left == Set((others + [second]).map(\.invitation.id)) && !left.contains(first.invitation.id))
    }

    // MARK: - Accounts without a password

    private func createInvited(_ house: House) async throws -> (user: User, invitation: IssuedInvitation) {
        let (user, invitation) = try await house.control.users.createInvited(
            house.caller(house.ids.superAdmin),
            NewUser(email: "new@example.com", firstName: "New", lastName: "Person", password: nil), repeatable: nil)
        return (user.value, try #require(invitation))
    }

    @Test("a user without a password cannot sign in until the invitation sets one; names are optional")
    func firstPassword() async throws {
        let house = try await House()
        let (user, issued) = try await createInvited(house)
        func logIn() async throws {
            _ = try await house.control.signIn.logIn(email: user.email, password: Self.password, origin: Self.origin)
        }
        #expect(await isUnauthenticated(logIn))
        guard case .invalid(let problems) = await failure({ _ = try await accept(house, issued.token, NewAccount()) }) else {
            Issue.record("accepted without a password")
            return
        }
        #expect(problems == [FieldProblem(field: "password", problem: "required")])
        let signedIn = try await accept(house, issued.token, NewAccount(lastName: "Name", password: Self.password))
        #expect(signedIn.user.id == user.id && signedIn.user.fullName == "New Name")
        try await logIn()
        #expect(await isUnauthenticated { _ = try await accept(house, issued.token) })
    }

    @Test("the invitation to a first password ends with its creator's right and with another way to a password")
    func firstPasswordEnds() async throws {
        let house = try await House()
        let (user, issued) = try await createInvited(house)
        let offer = try await house.control.passwordResets.offer(house.caller(house.ids.superAdmin), to: user.id)
        try await house.control.passwordResets.use(offer.token, newPassword: Self.password, origin: Self.origin)
        #expect(await isUnauthenticated { _ = try await accept(house, issued.token) })
        let denial = await denial {
            _ = try await house.control.users.createInvited(
                house.caller(house.ids.owner), NewUser(email: "x@example.com", firstName: "X", lastName: "Y", password: nil),
                repeatable: nil)
        }
        #expect(denial?.reason == .roleInsufficient)
    }

    @Test("an invitation of an address whose user was disabled cannot be accepted")
    func disabledUser() async throws {
        let house = try await House()
        let (user, issued) = try await createInvited(house)
        let root = house.caller(house.ids.superAdmin)
        _ = try await house.control.users.update(root, user.id, UserChanges(isEnabled: false))
        #expect(await isUnauthenticated { _ = try await accept(house, issued.token) })
    }

    // MARK: - The end of a user or an entity

    @Test("everything that a user could act with ends together, and a later user of the address inherits nothing")
    func endCredentials() async throws {
        let signed = try await SignInTests.Signed()
        let house = signed.house
        let (ids, user) = (house.ids, signed.user)
        _ = try await house.control.roles.assign(
            house.caller(ids.owner), .propertyManager, to: user.id, on: .property(ids.property))
        let session = try await signed.logIn().session
        let caller = Caller(userID: user.id, sessionID: session.id)
        _ = try await house.control.credentials.createRecoveryCodes(caller, current: SignInTests.password)
        let key = try await house.control.apiKeys.create(
            caller,
            NewAPIKey(
                name: "K", entity: .property(ids.property), role: .maintenance,
                expiresAt: house.clock.now().advanced(by: .seconds(60))))
        let made = try await invite(house, by: user.id)
        let received = try await invite(house, user.email)
        let offer = try await house.control.passwordResets.offer(house.caller(ids.superAdmin), to: user.id)
        var draft = TenancyUnitOfWork(
            directory: house.control.directory.current, caller: house.caller(ids.superAdmin), time: .trusted(house.clock.now()),
            random: RandomSource())
        draft.endCredentials(of: user)
        #expect(draft.directory.apiKeyIDs.isEmpty && draft.directory.invitationIDs.isEmpty)
        #expect(draft.transaction.records.count == 6, "each end in the gateway's and the portfolio's log")
        _ = try await house.store.commit(draft.transaction)
        let again = try await House(clock: house.clock, store: house.store.reopened())
        #expect(again.control.apiKeys.principal(ofSecret: key.secret.reveal()) == nil)
        for token in [made.token, received.token] { #expect(await isUnauthenticated { _ = try await accept(again, token) }) }
        #expect(
            await isUnauthenticated {
                try await again.control.passwordResets.use(offer.token, newPassword: Self.password, origin: Self.origin)
            })
        #expect(try await again.store.recoveryCodes(of: user.id).isEmpty)
        #expect(try await again.store.liveSessions(at: again.clock.now()).isEmpty)
    }

    @Test("the keys and invitations of an entity end together, and those of other entities stay")
    func endOfEntity() async throws {
        let house = try await House()
        let ids = house.ids
        let expiresAt = house.clock.now().advanced(by: .seconds(60))
        let owner = house.caller(ids.owner)
        for entity in [.unit(ids.unit), .property(ids.property)] as [AssociatedEntity] {
            let role: Role = entity == .unit(ids.unit) ? .tenant : .maintenance
            _ = try await house.control.apiKeys.create(
                owner, NewAPIKey(name: "K", entity: entity, role: role, expiresAt: expiresAt))
            _ = try await invite(house, by: ids.owner, to: role, on: entity)
        }
        var draft = TenancyUnitOfWork(
            directory: house.control.directory.current, caller: owner, time: .trusted(house.clock.now()), random: RandomSource())
        draft.endKeysAndInvitations(on: .unit(ids.unit))
        #expect(draft.directory.apiKeyIDs.count == 1 && draft.directory.invitationIDs.count == 1)
        #expect(draft.directory.apiKeys(on: .property(ids.property)).count == 1)
    }

    @Test("a dry run of a withdrawal names the invitation, and it can still be accepted")
    func previewOfWithdrawal() async throws {
        let house = try await House()
        let owner = house.caller(house.ids.owner)
        let issued = try await house.control.invitations.invite(
            owner, "e@example.com", to: .tenant, on: .unit(house.ids.unit))
        let id = issued.invitation.id
        let preview = try #require(try await house.control.invitations.withdraw(owner, id, isDryRun: true))
        #expect(preview.removed.isEmpty && preview.ended == [RecordTarget(type: "Invitation", id: id.description)])
        #expect(try house.control.invitations.invitation(id, for: owner).id == id)
        #expect(try await house.control.invitations.withdraw(owner, id) == nil)
        #expect(await denial { _ = try house.control.invitations.invitation(id, for: owner) }?.hasReach == false)
    }
}
