import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Testing

/// Use cases for a principal that is not a user: a guest link.
@Suite struct PrincipalTests {
    /// A house with two guest accesses without a guest user, and a caller with the link of the first.
    private struct Links {
        let house: House
        let own: GuestAccess
        let other: GuestAccess
        let caller: Caller

        init() async throws {
            house = try await House()
            own = try await Self.grant(in: house, "Courier")
            other = try await Self.grant(in: house, "Cleaner")
            caller = Caller(principal: .guestLink(own.id))
        }

        private static func grant(in house: House, _ label: String) async throws -> GuestAccess {
            let now = house.clock.now()
            return try await house.control.guestAccesses.grant(
                house.caller(house.ids.owner),
                NewGuestAccess(
                    guestUserID: nil, label: label, propertyID: nil, unitID: nil, deviceIDs: [house.ids.door],
                    operations: [.unlock], window: GuestWindow(validFrom: now, validUntil: now.advanced(by: .seconds(3600)))),
                repeatable: nil
            ).value
        }
    }

    @Test("A guest link without a user can read neither guest accesses without a guest nor users")
    func reading() async throws {
        let links = try await Links()
        let (control, ids) = (links.house.control, links.house.ids)
        #expect(control.guestAccesses.list(for: links.caller, GuestAccessFilter(), PageRequest(limit: 50)).items.isEmpty)
        #expect(throws: GatewayError.self) { try control.guestAccesses.access(links.other.id, for: links.caller) }
        #expect(throws: GatewayError.self) { try control.users.user(ids.guest, for: links.caller) }
        #expect(throws: GatewayError.self) { try control.users.user(.nonexistent, for: links.caller) }
        #expect(throws: GatewayError.self) { try control.users.list(for: links.caller, PageRequest(limit: 50)) }
        let commands = try await control.commands.commands(for: links.caller, deviceID: nil, PageRequest(limit: 10))
        #expect(commands.items.isEmpty && commands.totalItems == 0)
    }

    @Test("A guest link can see the status of the device that it lists, and no other device")
    func device() async throws {
        let links = try await Links()
        let devices = links.house.control.attachedDevices
        #expect(try devices.status(of: links.house.ids.door, for: links.caller, refresh: false).device.id == links.house.ids.door)
        #expect(throws: GatewayError.self) { try devices.device(links.house.ids.frontDoor, for: links.caller) }
        #expect(throws: GatewayError.self) { try devices.changeable(links.house.ids.door, for: links.caller) }
    }

    @Test("A guest link cannot revoke guest accesses, assign roles or create password links")
    func managing() async throws {
        let links = try await Links()
        let (control, ids, commits) = (links.house.control, links.house.ids, links.house.store.commitCount)
        await #expect(throws: GatewayError.self) {
            try await control.guestAccesses.revoke(links.caller, links.own.id)
        }
        await #expect(throws: GatewayError.self) {
            _ = try await control.roles.assign(links.caller, .tenant, to: ids.stranger, on: .unit(ids.unit))
        }
        await #expect(throws: GatewayError.self) {
            _ = try await control.passwordResets.offer(links.caller, to: ids.guest)
        }
        #expect(links.house.store.commitCount == commits)
    }

    @Test("A user who is disabled after the request was authenticated cannot grant access")
    func disabledGrantor() async throws {
        let house = try await House()
        let (ids, now) = (house.ids, house.clock.now())
        _ = try await house.control.users.update(house.caller(ids.superAdmin), ids.tenant, UserChanges(isEnabled: false))
        let commits = house.store.commitCount
        let new = NewGuestAccess(
            guestUserID: .some(ids.stranger), label: nil, propertyID: nil, unitID: nil, deviceIDs: [ids.door],
            operations: [.unlock], window: GuestWindow(validFrom: now, validUntil: now.advanced(by: .seconds(3600))))
        let error = await failure {
            _ = try await house.control.guestAccesses.grant(house.caller(ids.tenant), new, repeatable: nil)
        }
        guard case .denied(let denial, _, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(denial.reason == .userDisabled)
        #expect(house.store.commitCount == commits)
    }

    @Test("A denied command of a guest link is recorded with the guest access as its actor, and counts towards its limit")
    func denial() async throws {
        let links = try await Links()
        let request = CommandRequest(
            caller: links.caller, deviceID: links.house.ids.frontDoor, attemptedID: "", operation: .unlock, timeout: .seconds(1))
        for _ in 0..<20 {
            await #expect(throws: GatewayError.self) { _ = try await links.house.control.locks.begin(request) }
        }
        let record = try #require(links.house.gatewayLog.last?.body)
        #expect(record.kind == .denial && record.actor == RecordActor(links.own, guest: nil))
        let error = await failure { _ = try await links.house.control.locks.begin(request) }
        guard case .rateLimited = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let other = Caller(principal: .guestLink(links.other.id))
        try await links.house.control.locks.admit(other)
    }
}
