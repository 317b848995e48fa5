import DoorwardDomain
import DoorwardPolicy
import Testing

@Suite struct GuestDecisionTests {
    private static let millisecond = Duration.milliseconds(1)

    @Test("A guest may view the status and use the granted operations, on the listed devices within the window")
    func granted() {
        var house = House()
        let rule = house.admit(operations: [.unlock])
        #expect(house.decide(.unlock) == .allowed(rule, override: false))
        #expect(house.decide(.viewStatus) == .allowed(rule, override: false))
        let denial = Denial(.operationNotGranted, hasReach: true, rule: rule, missing: .init(operation: .lock))
        #expect(house.decide(.lock) == .denied(denial))
        #expect(house.decide(.unlock, on: house.frontDoor) == .denied(Denial(.noAssociation, hasReach: false)))
    }

    @Test(
        "An operation that guests cannot have is denied even if it is listed",
        arguments: [.changeSettings, .viewAccessHistory, .grantAccess, .lockdown] as [LockOperation])
    func notGrantable(operation: LockOperation) {
        var house = House()
        house.admit(operations: LockOperation.allCases)
        #expect(house.decide(operation).denial?.reason == .operationNotGranted)
    }

    @Test("A window includes its start and excludes its end")
    func window() {
        var house = House()
        let rule = house.admit()
        let opens = House.now.advanced(by: .seconds(-3600))
        let closes = House.now.advanced(by: .seconds(3600))
        let early = Denial(.guestWindowNotStarted, hasReach: true, rule: rule, opensAt: opens)
        let late = Denial(.guestWindowEnded, hasReach: true, rule: rule, closesAt: closes)
        #expect(house.decide(at: .seconds(-3600) - Self.millisecond) == .denied(early))
        #expect(house.decide(at: .seconds(-3600)).isAllowed)
        #expect(house.decide(at: .seconds(3600) - Self.millisecond).isAllowed)
        #expect(house.decide(at: .seconds(3600)) == .denied(late))
        #expect(house.decide(.viewStatus, at: .seconds(3600)) == .denied(late))
    }

    @Test("A device is visible to its guest from the creation of the guest access until 30 days after its end")
    func reach() {
        var house = House()
        house.admit()
        let end = Duration.seconds(3600) + House.day * 30
        #expect(house.decide(at: .seconds(-7200) - Self.millisecond) == .denied(Denial(.noAssociation, hasReach: false)))
        #expect(house.decide(at: .seconds(-7200)).denial?.hasReach == true)
        #expect(house.decide(at: end - Self.millisecond).denial?.reason == .guestWindowEnded)
        #expect(house.decide(at: end) == .denied(Denial(.noAssociation, hasReach: false)))
    }

    @Test("After a revocation the 30 days count from the revocation")
    func reachAfterRevocation() {
        var house = House()
        house.admit(until: House.day * 20, revokedAt: .seconds(-60))
        #expect(house.decide().denial?.reason == .guestAccessRevoked)
        let end = Duration.seconds(-60) + House.day * 30
        #expect(house.decide(at: end - Self.millisecond).denial?.hasReach == true)
        #expect(house.decide(at: end) == .denied(Denial(.noAssociation, hasReach: false)))
    }

    @Test("A device that moved to another portfolio is not visible to guests of the old portfolio")
    func reachAfterMoving() {
        for (portfolio, hasReach) in [(PortfolioID(high: 0, low: 1), true), (PortfolioID(high: 0, low: 77), false)] {
            var house = House()
            house.admit(revokedAt: .seconds(-60))
            let property = PropertyID(high: 0, low: 78)
            house.directory.apply(
                .putPortfolio(Portfolio(id: portfolio, name: "Q", createdAt: House.now, updatedAt: House.now)))
            house.directory.apply(
                .putProperty(
                    Property(id: property, name: "H", portfolioID: portfolio, createdAt: House.now, updatedAt: House.now)))
            house.directory.apply(
                .putDevice(
                    LockDevice(
                        id: house.flatDoor, name: "D", adapter: "simulator", portfolioID: portfolio, propertyID: property,
                        capabilities: .all, createdAt: House.now, updatedAt: House.now)))
            #expect(house.decide().denial?.hasReach == hasReach)
            #expect(house.decide(by: .guestLink(GuestAccessID(high: 1, low: 1))).denial?.hasReach == hasReach)
        }
    }

    @Test("A revoked guest access is denied even if the time of its revocation is in the future")
    func revokedIsRevoked() {
        var house = House()
        house.admit(revokedAt: .seconds(1800))
        #expect(house.decide().denial?.reason == .guestAccessRevoked)
    }

