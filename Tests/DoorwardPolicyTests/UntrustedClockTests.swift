import DoorwardDomain
import DoorwardPolicy
import Testing

/// Decisions while the gateway's clock is not trusted.
@Suite struct UntrustedClockTests {
    private func decide(
        _ house: House, _ operation: LockOperation = .unlock, at time: DecisionTime, by principal: Principal? = nil,
        override: Bool = false
    ) -> Decision {
        SecurityService.decide(
            principal ?? .user(house.person), operation, on: house.flatDoor, at: time, override: override, in: house.directory)
    }

    private func untrusted(_ offset: Duration = .zero, latest: Duration? = nil) -> DecisionTime {
        DecisionTime(House.now.advanced(by: offset), isTrusted: false, latest: latest.map { House.now.advanced(by: $0) })
    }

    @Test("A guest access is denied clock_untrusted with its rule, for a user and for a link", arguments: LockOperation.allCases)
    func guestIsDenied(operation: LockOperation) throws {
        let house = House([.guest(1)])
        let decision = decide(house, operation, at: untrusted())
        guard decide(house, operation, at: .trusted(House.now)).isAllowed else {
            #expect(decision.denial?.reason == .operationNotGranted)
            return
        }
        let denial = try #require(decision.denial)
        #expect(
            denial.reason == .clockUntrusted && denial.hasReach && denial.rule == .guestAccess(GuestAccessID(high: 1, low: 1)))
        #expect(denial.opensAt == nil && denial.closesAt == nil && denial.missing == nil)
        let link = decide(house, operation, at: untrusted(), by: .guestLink(GuestAccessID(high: 1, low: 1)))
        #expect(link == decision)
    }

    @Test(
        "Every standing role keeps exactly its operations", arguments: Role.allCases.filter { $0 != .guest && $0 != .superAdmin })
    func rolesWorkOn(role: Role) {
        let house = House([.role(role)])
        for operation in LockOperation.allCases {
            #expect(decide(house, operation, at: untrusted()) == decide(house, operation, at: .trusted(House.now)))
        }
    }

    @Test("A role and a guest access together: the role still allows, whatever the clock")
    func roleBesideGuestAccess() {
        let house = House([.guest(1), .role(.tenant, 2)])
        #expect(decide(house, at: untrusted()).rule == .association(AssociationID(high: 1, low: 2), .tenant))
    }

    @Test("The window is tested before the clock, and the clock before the subscription")
    func orderOfReasons() {
        let house = House([.guest(1)])
        #expect(decide(house, at: untrusted(House.hour * 2)).denial?.reason == .guestWindowEnded)
        #expect(decide(house, at: untrusted(House.hour * -2)).denial?.reason == .guestWindowNotStarted)
        #expect(decide(house, at: untrusted()).denial?.reason == .clockUntrusted)
    }

    @Test("A clock that shows a time before the creation of the access does not hide the reason")
    func beforeCreation() {
        var house = House()
        _ = house.admit(from: House.day * -3, until: House.day, createdAt: .zero)
        #expect(decide(house, at: untrusted(House.hour * -1)).denial?.reason == .clockUntrusted)
        #expect(decide(house, at: .trusted(House.now.advanced(by: House.hour * -1))).denial?.hasReach == false)
        let visible = SecurityService.visibleDeviceIDs(for: house.subject, at: untrusted(), in: house.directory)
        #expect(visible.isEmpty)
        #expect(
            SecurityService.reaches(house.subject, device: house.flatDoor, at: untrusted(House.day * -9), in: house.directory))
    }

    @Test("A clock that was set back does not make the devices of an access visible again that ended 30 days ago")
    func visibilityDoesNotReturn() {
        let house = House([.guest(1)])
        let back = untrusted(latest: House.day * 40)
        #expect(decide(house, at: back) == .denied(Denial(.noAssociation, hasReach: false)))
        #expect(!SecurityService.reaches(house.subject, device: house.flatDoor, at: back, in: house.directory))
        #expect(SecurityService.fieldLevel(of: house.subject, for: .device(house.flatDoor), at: back, in: house.directory) == nil)
    }
}
