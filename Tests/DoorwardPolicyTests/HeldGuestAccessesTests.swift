import DoorwardDomain
import DoorwardTesting
import Testing

@testable import DoorwardPolicy

@Suite struct HeldGuestAccessesTests {
    private static let at = Timestamp(milliseconds: 1_000_000)

    private static func node(
        _ number: UInt64, on devices: [UInt64], until: Int64 = 2_000_000, revokedAt: Int64? = nil, createdAt: Int64 = 0,
        role: Role = .owner, operations: [LockOperation] = []
    ) -> GuestAccessNode {
        GuestAccessNode(
            GuestAccess(
                id: GuestAccessID(high: 0, low: number), guestUserID: nil, propertyID: PropertyID(high: 0, low: 1),
                deviceIDs: devices.map { DeviceID(high: 0, low: $0) }, operations: operations,
                window: GuestWindow(validFrom: Timestamp(milliseconds: 0), validUntil: Timestamp(milliseconds: until)),
                grantedByUserID: UserID(high: 0, low: 2), grantedUnderAssociationID: AssociationID(high: 0, low: 3),
                grantedUnderRole: role, revokedAt: revokedAt.map(Timestamp.init(milliseconds:)),
                createdAt: Timestamp(milliseconds: createdAt)),
            hours: nil)
    }

    @Test(
        "Finds the guest accesses that list a device, smallest id first, after random insertions and removals",
        arguments: 0..<12 as Range<UInt64>)
    func model(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var held = HeldGuestAccesses()
        var model: [UInt64: [UInt64]] = [:]
        for _ in 0..<150 {
            let number = UInt64.random(in: 0..<20, using: &generator)
            held.remove(GuestAccessID(high: 0, low: number))
            model[number] = nil
            if Int.random(in: 0..<3, using: &generator) > 0 {
                let devices = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                    UInt64.random(in: 0..<8, using: &generator)
                }
                held.insert(Self.node(number, on: devices))
                model[number] = devices
            }
            for device in 0..<9 as Range<UInt64> {
                let expected = model.filter { $0.value.contains(device) }.keys.sorted()
                #expect(held.indices(on: DeviceID(high: 0, low: device)).map { held.entries[$0].node.id.low } == expected)
                #expect(expected.isEmpty || held.deviceFilter.mayContain(DeviceID(high: 0, low: device)))
            }
            #expect(held.ids.map(\.low) == model.keys.sorted(), "including guest accesses that list no device")
        }
    }

    @Test("A guest access that lists a device twice is found once")
    func twice() {
        var held = HeldGuestAccesses()
        held.insert(Self.node(1, on: [5, 5, 6]))
        #expect(held.entries.count == 2)
        #expect(held.indices(on: DeviceID(high: 0, low: 5)).count == 1)
    }

    @Test("The filter is empty without guest accesses, and again after the last is removed")
    func filter() {
        var held = HeldGuestAccesses()
        let device = DeviceID(high: 0, low: 5)
        #expect(!held.deviceFilter.mayContain(device))
        held.insert(Self.node(1, on: [5]))
        #expect(held.deviceFilter.mayContain(device))
        #expect(!held.deviceFilter.mayContain(DeviceID(high: 0, low: 6)))
        held.remove(GuestAccessID(high: 0, low: 1))
        #expect(!held.deviceFilter.mayContain(device))
    }

    @Test(
        "A guest access makes its device visible from its creation until 30 days after its end or earlier revocation",
        arguments: [
            (2_000_000, nil, 0, -1, false), (2_000_000, nil, 0, 0, true), (2_000_000, nil, 0, 2_593_999_999, true),
            (2_000_000, nil, 0, 2_594_000_000, false), (2_000_000, 500_000, 0, 2_592_499_999, true),
            (2_000_000, 500_000, 0, 2_592_500_000, false), (2_000_000, 3_000_000, 0, 2_593_999_999, true),
            (2_000_000, 3_000_000, 0, 2_594_000_000, false), (0, nil, 3_000_000_000, 3_000_000_000, false),
        ] as [(Int64, Int64?, Int64, Int64, Bool)])
    func reach(until: Int64, revokedAt: Int64?, createdAt: Int64, instant: Int64, hasReach: Bool) {
        let node = Self.node(1, on: [1], until: until, revokedAt: revokedAt, createdAt: createdAt)
        let device = DeviceNode(
            LockDevice(
                id: DeviceID(high: 0, low: 1), name: "D", adapter: "simulator", propertyID: PropertyID(high: 0, low: 1),
                capabilities: .all, createdAt: Self.at, updatedAt: Self.at))
        #expect(node.makesVisible(device, at: .trusted(Timestamp(milliseconds: instant)), in: TenancyDirectory()) == hasReach)
    }

    @Test("A guest access ends with its association only if a tenant granted it", arguments: Role.allCases)
    func tenancy(role: Role) {
        let device = DeviceID(high: 0, low: 1)
        var directory = TenancyDirectory()
        #expect(Self.node(1, on: [1], role: role).hasLostGrantor(of: device, in: directory) == (role == .tenant))
        directory.apply(
            .putAssociation(
                UserRoleAssociation(
                    id: AssociationID(high: 0, low: 3), userID: UserID(high: 0, low: 2), entity: .unit(UnitID(high: 0, low: 1)),
                    role: role, createdAt: Self.at, updatedAt: Self.at)))
        #expect(!Self.node(1, on: [1], role: role).hasLostGrantor(of: device, in: directory))
    }

    @Test("An operation set contains exactly the operations that it was created with, in any order and with repeats")
    func operations() {
        for bits in 0..<256 {
            let operations = LockOperation.allCases.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element)
            let set = OperationSet(operations + operations.reversed())
            #expect(LockOperation.allCases.filter { set.contains($0) } == operations)
            #expect(set == OperationSet(operations))
        }
    }
}
