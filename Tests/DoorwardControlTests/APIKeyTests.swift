import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

@testable import DoorwardKernel
@testable import DoorwardRecords

/// API keys: who can create them, what they can do, and when they end.
@Suite struct APIKeyTests {
    private static let day = Duration.seconds(86_400)

    private func create(
        _ house: House, by caller: Caller, _ role: Role = .maintenance, on entity: AssociatedEntity? = nil,
        until lifetime: Duration = day
    ) async throws -> IssuedAPIKey {
        let new = NewAPIKey(
            name: "Robot", entity: entity ?? .property(house.ids.property), role: role,
            expiresAt: house.clock.now().advanced(by: lifetime))
        return try await house.control.apiKeys.create(caller, new)
    }

    private func create(_ house: House, by user: UserID, _ role: Role = .maintenance) async throws -> IssuedAPIKey {
        try await create(house, by: house.caller(user), role)
    }

    private func caller(_ key: IssuedAPIKey) -> Caller {
        Caller(principal: .apiKey(key.key.id), origin: RequestOrigin(requestID: "key"))
    }

    private func unlock(_ house: House, by key: IssuedAPIKey, on device: DeviceID? = nil) async throws -> Command {
        let device = device ?? house.ids.door
        let request = CommandRequest(
            caller: caller(key), deviceID: device, attemptedID: device.description, operation: .unlock, override: nil,
            timeout: .seconds(10))
        let running = try #require(try await house.control.locks.begin(request, repeatable: nil).running)
        return await running.finished.command
    }

    @Test("the secret finds the key, and no other text does")
    func secret() async throws {
        let house = try await House()
        let issued = try await create(house, by: house.ids.owner)
        let secret = issued.secret.reveal()
        #expect(secret.hasPrefix("dw_") && secret.utf8.count == 68)
        #expect(house.control.apiKeys.principal(ofSecret: secret) == .apiKey(issued.key.id))
        var other = secret
        other.removeLast()
        for wrong in [
            "", "dw_", other, other + (secret.hasSuffix("A") ? "B" : "A"), secret + "A", secret.replacing("dw_", with: "DW_"),
            "dw_" + String(repeating: "A", count: 65), String(secret.reversed()),
        ] {
            #expect(house.control.apiKeys.principal(ofSecret: wrong) == nil, "\(wrong)")
        }
        #expect(!"\(issued)\(house.gatewayLog)\(house.portfolioLog)".contains(secret))
    }

    @Test("creation and removal are recorded in both logs, and commands name the key and its creator")
    func records() async throws {
        let house = try await House()
        let issued = try await create(house, by: house.ids.owner)
        for log in [house.gatewayLog, house.portfolioLog] {
            let record = try #require(log.last?.body)
            #expect(record.action == .create && record.target == RecordTarget(type: "APIKey", id: issued.key.id.description))
            guard case .object(let after) = record.details["after"] else { throw Missing() }
            #expect(Set(after.keys) == ["name", "entityType", "entityId", "role", "userId", "expiresAt"])
        }
        let command = try await unlock(house, by: issued)
        #expect(command.state == .confirmed)
        #expect(command.actor.kind == .apiKey && command.actor.id == issued.key.id.description && command.actor.name == "Robot")
        #expect(command.actor.userID == house.ids.owner)
        #expect(command.rule.role == .owner, "the creator's rule")
        #expect(try await house.control.commands.command(command.id, for: caller(issued)).command.id == command.id)
        try await house.control.apiKeys.remove(house.caller(house.ids.owner), issued.key.id)
        #expect(house.gatewayLog.last?.body.action == .delete && house.portfolioLog.last?.body.action == .delete)
    }

    private struct Missing: Error {}

