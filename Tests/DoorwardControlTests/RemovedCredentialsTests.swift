import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

@testable import DoorwardKernel

/// API keys, invitations and recovery codes of users and places that are deleted.
@Suite struct RemovedCredentialsTests {
    private static func key(_ house: House, by user: UserID, _ role: Role, on entity: AssociatedEntity) async throws -> APIKey {
        let new = NewAPIKey(
            name: "Robot", entity: entity, role: role, expiresAt: house.clock.now().advanced(by: .seconds(86_400)))
        return try await house.control.apiKeys.create(house.caller(user), new).key
    }

    @Test("deleting a place ends the keys and invitations for it and for the places below, and keeps the others")
    func place() async throws {
        let house = try await House()
        let (owner, invitations) = (house.caller(house.ids.owner), house.control.invitations)
        let ended = try await Self.key(house, by: house.ids.owner, .maintenance, on: .property(house.ids.property))
        let kept = try await Self.key(house, by: house.ids.owner, .auditor, on: .portfolio(house.ids.portfolio))
        let below = try await invitations.invite(owner, "eve@example.com", to: .tenant, on: .unit(house.ids.unit))
        let above = try await invitations.invite(owner, "eve@example.com", to: .auditor, on: .portfolio(house.ids.portfolio))
        try await house.control.portfolios.delete(owner, house.ids.property, RemovalOptions(isCascade: true))
        let tenancy = house.control.directory.current
        #expect(tenancy.apiKey(ended.id) == nil && tenancy.apiKey(kept.id) != nil)
        #expect(tenancy.invitation(below.invitation.id) == nil && tenancy.invitation(above.invitation.id) != nil)
        try await StoredTenancy.requireIntegrity(of: house.control, house.store)
    }

    @Test("deleting a user ends the user's keys, the invitations by the user and to the user's address, and recovery codes")
    func user() async throws {
        let house = try await House()
        let (manager, invitations) = (house.ids.managers[0], house.control.invitations)
        let email = try #require(house.control.directory.current.user(manager)).email
        let key = try await Self.key(house, by: manager, .maintenance, on: .property(house.ids.property))
        let by = try await invitations.invite(house.caller(manager), "eve@example.com", to: .tenant, on: .unit(house.ids.unit))
        let to = try await invitations.invite(
            house.caller(house.ids.owner), email, to: .auditor, on: .portfolio(house.ids.portfolio))
        let codes = StoreTransaction(credentials: [.setRecoveryCodes(of: manager, digests: [[1], [2]])])
        _ = try await house.store.commit(codes)
        _ = try await house.control.users.delete(house.caller(house.ids.superAdmin), manager)
        let tenancy = house.control.directory.current
        #expect(tenancy.user(manager) == nil && tenancy.apiKey(key.id) == nil)
        #expect(tenancy.invitation(by.invitation.id) == nil && tenancy.invitation(to.invitation.id) == nil)
        #expect(try await house.store.recoveryCodes(of: manager).isEmpty)
        try await StoredTenancy.requireIntegrity(of: house.control, house.store)
    }

    @Test("an unassigned device that enters a portfolio by a unit counts towards the portfolio's limit")
    func deviceLimit() async throws {
        let house = try await House()
        let (owner, admin) = (house.caller(house.ids.owner), house.caller(house.ids.superAdmin))
        let unit = try #require(
            try await house.control.portfolios.createUnit(
                owner, in: house.ids.property, NewUnit(name: "9", tenants: [], devices: []), repeatable: nil
            ).executed)
        var changes = DeviceChanges()
        changes.propertyID = .cleared
        _ = try await house.control.attachedDevices.change(owner, house.ids.door, changes)
        let count = house.control.directory.current.usage(of: .maxDevices, in: house.ids.portfolio, at: house.clock.now())
        var limits = SubscriptionChanges()
        limits.limits = [.maxDevices: .set(count)]
        _ = try await house.change(limits)
        let refused = await failure { _ = try await house.control.attachedDevices.move(admin, house.ids.door, to: unit.id) }
        guard case .limitReached(.maxDevices, max: count, count: count) = refused else {
            Issue.record("\(String(describing: refused))")
            return
        }
        limits.limits = [.maxDevices: .set(count + 1)]
        _ = try await house.change(limits)
        #expect(try await house.control.attachedDevices.move(admin, house.ids.door, to: unit.id).unitID == unit.id)
    }
}
