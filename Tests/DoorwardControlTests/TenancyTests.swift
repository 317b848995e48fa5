import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// Changes of the tenancy: who can make them, their records, and the requests that are rejected.
@Suite struct TenancyTests {
    @Test("a change is recorded in the logs of the gateway and of the portfolio, with its details")
    func changesAreWritten() async throws {
        let house = try await House()
        let owner = house.caller(house.ids.owner)
        let association = try await house.control.roles.assign(
            owner, .maintenance, to: house.ids.stranger, on: .property(house.ids.property))
        for log in [house.gatewayLog, house.portfolioLog] {
            let record = try #require(log.last?.body)
            #expect(record.kind == .adminChange)
            #expect(record.action == .assign)
            #expect(record.target == RecordTarget(type: "UserRoleAssociation", id: association.id.description))
            #expect(record.actor.id == house.ids.owner.description)
            #expect(record.path == EntityPathIDs(propertyID: house.ids.property, portfolioID: house.ids.portfolio))
        }
        #expect(house.store.log(.portfolio(house.ids.otherPortfolio)).isEmpty)
        #expect(try await house.run(by: house.ids.stranger).state == .confirmed)
    }

    @Test("assigning a role that the user already has returns the existing association, and writes nothing")
    func assigningTwice() async throws {
        let house = try await House()
        let owner = house.caller(house.ids.owner)
        let first = try await house.control.roles.assign(owner, .tenant, to: house.ids.stranger, on: .unit(house.ids.unit))
        let records = house.gatewayLog.count
        let second = try await house.control.roles.assign(owner, .tenant, to: house.ids.stranger, on: .unit(house.ids.unit))
        #expect(first == second)
        #expect(house.gatewayLog.count == records)
    }

    @Test("only a super admin can remove the last owner")
    func lastOwner() async throws {
        let house = try await House()
        let entity = AssociatedEntity.portfolio(house.ids.portfolio)
        let refused = await failure {
            try await house.control.roles.remove(house.caller(house.ids.owner), house.ids.owner, from: entity)
        }
        guard case .conflict = refused else {
            Issue.record("expected a conflict, got \(String(describing: refused))")
            return
        }
        try await house.control.roles.remove(house.caller(house.ids.superAdmin), house.ids.owner, from: entity)
        let denied = await denial { _ = try await house.run(by: house.ids.owner) }
        #expect(denied?.reason == .noAssociation)
        #expect(denied?.hasReach == false)
    }

    @Test("a user without the right to assign a role is denied; one who cannot see the entity does not learn that it exists")
    func assigningWithoutTheRight() async throws {
        let house = try await House()
        let property = AssociatedEntity.property(house.ids.property)
        let byTenant = await denial {
            _ = try await house.control.roles.assign(
                house.caller(house.ids.tenant), .tenant, to: house.ids.stranger, on: .unit(house.ids.unit))
        }
        #expect(byTenant?.reason == .roleInsufficient)
        #expect(byTenant?.hasReach == true)
        let byStranger = await denial {
            _ = try await house.control.roles.assign(
                house.caller(house.ids.stranger), .propertyManager, to: house.ids.stranger, on: property)
        }
        #expect(byStranger?.hasReach == false)
        let bySuperAdmin = await denial {
            _ = try await house.control.roles.assign(
                house.caller(house.ids.superAdmin), .propertyManager, to: house.ids.stranger, on: property)
        }
        #expect(bySuperAdmin?.reason == .roleInsufficient, "a super admin cannot assign managers")
    }

    @Test("users cannot grant rights that they do not have: guests cannot grant at all, and tenants only for their own doors")
    func grantingBeyondOnesRights() async throws {
        let house = try await House()
        let byGuest = await denial { _ = try await Self.grant(house, by: house.ids.guest, [house.ids.door]) }
        #expect(byGuest?.hasReach == true)
        let elsewhere = await denial { _ = try await Self.grant(house, by: house.ids.tenant, [house.ids.otherDoor]) }
        #expect(elsewhere?.hasReach == false)
        let bothDoors = try await Self.grant(house, by: house.ids.tenant, [house.ids.door, house.ids.frontDoor])
        #expect(bothDoors.grantedUnderAssociationID == house.ids.tenancy)
        #expect(try await house.run(by: house.ids.stranger, on: house.ids.frontDoor).state == .confirmed)
    }

    @Test("a guest access from a tenant ends with the tenancy; one from an owner remains")
    func grantsOfATenancy() async throws {
        let house = try await House()
        let byOwner = try await Self.grant(house, by: house.ids.owner, [house.ids.door])
        try await house.control.roles.remove(house.caller(house.ids.owner), house.ids.tenant, from: .unit(house.ids.unit))
        let denied = await denial { _ = try await house.run(by: house.ids.guest) }
        #expect(denied?.reason == .grantorLostAccess)
        let command = try await house.run(by: house.ids.stranger)
        #expect(command.rule == .guestAccess(byOwner.id))
    }

