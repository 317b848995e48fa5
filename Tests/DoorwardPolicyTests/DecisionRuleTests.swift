import DoorwardDomain
import DoorwardPolicy
import Testing

@Suite struct DecisionRuleTests {
    @Test(
        "Each role allows the operations in its column of the matrix, and others are denied as role_insufficient",
        arguments: [
            (Role.owner, LockOperation.allCases), (.portfolioAdmin, LockOperation.allCases),
            (.propertyManager, LockOperation.allCases),
            (.maintenance, [.lock, .unlock, .unlatch, .viewStatus]), (.auditor, [.viewStatus, .viewAccessHistory]),
            (.tenant, [.lock, .unlock, .unlatch, .viewStatus, .viewAccessHistory, .grantAccess]),
        ])
    func columns(role: Role, operations: [LockOperation]) {
        var house = House()
        let rule = house.assign(role)
        for operation in LockOperation.allCases {
            let decision = house.decide(operation)
            if operations.contains(operation) {
                #expect(decision == .allowed(rule, override: false))
            } else {
                #expect(decision.denial?.reason == .roleInsufficient)
                #expect(decision.denial?.rule == rule)
                #expect(decision.denial?.hasReach == true)
            }
        }
    }

    @Test("A tenant operates a common area and grants access to it, but does not read its history")
    func commonArea() {
        var house = House()
        let rule = house.assign(.tenant)
        let allowed = LockOperation.allCases.filter { house.decide($0, on: house.frontDoor) == .allowed(rule, override: false) }
        #expect(allowed == [.lock, .unlock, .unlatch, .viewStatus, .grantAccess])
        #expect(house.decide(.viewAccessHistory, on: house.frontDoor).denial?.missing?.role == .auditor)
    }

    @Test("A tenant has no right to a neighbour's door or to a door that their unit does not share, and cannot see it")
    func strangers() {
        var house = House()
        house.assign(.tenant)
        for device in [house.otherDoor, house.cellar] {
            #expect(house.decide(.unlock, on: device) == .denied(Denial(.noAssociation, hasReach: false)))
        }
    }

    @Test("A common-area list that contains a device of a unit gives no right to that device")
    func falseCommonArea() {
        var house = House()
        house.put(device: house.frontDoor, unit: house.otherUnit)
        house.assign(.tenant)
        #expect(house.decide(.unlock, on: house.frontDoor) == .denied(Denial(.noAssociation, hasReach: false)))
        #expect(house.directory.unitsSharing(house.frontDoor) == [house.unit])
        house.put(device: house.frontDoor, unit: nil)
        #expect(house.decide(.unlock, on: house.frontDoor).isAllowed)
    }

    @Test("The decision names the most specific rule: unit, property, portfolio, guest, then super admin")
    func nearestRule() {
        var house = House()
        house.put(user: house.person, isSuperAdmin: true)
        #expect(house.decide(.viewStatus).rule == .superAdmin)
        let guest = house.admit()
        #expect(house.decide(.viewStatus).rule == guest)
        let owner = house.assign(.owner, number: 2)
        #expect(house.decide(.viewStatus).rule == owner)
        let manager = house.assign(.propertyManager, number: 3)
        #expect(house.decide(.viewStatus).rule == manager)
        let tenant = house.assign(.tenant, number: 4)
        #expect(house.decide(.viewStatus).rule == tenant)
        #expect(house.decide(.changeSettings).rule == manager)
    }

    @Test("On one entity the decision names the higher role, then the smaller id")
    func ties() {
        var house = House()
        house.assign(.auditor, number: 1)
        let maintenance = house.assign(.maintenance, number: 3)
        house.assign(.maintenance, number: 4)
        #expect(house.decide(.viewStatus).rule == maintenance)
        let first = house.assign(.propertyManager, number: 9)
        #expect(house.decide(.viewStatus).rule == first)
        let smaller = house.assign(.propertyManager, number: 8)
        #expect(house.decide(.viewStatus).rule == smaller)
    }