    @Test("A guest access from a tenant ends with the tenancy; one from a manager remains")
    func grantorLost() {
        for (role, reason) in [(Role.tenant, DenialReason.grantorLostAccess), (.propertyManager, nil)] {
            var house = House()
            house.assign(role, number: 5, to: house.other)
            let rule = house.admit(under: (5, role))
            #expect(house.decide() == .allowed(rule, override: false))
            house.directory.apply(.removeAssociation(AssociationID(high: 1, low: 5)))
            #expect(house.decide().denial?.reason == reason)
            #expect(house.decide(by: .guestLink(GuestAccessID(high: 1, low: 1))).denial?.reason == reason)
        }
    }

    @Test("Disabling the grantor has no effect: only the association counts")
    func grantorDisabled() {
        var house = House()
        house.assign(.tenant, number: 5, to: house.other)
        house.admit(under: (5, .tenant))
        house.put(user: house.other, isEnabled: false)
        #expect(house.decide().isAllowed)
    }

    @Test("Of several guest accesses that allow, the decision names the one with the smallest id")
    func smallerID() {
        var house = House()
        house.admit(number: 7)
        let smaller = house.admit(number: 3)
        #expect(house.decide().rule == smaller)
    }

    @Test("The denial reason is that of the rule that passed most checks")
    func nearest() {
        var house = House()
        house.assign(.auditor, number: 1)
        let revoked = house.admit(number: 2, revokedAt: .zero)
        #expect(house.decide().denial?.reason == .roleInsufficient)
        let notGranted = house.admit(number: 0, operations: [.lock])
        #expect(house.decide().denial?.rule == notGranted)
        let ended = house.admit(number: 4, until: .seconds(-1))
        #expect(house.decide().denial?.rule == ended)
        let waiting = house.admit(number: 5, from: .seconds(1))
        #expect(house.decide().denial?.rule == waiting)
        #expect(house.decide().denial?.opensAt == House.now.advanced(by: .seconds(1)))
        #expect(house.decide(.unlock, on: house.flatDoor).denial?.rule != revoked)
    }

    @Test("Of rules that passed equally many checks, the denial names the one that opens first, then the smallest id")
    func nearestTies() {
        var house = House()
        house.admit(number: 1, from: .seconds(20))
        let earlier = house.admit(number: 2, from: .seconds(10))
        house.admit(number: 3, from: .seconds(10))
        #expect(house.decide().denial?.rule == earlier)
    }

    @Test("A guest link allows what its guest access allows, for any holder")
    func link() {
        var house = House()
        let rule = house.admit(isLinkOnly: true)
        let link = Principal.guestLink(GuestAccessID(high: 1, low: 1))
        #expect(house.decide(by: link) == .allowed(rule, override: false))
        #expect(house.decide(.viewStatus, by: link) == .allowed(rule, override: false))
        #expect(house.decide(on: house.otherDoor, by: link) == .denied(Denial(.noAssociation, hasReach: false)))
        #expect(house.decide(on: DeviceID(high: 9, low: 9), by: link) == .denied(Denial(.deviceUnknown, hasReach: false)))
        #expect(house.decide(at: .seconds(3600), by: link).denial?.reason == .guestWindowEnded)
        #expect(house.decide(by: .guestLink(GuestAccessID(high: 9, low: 9))) == .denied(Denial(.userUnknown, hasReach: false)))
        #expect(house.decide() == .denied(Denial(.noAssociation, hasReach: false)))
    }

    @Test("The link of a guest who is a disabled user opens nothing")
    func disabledGuest() {
        var house = House()
        house.admit()
        house.put(user: house.person, isEnabled: false)
        let decision = house.decide(by: .guestLink(GuestAccessID(high: 1, low: 1)))
        #expect(decision == .denied(Denial(.userDisabled, hasReach: true)))
    }

    @Test("A missing capability and disabled remote operation apply to guests too")
    func forbids() {
        var house = House()
        let rule = house.admit(operations: [.unlock, .unlatch])
        house.put(device: house.flatDoor, unit: house.unit, isRemote: false, capabilities: [.lock, .unlock])
        #expect(house.decide(.unlatch).denial?.reason == .capabilityMissing)
        #expect(house.decide(.unlock) == .denied(Denial(.remoteOperationDisabled, hasReach: true, rule: rule)))
        #expect(house.decide(.unlock, by: .guestLink(GuestAccessID(high: 1, low: 1))).denial?.reason == .remoteOperationDisabled)
    }

    @Test("After a guest access was changed, only its new version counts")
    func replaced() {
        var house = House()
        house.admit(devices: [house.flatDoor, house.cellar])
        #expect(house.decide(on: house.cellar).isAllowed)
        house.admit(devices: [house.flatDoor])
        #expect(house.decide(on: house.cellar) == .denied(Denial(.noAssociation, hasReach: false)))
        #expect(house.decide().isAllowed)
        house.admit(devices: [house.flatDoor], guest: house.other)
        #expect(house.decide() == .denied(Denial(.noAssociation, hasReach: false)))
    }
}