    @Test(
        "a guest access must end after it starts, and not last too long",
        arguments: [
            (Duration.zero, "end_not_after_start"), (.seconds(-1), "end_not_after_start"),
            (.seconds(6 * 366 * 86_400), "window_too_long"),
        ])
    func badWindows(length: Duration, problem: String) async throws {
        let house = try await House()
        let error = await failure {
            _ = try await Self.grant(house, by: house.ids.owner, [house.ids.door], length: length)
        }
        guard case .invalid(let problems) = error else {
            Issue.record("expected invalid, got \(String(describing: error))")
            return
        }
        #expect(problems == [FieldProblem(field: "validUntil", problem: problem)])
    }

    @Test(
        "granting an operation that cannot be granted, or no operation, is rejected",
        arguments: [[LockOperation.grantAccess], []])
    func badOperations(operations: [LockOperation]) async throws {
        let house = try await House()
        let error = await failure {
            _ = try await Self.grant(house, by: house.ids.owner, [house.ids.door], operations: operations)
        }
        guard case .invalid(let problems) = error else {
            Issue.record("expected invalid, got \(String(describing: error))")
            return
        }
        #expect(problems.map(\.problem) == [operations.isEmpty ? "empty" : "not_grantable"])
    }

    @Test("granting access to a device that is not visible is denied like access to an unknown device")
    func noOracleInGrants() async throws {
        let house = try await House()
        for device in [house.ids.otherDoor, DeviceID(high: 4, low: 4)] {
            let denied = await denial { _ = try await Self.grant(house, by: house.ids.tenant, [house.ids.door, device]) }
            #expect(denied == Denial(.noAssociation, hasReach: false))
        }
    }

    @Test("an email address belongs to one user, regardless of case")
    func oneUserForAnAddress() async throws {
        let house = try await House()
        let error = await failure {
            let new = NewUser(
                email: "TOM@example.com", firstName: "T", lastName: "", password: Secret("a long enough passphrase"))
            let taken = try #require(house.control.directory.current.user(house.ids.tenant)?.email)
            var same = new
            same.email = taken.uppercased()
            _ = try await house.control.users.create(house.caller(house.ids.superAdmin), same, repeatable: nil)
        }
        guard case .alreadyExists = error else {
            Issue.record("expected alreadyExists, got \(String(describing: error))")
            return
        }
    }

    @Test("a disabled user loses access immediately, and the portfolios in which they had a role record it")
    func disabling() async throws {
        let house = try await House()
        _ = try await house.control.users.update(
            house.caller(house.ids.superAdmin), house.ids.tenant, UserChanges(isEnabled: false))
        let denied = await denial { _ = try await house.run(by: house.ids.tenant) }
        #expect(denied?.reason == .userDisabled)
        let told = try #require(house.portfolioLog.first { $0.body.action == .disable }?.body)
        #expect(told.target?.id == house.ids.tenant.description)
        #expect(house.store.log(.portfolio(house.ids.otherPortfolio)).isEmpty)
    }

    @Test("the last super admin cannot be disabled")
    func lastSuperAdmin() async throws {
        let house = try await House()
        let error = await failure {
            _ = try await house.control.users.update(
                house.caller(house.ids.superAdmin), house.ids.superAdmin, UserChanges(isEnabled: false))
        }
        guard case .conflict = error else {
            Issue.record("expected a conflict, got \(String(describing: error))")
            return
        }
    }

    @Test("a device that is added to a unit is removed from its guest accesses and common areas")
    func movingADevice() async throws {
        let house = try await House()
        let access = try await Self.grant(house, by: house.ids.owner, [house.ids.frontDoor])
        let owner = house.caller(house.ids.owner)
        _ = try await house.control.portfolios.createUnit(
            owner, in: house.ids.property, NewUnit(name: "1A", tenants: [], devices: [house.ids.frontDoor]), repeatable: nil)
        let tenancy = house.control.directory.current
        #expect(tenancy.guestAccess(access.id)?.revokedAt != nil)
        let revoked = try #require(
            house.portfolioLog.first { $0.body.target?.id == access.id.description && $0.body.action == .revoke })
        #expect(revoked.body.actor.id == house.ids.owner.description)
        #expect(house.portfolioLog.contains { $0.body.target?.id == house.ids.unit.description && $0.body.action == .update })
        #expect(tenancy.unitsSharing(house.ids.frontDoor).isEmpty)
        let denied = await denial { _ = try await house.run(by: house.ids.tenant, on: house.ids.frontDoor) }
        #expect(denied?.hasReach == false)
    }

    static func grant(
        _ house: House, by user: UserID, _ devices: [DeviceID], operations: [LockOperation] = [.lock, .unlock],
        length: Duration = .seconds(3600)
    ) async throws -> GuestAccess {
        let start = house.clock.now()
        let new = NewGuestAccess(
            guestUserID: .some(house.ids.stranger), label: nil, propertyID: nil, unitID: nil, deviceIDs: devices,
            operations: operations, window: GuestWindow(validFrom: start, validUntil: start.advanced(by: length)))
        return try #require(try await house.control.guestAccesses.grant(house.caller(user), new, repeatable: nil).executed)
    }
}
