import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// A guest can open a door only as long as the tenancy that granted access to this door exists,
/// whichever other doors the guest access lists.
@Suite struct GuestTenancyTests {
    /// The tenant of 2B is also the tenant of 3C, whose door is the front door, and grants the stranger access to both doors.
    private struct Flats {
        let house: House
        let other: UnitID
        let access: GuestAccess

        init(store: InMemoryStore? = nil) async throws {
            house = try await House(store: store)
            let ids = house.ids
            other = try #require(
                try await house.control.portfolios.createUnit(
                    house.caller(ids.owner), in: ids.property,
                    NewUnit(name: "3C", tenants: [ids.tenant], devices: [ids.frontDoor]), repeatable: nil
                ).executed
            ).id
            let now = house.clock.now()
            access = try #require(
                try await house.control.guestAccesses.grant(
                    house.caller(ids.tenant),
                    NewGuestAccess(
                        guestUserID: .some(ids.stranger), label: nil, propertyID: nil, unitID: nil,
                        deviceIDs: [ids.door, ids.frontDoor], operations: [.unlock],
                        window: GuestWindow(validFrom: now, validUntil: now.advanced(by: .seconds(3600)))),
                    repeatable: nil
                ).executed)
        }

        func giveUp(_ unit: UnitID) async throws {
            try await house.control.roles.remove(house.caller(house.ids.owner), house.ids.tenant, from: .unit(unit))
        }

        /// Returns why the guest may not open a door; `nil` if they may.
        func refusal(at door: DeviceID, in house: House? = nil) async -> DenialReason? {
            let house = house ?? self.house
            return await denial { _ = try await house.run(by: house.ids.stranger, on: door) }?.reason
        }
    }

    @Test("a guest of two flats loses the door of the flat that is given up, and keeps the other", arguments: [true, false])
    func oneOfTwo(givesUpFirst: Bool) async throws {
        let flats = try await Flats()
        let ids = flats.house.ids
        #expect(await flats.refusal(at: ids.door) == nil)
        #expect(await flats.refusal(at: ids.frontDoor) == nil)
        try await flats.giveUp(givesUpFirst ? ids.unit : flats.other)
        let (lost, kept) = givesUpFirst ? (ids.door, ids.frontDoor) : (ids.frontDoor, ids.door)
        #expect(await flats.refusal(at: lost) == .grantorLostAccess)
        #expect(await flats.refusal(at: kept) == nil)
        let tenancy = flats.house.control.directory.current
        let seen = SecurityService.visibleDeviceIDs(
            for: tenancy.subject(of: .user(ids.stranger)), at: .trusted(flats.house.clock.now()), in: tenancy)
        #expect(seen.contains(kept) && !seen.contains(lost))
    }

    @Test("the tenancy behind each door is known after a restart too")
    func restart() async throws {
        let flats = try await Flats()
        let ids = flats.house.ids
        try await flats.giveUp(ids.unit)
        let restarted = try await House(clock: flats.house.clock, store: flats.house.store.reopened())
        #expect(await flats.refusal(at: ids.door, in: restarted) == .grantorLostAccess)
        #expect(await flats.refusal(at: ids.frontDoor, in: restarted) == nil)
    }

    @Test("a guest keeps a front door that two flats share until the tenant has given up both", arguments: [true, false])
    func shared(givesUpFirst: Bool) async throws {
        let built = try await House()
        let owner = built.caller(built.ids.owner)
        let created = try await built.control.portfolios.createUnit(
            owner, in: built.ids.property, NewUnit(name: "3C", tenants: [built.ids.tenant], devices: []), repeatable: nil)
        var other = try #require(created.executed)
        other.commonAreaAccessIDs = [built.ids.frontDoor]
        _ = try await built.store.commit(StoreTransaction(changes: [.putUnit(other)]))
        let house = try await House(clock: built.clock, store: built.store.reopened())
        let (ids, now) = (house.ids, house.clock.now())
        let access = try #require(
            try await house.control.guestAccesses.grant(
                house.caller(ids.tenant),
                NewGuestAccess(
                    guestUserID: .some(ids.stranger), label: nil, propertyID: nil, unitID: nil,
                    deviceIDs: [ids.door, ids.frontDoor, ids.door], operations: [.unlock, .lock],
                    window: GuestWindow(validFrom: now, validUntil: now.advanced(by: .seconds(3600)))),
                repeatable: nil
            ).executed)
        #expect(access.deviceIDs == [ids.door, ids.frontDoor])
        #expect(access.grantedUnderAssociationID == ids.tenancy && access.grantedUnderRole == .tenant)
        #expect(access.carriers(of: ids.door) == [ids.tenancy] && access.carriers(of: ids.frontDoor).count == 2)
        let units = givesUpFirst ? [ids.unit, other.id] : [other.id, ids.unit]
        for (unit, isLast) in zip(units, [false, true]) {
            try await house.control.roles.remove(house.caller(ids.owner), ids.tenant, from: .unit(unit))
            let refusal = await denial { _ = try await house.run(by: ids.stranger, on: ids.frontDoor) }?.reason
            #expect(refusal == (isLast ? .grantorLostAccess : nil))
        }
    }

    @Test("a tenant who gave up one of two flats can revoke their guest access; one who gave up both cannot")
    func revoking() async throws {
        for givesUpBoth in [false, true] {
            let flats = try await Flats()
            let ids = flats.house.ids
            for unit in givesUpBoth ? [ids.unit, flats.other] : [ids.unit] { try await flats.giveUp(unit) }
            let refused = await denial {
                try await flats.house.control.guestAccesses.revoke(flats.house.caller(ids.tenant), flats.access.id)
            }
            #expect((refused != nil) == givesUpBoth)
        }
    }

    @Test("a tenant who gave up the flat with the larger id can revoke the guest access too")
    func revokingTheOther() async throws {
        let flats = try await Flats()
        try await flats.giveUp(flats.other)
        try await flats.house.control.guestAccesses.revoke(flats.house.caller(flats.house.ids.tenant), flats.access.id)
        #expect(flats.house.control.directory.current.guestAccess(flats.access.id)?.revokedAt != nil)
    }

    @Test("a guest access that a manager granted stays valid when the manager leaves")
    func manager() async throws {
        let house = try await House()
        let ids = house.ids
        let now = house.clock.now()
        _ = try await house.control.guestAccesses.grant(
            house.caller(ids.managers[0]),
            NewGuestAccess(
                guestUserID: .some(ids.stranger), label: nil, propertyID: nil, unitID: nil, deviceIDs: [ids.door, ids.frontDoor],
                operations: [.unlock], window: GuestWindow(validFrom: now, validUntil: now.advanced(by: .seconds(3600)))),
            repeatable: nil)
        try await house.control.roles.remove(house.caller(ids.owner), ids.managers[0], from: .property(ids.property))
        for door in [ids.door, ids.frontDoor] { #expect(try await house.run(by: ids.stranger, on: door).state == .confirmed) }
    }
}