    @Test("who may create a key for which role")
    func rights() async throws {
        let house = try await House()
        let (ids, manager) = (house.ids, house.ids.managers[0])
        for (user, role, entity, reason) in [
            (ids.owner, .owner, .portfolio(ids.portfolio), nil), (manager, .propertyManager, .property(ids.property), nil),
            (manager, .tenant, .unit(ids.unit), nil), (ids.superAdmin, .owner, .portfolio(ids.otherPortfolio), nil),
            (manager, .owner, .portfolio(ids.portfolio), .noAssociation),
            (ids.tenant, .tenant, .unit(ids.unit), .roleInsufficient),
            (ids.stranger, .owner, .portfolio(ids.portfolio), .noAssociation),
            (ids.owner, .auditor, .portfolio(ids.otherPortfolio), .noAssociation),
        ] as [(UserID, Role, AssociatedEntity, DenialReason?)] {
            let denial = await denial { _ = try await create(house, by: house.caller(user), role, on: entity) }
            #expect(denial?.reason == reason, "\(user) \(role)")
        }
        let admin = try await House()
        let root = admin.caller(admin.ids.superAdmin)
        _ = try await admin.control.roles.assign(
            root, .portfolioAdmin, to: admin.ids.stranger, on: .portfolio(admin.ids.portfolio))
        let denial = await denial {
            _ = try await create(admin, by: admin.caller(admin.ids.stranger), .owner, on: .portfolio(admin.ids.portfolio))
        }
        #expect(denial == Denial(.roleInsufficient, hasReach: true, missing: .init(role: .owner)), "a role above one's own")
    }

    @Test("a key expires in the future, at most a year from now, and works until then")
    func expiry() async throws {
        let house = try await House()
        let owner = house.caller(house.ids.owner)
        for (lifetime, problem) in [
            (.zero, "in_the_past"), (.seconds(-1), "in_the_past"), (APIKey.maxLifetime + .milliseconds(1), "out_of_range"),
        ] as [(Duration, String)] {
            guard case .invalid(let problems) = await failure({ _ = try await create(house, by: owner, until: lifetime) }) else {
                Issue.record("accepted: \(lifetime)")
                continue
            }
            #expect(problems == [FieldProblem(field: "expiresAt", problem: problem)])
        }
        let issued = try await create(house, by: owner, until: APIKey.maxLifetime)
        house.clock.advance(by: APIKey.maxLifetime - .milliseconds(1))
        #expect(house.control.apiKeys.principal(ofSecret: issued.secret.reveal()) != nil)
        house.clock.advance(by: .milliseconds(1))
        #expect(house.control.apiKeys.principal(ofSecret: issued.secret.reveal()) == nil)
        #expect(house.control.apiKeys.list(for: owner, PageRequest(limit: 9)).items.isEmpty)
        let denial = await denial { _ = try await unlock(house, by: issued) }
        #expect(denial?.reason == .userUnknown)
        _ = try await create(house, by: owner)
        #expect(house.control.directory.current.apiKey(issued.key.id) == nil, "an expired key is removed with the next creation")
    }

    @Test("a key follows its creator's rights at every instant, and never exceeds its own role")
    func meet() async throws {
        let house = try await House()
        let (ids, manager) = (house.ids, house.ids.managers[0])
        let issued = try await create(house, by: manager, .propertyManager)
        #expect(try await unlock(house, by: issued).state == .confirmed)
        try await house.control.roles.remove(house.caller(ids.owner), manager, from: .property(ids.property))
        let lost = await denial { _ = try await unlock(house, by: issued) }
        #expect(lost?.hasReach == false)
        _ = try await house.control.roles.assign(house.caller(ids.owner), .auditor, to: manager, on: .property(ids.property))
        let auditor = await denial { _ = try await unlock(house, by: issued) }
        #expect(auditor?.reason == .roleInsufficient)
        let weak = try await create(house, by: house.caller(ids.owner), .auditor, on: .property(ids.property))
        let role = await denial { _ = try await unlock(house, by: weak) }
        #expect(role?.reason == .roleInsufficient && role?.rule == nil)
    }

