import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

@testable import DoorwardTenancy

/// All other changes wait while a grant is processed, so the work of a grant must grow only
/// linearly with the number of its devices.
@Suite struct GrantCostTests {
    /// A tenant of many units, each with a door of its own.
    private struct Tower {
        let directory: TenancyDirectory
        let changes: [TenancyChange]
        let doors: [LockDevice]
        let tenant: UserID
        let guest: UserID

        init(doors count: Int) throws {
            var world = TenancyFixture(seed: 11)
            let property = world.property("Tower", in: world.portfolio("Oak Street"))
            (tenant, guest) = (world.user("Tom"), world.user("Gus"))
            var doors: [DeviceID] = []
            for number in 0..<count {
                let unit = world.unit("\(number)", in: property)
                doors.append(world.device("Door \(number)", in: .unit(unit)))
                world.assign(tenant, .tenant, .unit(unit))
            }
            (directory, changes) = (world.directory, world.changes)
            let built = directory
            self.doors = try doors.map { try #require(built.device($0)) }
        }
    }

    @Test(
        "the associations that carry the right are determined once for each device, for any number of devices",
        arguments: [1, 50, 100, 200])
    func carriers(count: Int) throws {
        let tower = try Tower(doors: count)
        let subject = tower.directory.subject(of: .user(tower.tenant))
        var (asked, found): ([DeviceID], Int) = ([], 0)
        let right = try GrantedRight(on: tower.doors) { device in
            asked.append(device.id)
            let carriers = SecurityService.carriers(
                of: [.grantAccess, .unlock], by: subject, on: device.id, in: tower.directory)
            found += carriers.count
            return carriers
        }
        #expect(asked == tower.doors.map(\.id))
        // Each device depends on one association only: the associations of the tenant's other units are not added.
        #expect(found == count)
        #expect(right?.carriersByDevice?.values.allSatisfy { $0.count == 1 } == true)
    }

    @Test("a grant for many devices makes one commit with two records, like a grant for one device")
    func transaction() async throws {
        var calls: [[String]] = []
        for count in [1, 100, 200] {
            let tower = try Tower(doors: count)
            let inner = InMemoryStore()
            _ = try await inner.commit(StoreTransaction(changes: tower.changes))
            let (clock, store) = (VirtualClock(), CountingStore(inner))
            let control = GatewayControl(
                store: store, adapters: [ScriptedAdapter(clock: clock)], clock: clock,
                random: RandomSource(SeededGenerator(seed: 12)), limits: GatewayControl.Limits())
            try await control.start()
            _ = store.takeCalls()
            let now = clock.now()
            let access = try await control.guestAccesses.grant(
                Caller(userID: tower.tenant, origin: RequestOrigin(requestID: "test")),
                NewGuestAccess(
                    guestUserID: .some(tower.guest), label: nil, propertyID: nil, unitID: nil, deviceIDs: tower.doors.map(\.id),
                    operations: [.unlock], window: GuestWindow(validFrom: now, validUntil: now.advanced(by: .seconds(3600)))),
                repeatable: nil
            ).value
            #expect(access.deviceIDs.count == count)
            calls.append(store.takeCalls())
        }
        #expect(calls[0].count == 1, "\(calls[0])")
        #expect(calls[1] == calls[0] && calls[2] == calls[0])
    }
}
