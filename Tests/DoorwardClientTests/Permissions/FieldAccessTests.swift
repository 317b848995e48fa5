import Testing

@testable import DoorwardClient

@Suite struct FieldAccessTests {
    private var whole: Doorward.LockDevice {
        get throws { try noun(NounTests.documents[0].1.replacing("DEITY", with: "OWNER")) }
    }

    private static let levels: [Doorward.ViewLevel] = [.publicLevel, .resident, .operations, .management, .owner]

    /// Each level sees the fields of those below it, and the owner sees all that the API has.
    @Test func eachLevelIncludesTheLowerOnes() throws {
        func check<Noun: LeveledNoun>(_ type: Noun.Type, _ text: String) throws {
            var previous: Set<String> = []
            for level in Self.levels {
                let fields = Doorward.FieldAccess.fields(of: type, at: level)
                #expect(previous.isSubset(of: fields))
                previous = fields
            }
            guard case .object(let members) = try value(text) else { return }
            #expect(Set(members.keys).subtracting(["viewLevel"]) == previous.filter { !$0.contains(".") }, "\(type)")
        }
        try check(Doorward.LockDevice.self, NounTests.documents[0].1)
        try check(Doorward.Portfolio.self, NounTests.documents[1].1)
        try check(Doorward.Property.self, NounTests.documents[2].1)
        try check(Doorward.Unit.self, NounTests.documents[3].1)
    }

    /// Field × level: what a level sees is what remains of the object.
    @Test func aProjectionHasExactlyTheFieldsOfItsLevel() throws {
        for level in Self.levels {
            guard case .object(let members) = try json(of: whole.projected(to: level)) else { return }
            let expected = Doorward.FieldAccess.fields(of: Doorward.LockDevice.self, at: level)
            #expect(Set(members.keys) == expected.union(["viewLevel"]), "\(level)")
            #expect(members["viewLevel"] == .string(level.rawValue))
        }
    }

    @Test func aProjectionNeverShowsMore() throws {
        let resident = try whole.projected(to: .resident)
        #expect(try resident.projected(to: .owner) == resident)
        #expect(try resident.projected(to: .publicLevel).batteryLevel == nil)
        #expect(resident.address == nil && resident.batteryLevel == 7)
    }

    @Test func membersOfAnObjectCanBeVisibleAlone() throws {
        let property: Doorward.Property = try noun(NounTests.documents[2].1)
        let seen = try property.projected(to: .publicLevel)
        #expect(seen.lockdown == Doorward.Property.Lockdown(active: true))
        #expect(try property.projected(to: .management).lockdown == property.lockdown)
        #expect(seen.address == property.address && seen.managerUserIds == nil)
    }

    @Test func manyAreProjectedAtOnce() throws {
        let devices = [try whole, try whole].projected(to: .publicLevel)
        #expect(devices.count == 2)
        #expect(devices.allSatisfy { $0.unitId == nil && $0.name == "Door" })
    }

    @Test @MainActor func aFieldIsAnsweredByTheLevelOfTheObject() throws {
        let service = PermissionService(source: StubSource(), clock: SystemLiveClock())
        var device = try whole
        for level in Self.levels + [.own, Doorward.ViewLevel(rawValue: "DEITY")] {
            device.viewLevel = level
            #expect(service.canViewField("name", of: device))
            #expect(service.canViewField("batteryLevel", of: device) == (level >= .resident), "\(level)")
            #expect(service.canViewField("faults", of: device) == (level >= .operations), "\(level)")
            #expect(service.canViewField("address", of: device) == (level >= .management), "\(level)")
            #expect(!service.canViewField("nonsense", of: device))
        }
        device.viewLevel = nil
        #expect(!service.canViewField("name", of: device))
        #expect(!service.canViewField("name", of: nil as Doorward.LockDevice?))
    }
}