    @Test("disabling the creator ends the keys for good, and stops a command that waits", arguments: [true, false])
    func ended(byDisabling: Bool) throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 3, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .confirm(after: .seconds(1)))
            let (ids, root) = (house.ids, house.caller(house.ids.superAdmin))
            let issued = try await create(house, by: ids.managers[0], .propertyManager)
            let first = try await house.begin(by: ids.tenant)
            let request = CommandRequest(
                caller: caller(issued), deviceID: ids.door, attemptedID: ids.door.description, operation: .unlock, override: nil,
                timeout: .seconds(10))
            let waiting = try #require(try await house.control.locks.begin(request, repeatable: nil).running)
            if byDisabling {
                _ = try await house.control.users.update(root, ids.managers[0], UserChanges(isEnabled: false))
            } else {
                try await house.control.apiKeys.remove(house.caller(ids.managers[0]), issued.key.id)
            }
            _ = await first.finished
            let command = await waiting.finished.command
            #expect(command.state == .denied && command.outcomeDetail == "user_unknown" && command.sent == false)
            _ = try await house.control.users.update(root, ids.managers[0], UserChanges(isEnabled: true))
            #expect(house.control.apiKeys.principal(ofSecret: issued.secret.reveal()) == nil)
            #expect(house.control.directory.current.apiKeyIDs.isEmpty)
        }
    }

    @Test("a key survives a restart of the gateway")
    func restart() async throws {
        let house = try await House()
        let issued = try await create(house, by: house.ids.owner)
        let again = try await House(clock: house.clock, store: house.store.reopened())
        #expect(again.control.apiKeys.principal(ofSecret: issued.secret.reveal()) == .apiKey(issued.key.id))
    }

    @Test("a caller lists and removes the own keys, and those with at most the own role where keys may be managed")
    func managed() async throws {
        let house = try await House()
        let (ids, manager) = (house.ids, house.ids.managers[0])
        let owners = try await create(house, by: house.caller(ids.owner), .owner, on: .portfolio(ids.portfolio))
        let property = try await create(house, by: house.caller(ids.owner), .maintenance)
        let managers = try await create(house, by: manager, .propertyManager)
        func listed(_ user: UserID) -> Set<APIKeyID> {
            Set(house.control.apiKeys.list(for: house.caller(user), PageRequest(limit: 50)).items.map(\.id))
        }
        #expect(listed(ids.owner) == [owners.key.id, property.key.id, managers.key.id])
        #expect(listed(manager) == [property.key.id, managers.key.id])
        #expect(listed(ids.managers[1]) == [property.key.id, managers.key.id])
        #expect(listed(ids.superAdmin) == listed(ids.owner))
        for user in [ids.tenant, ids.stranger, ids.guest] { #expect(listed(user).isEmpty) }
        for (user, key) in [(manager, owners), (ids.tenant, property), (ids.stranger, property)] {
            let hidden = await denial { try await house.control.apiKeys.remove(house.caller(user), key.key.id) }
            let missing = await denial { try await house.control.apiKeys.remove(house.caller(user), APIKeyID(high: 7, low: 7)) }
            #expect(hidden?.hasReach == false && hidden == missing)
        }
        guard
            case .notFound = await failure({
                try await house.control.apiKeys.remove(house.caller(ids.superAdmin), APIKeyID(high: 7, low: 7))
            })
        else {
            Issue.record("a super admin learns that a key does not exist")
            return
        }
        try await house.control.apiKeys.remove(house.caller(manager), property.key.id)
        #expect(listed(ids.owner) == [owners.key.id, managers.key.id])
    }

    @Test("a key creates keys with at most its own role and lifetime, which end with it")
    func children() async throws {
        let house = try await House()
        let ids = house.ids
        let parent = try await create(house, by: ids.owner, .propertyManager)
        let child = try await create(house, by: caller(parent), .tenant, on: .unit(ids.unit))
        #expect(child.key.userID == ids.owner && child.key.parentID == parent.key.id)
        let record = try #require(house.portfolioLog.last?.body)
        #expect(record.actor.kind == .apiKey && record.actor.userID == ids.owner)
        #expect(try await unlock(house, by: child).state == .confirmed)
        let above = await denial { _ = try await create(house, by: caller(parent), .owner, on: .portfolio(ids.portfolio)) }
        #expect(above?.hasReach == false)
        guard case .invalid = await failure({ _ = try await create(house, by: caller(parent), until: Self.day * 2) }) else {
            Issue.record("a child that outlives its parent")
            return
        }
        try await house.control.apiKeys.remove(house.caller(ids.owner), parent.key.id)
        #expect(house.control.apiKeys.principal(ofSecret: child.secret.reveal()) == nil)
        #expect(house.control.directory.current.apiKeyIDs.isEmpty)
    }

    @Test("the chain of keys that create keys is limited")
    func chain() async throws {
        let house = try await House()
        var last = try await create(house, by: house.ids.owner, .propertyManager)
        for _ in 0..<3 { last = try await create(house, by: caller(last), .propertyManager) }
        guard case .conflict = await failure({ _ = try await create(house, by: caller(last), .propertyManager) }) else {
            Issue.record("no limit")
            return
        }
    }

    @Test("a key has no session, no password, no personal data and no administration of the gateway")
    func noPerson() async throws {
        let house = try await House()
        let ids = house.ids
        let key = caller(try await create(house, by: house.caller(ids.superAdmin), .owner, on: .portfolio(ids.portfolio)))
        let control = house.control
        let password = SignInTests.password
        let attempts: [@Sendable () async throws -> Void] = [
            { try await control.signIn.logOut(key) }, { _ = try control.credentials.sessions(of: key) },
            { try await control.credentials.endSession(key, SessionID(high: 1, low: 1)) },
            { try await control.credentials.changePassword(key, current: password, new: password) },
            { _ = try await control.credentials.createRecoveryCodes(key, current: password) },
            { _ = try control.users.user(ids.superAdmin, for: key) },
            { _ = try await control.users.update(key, ids.superAdmin, UserChanges(firstName: "X")) },
        ]
        for (index, attempt) in attempts.enumerated() {
            #expect(await denial(attempt)?.hasReach == false, "\(index)")
        }
        let new = NewUser(email: "n@example.com", firstName: "N", lastName: "M", password: password)
        let create = await denial { _ = try await control.users.create(key, new, repeatable: nil) }
        #expect(create?.reason == .roleInsufficient)
        let reset = await denial { _ = try await control.passwordResets.offer(key, to: ids.tenant) }
        #expect(reset != nil)
    }

    @Test("a dry run names the key and those created with it, and changes and records nothing")
    func preview() async throws {
        let house = try await House()
        let ids = house.ids
        let owner = house.caller(ids.owner)
        func new(_ name: String) -> NewAPIKey {
            NewAPIKey(
                name: name, entity: .property(ids.property), role: .propertyManager,
                expiresAt: house.clock.now().advanced(by: .seconds(86_400)))
        }
        let parent = try await house.control.apiKeys.create(owner, new("parent")).key
        let other = try await house.control.apiKeys.create(owner, new("other")).key
        let caller = Caller(principal: .apiKey(parent.id))
        let child = try await house.control.apiKeys.create(caller, new("child")).key
        let records = house.gatewayLog.count
        let preview = try #require(try await house.control.apiKeys.remove(owner, parent.id, isDryRun: true))
        #expect(Set(preview.removed.map(\.name)) == ["parent", "child"])
        #expect(Set(preview.removed.map(\.target.id)) == [parent.id.description, child.id.description])
        #expect(preview.removed.allSatisfy { $0.target.type == "APIKey" } && preview.ended.isEmpty)
        #expect(house.gatewayLog.count == records && house.control.directory.current.apiKey(parent.id) == parent)
        #expect(try await house.control.apiKeys.remove(owner, parent.id) == nil)
        #expect(house.control.directory.current.apiKey(child.id) == nil)
        #expect(house.control.directory.current.apiKey(other.id) != nil)
        let hidden = await denial {
            _ = try await house.control.apiKeys.remove(house.caller(ids.stranger), other.id, isDryRun: true)
        }
        #expect(hidden?.hasReach == false)
    }

    @Test("the preview of a deleted entity or user lists the valid keys and invitations that end with it")
    func previewOfCascade() async throws {
        let house = try await House()
        let (ids, now) = (house.ids, house.clock.now())
        let owner = house.caller(ids.owner)
        let new = NewAPIKey(
            name: "K", entity: .property(ids.property), role: .auditor, expiresAt: now.advanced(by: .seconds(60)))
        let key = try await house.control.apiKeys.create(owner, new).key
        let invitation = try await house.control.invitations.invite(owner, "e@example.com", to: .tenant, on: .unit(ids.unit))
        func ended() async throws -> Set<RecordTarget> {
            let preview = try await house.control.portfolios.delete(
                owner, ids.property, RemovalOptions(isCascade: true, isDryRun: true))
            return Set(try #require(preview).ended)
        }
        let targets = [
            RecordTarget(type: "APIKey", id: key.id.description),
            RecordTarget(type: "Invitation", id: invitation.invitation.id.description),
        ]
        #expect(try await ended().isSuperset(of: targets))
        house.clock.advance(by: .seconds(60))
        #expect(try await ended().isDisjoint(with: targets.prefix(1)), "an expired key has ended before")
    }
}