    @Test("A role on an entity type where it cannot be assigned gives no right", arguments: Role.allCases)
    func misplaced(role: Role) {
        for type in AssociatedEntityType.allCases where !type.assignableRoles.contains(role) {
            var house = House()
            let places: [AssociatedEntityType: AssociatedEntity] = [
                .portfolio: .portfolio(house.portfolio), .property: .property(house.property), .unit: .unit(house.unit),
            ]
            house.assign(role, on: places[type])
            for operation in LockOperation.allCases { #expect(house.decide(operation).denial?.reason == .roleInsufficient) }
        }
    }

    @Test("A super admin sees the status of every device, unassigned ones too, and operates none")
    func superAdmin() {
        var house = House()
        house.put(user: house.person, isSuperAdmin: true)
        for device in [house.flatDoor, house.frontDoor, house.cellar, house.unassigned] {
            for operation in LockOperation.allCases {
                let decision = house.decide(operation, on: device)
                if operation == .viewStatus {
                    #expect(decision == .allowed(.superAdmin, override: false))
                } else {
                    #expect(decision.denial?.reason == .roleInsufficient)
                    #expect(decision.denial?.rule == .superAdmin)
                    #expect(decision.denial?.hasReach == true)
                }
            }
        }
        let unknown = DeviceID(high: 9, low: 9)
        #expect(house.decide(.viewStatus, on: unknown) == .denied(Denial(.deviceUnknown, hasReach: true)))
    }

    @Test("An unknown or disabled user, and an unknown or unassigned device, is the denial's reason; the user is checked first")
    func farReasons() {
        var house = House()
        let nobody = UserID(high: 9, low: 9)
        #expect(house.decide(by: .user(nobody)) == .denied(Denial(.userUnknown, hasReach: false)))
        #expect(house.decide(on: DeviceID(high: 9, low: 9)) == .denied(Denial(.deviceUnknown, hasReach: false)))
        #expect(house.decide(on: house.unassigned) == .denied(Denial(.deviceUnassigned, hasReach: false)))
        #expect(house.decide() == .denied(Denial(.noAssociation, hasReach: false)))
        house.put(user: house.person, isEnabled: false)
        #expect(house.decide(on: DeviceID(high: 9, low: 9)) == .denied(Denial(.userDisabled, hasReach: false)))
        house.assign(.owner)
        #expect(house.decide() == .denied(Denial(.userDisabled, hasReach: true)))
    }

    @Test("A user of whom only an association exists is unknown")
    func holderWithoutUser() {
        var house = House()
        let nobody = UserID(high: 9, low: 9)
        house.assign(.owner, to: nobody)
        #expect(house.decide(by: .user(nobody)) == .denied(Denial(.userUnknown, hasReach: false)))
        #expect(house.directory.user(nobody) == nil)
    }

    @Test("Capabilities and remote operation matter only if a rule allows, and a missing capability comes first")
    func forbids() {
        var house = House()
        house.put(device: house.flatDoor, unit: house.unit, isRemote: false, capabilities: [.lock, .unlock])
        #expect(house.decide(.unlatch).denial?.reason == .noAssociation)
        let rule = house.assign(.tenant)
        let missing = Denial.Missing(capability: "UNLATCH")
        #expect(house.decide(.unlatch) == .denied(Denial(.capabilityMissing, hasReach: true, rule: rule, missing: missing)))
        for operation in [LockOperation.lock, .unlock] {
            #expect(house.decide(operation) == .denied(Denial(.remoteOperationDisabled, hasReach: true, rule: rule)))
        }
        #expect(house.decide(.viewStatus).isAllowed)
        #expect(house.decide(.grantAccess).isAllowed)
        #expect(house.decide(.changeSettings).denial?.reason == .roleInsufficient)
    }

    @Test("A denial names the lowest role that has the missing right")
    func missingRole() {
        var house = House()
        house.assign(.auditor)
        #expect(house.decide(.unlock).denial?.missing?.role == .tenant)
        #expect(house.decide(.changeSettings).denial?.missing?.role == .propertyManager)
        #expect(house.decide(.grantAccess).denial?.missing?.role == .tenant)
    }

    @Test("An override without anything to override changes nothing", arguments: LockOperation.allCases)
    func override(operation: LockOperation) {
        var house = House()
        house.assign(.owner)
        #expect(house.decide(operation, override: true) == house.decide(operation, override: false))
    }

    @Test("A removed right is gone in the new directory, and a copy of the old one still has it")
    func removal() {
        var house = House()
        house.assign(.tenant)
        let before = house
        house.directory.apply(.removeAssociation(AssociationID(high: 1, low: 1)))
        #expect(house.decide() == .denied(Denial(.noAssociation, hasReach: false)))
        #expect(before.decide().isAllowed)
    }
}
