import DoorwardDomain
import DoorwardPolicy
import Testing

/// Decisions under lockdown, and those of guests whose portfolio's subscription does not include guest accesses.
@Suite struct LockdownDecisionTests {
    @Test(
        "Under lockdown a lock can be locked, and not opened",
        arguments: [
            DecisionCase(
                "A tenant cannot unlock", [.role(.tenant), .lockdown], is: .denied(.lockdownActive, by: .held(.tenant))),
            DecisionCase(
                "A tenant cannot unlatch", [.role(.tenant), .lockdown], .unlatch,
                is: .denied(.lockdownActive, by: .held(.tenant))),
            DecisionCase("A tenant can lock", [.role(.tenant), .lockdown], .lock, is: .allowed(.held(.tenant))),
            DecisionCase(
                "A tenant cannot unlock a common area", [.role(.tenant), .lockdown], .unlock, .front,
                is: .denied(.lockdownActive, by: .held(.tenant))),
            DecisionCase("A guest cannot unlock", [.guest(), .lockdown], is: .denied(.lockdownActive, by: .guest())),
            DecisionCase("A guest can lock", [.guest(), .lockdown], .lock, is: .allowed(.guest())),
            DecisionCase(
                "A guest link cannot unlock", [.guest(linkOnly: true), .lockdown], by: .link(1),
                is: .denied(.lockdownActive, by: .guest())),
            DecisionCase(
                "An owner without an override cannot unlock", [.role(.owner), .lockdown],
                is: .denied(.lockdownActive, by: .held(.owner))),
            DecisionCase(
                "A manager, who can start a lockdown, cannot unlock", [.role(.propertyManager), .lockdown],
                is: .denied(.lockdownActive, by: .held(.propertyManager))),
            DecisionCase(
                "The settings can be changed", [.role(.propertyManager), .lockdown], .changeSettings,
                is: .allowed(.held(.propertyManager))),
            DecisionCase(
                "Guests can be granted access", [.role(.tenant), .lockdown], .grantAccess, is: .allowed(.held(.tenant))),
            DecisionCase("A stranger learns nothing of it", [.lockdown], is: .hidden),
            DecisionCase(
                "For an auditor the reason is the role", [.role(.auditor), .lockdown],
                is: .denied(.roleInsufficient, by: .held(.auditor), missing: .role(.tenant))),
            DecisionCase(
                "For an early guest the reason is the window", [.guest(from: .seconds(5)), .lockdown],
                is: .denied(.guestWindowNotStarted, by: .guest(), opens: .seconds(5))),
            DecisionCase(
                "A missing capability is reported first", [.role(.tenant), .flatDoor(isRemote: false, []), .lockdown],
                is: .denied(.capabilityMissing, by: .held(.tenant), missing: .capability("UNLOCK"))),
            DecisionCase(
                "Disabled remote operation is reported before it", [.role(.tenant), .flatDoor(isRemote: false), .lockdown],
                is: .denied(.remoteOperationDisabled, by: .held(.tenant))),
            DecisionCase(
                "After its end the lock can be opened", [.role(.tenant), .lockdown, .lifted], is: .allowed(.held(.tenant))),
            DecisionCase(
                "A device that is attached during it is under it", [.role(.tenant), .lockdown, .attached(.cellar, to: \.unit)],
                .unlock, .cellar, is: .denied(.lockdownActive, by: .held(.tenant))),
        ])
    func forbids(line: DecisionCase) { line.check() }

    @Test(
        "An owner and a portfolio admin can override a lockdown, and the rule is theirs",
        arguments: [
            DecisionCase("An owner", [.role(.owner), .lockdown], override: true, is: .overridden(.held(.owner))),
            DecisionCase(
                "A portfolio admin", [.role(.portfolioAdmin), .lockdown], .unlatch, override: true,
                is: .overridden(.held(.portfolioAdmin))),
            DecisionCase(
                "For an owner who is also a tenant the rule is the ownership", [.role(.tenant, 1), .role(.owner, 2), .lockdown],
                override: true, is: .overridden(.held(.owner, 2))),
            DecisionCase(
                "Of several roles the rule is the highest, then the one with the smallest id",
                [.role(.portfolioAdmin, 1), .role(.owner, 3), .role(.owner, 2), .lockdown], override: true,
                is: .overridden(.held(.owner, 2))),
            DecisionCase(
                "To lock, nothing is overridden", [.role(.owner), .lockdown], .lock, override: true, is: .allowed(.held(.owner))),
            DecisionCase(
                "A manager cannot", [.role(.propertyManager), .lockdown], override: true,
                is: .denied(.lockdownActive, by: .held(.propertyManager))),
            DecisionCase(
                "A tenant cannot", [.role(.tenant), .lockdown], override: true, is: .denied(.lockdownActive, by: .held(.tenant))),
            DecisionCase("A guest cannot", [.guest(), .lockdown], override: true, is: .denied(.lockdownActive, by: .guest())),
            DecisionCase(
                "An owner of a property, which gives no right, cannot",
                [.role(.owner, 1, on: .property), .role(.tenant, 2), .lockdown], override: true,
                is: .denied(.lockdownActive, by: .held(.tenant, 2))),
            DecisionCase(
                "An auditor of the portfolio cannot", [.role(.auditor, 1, on: .portfolio), .role(.tenant, 2), .lockdown],
                override: true, is: .denied(.lockdownActive, by: .held(.tenant, 2))),
            DecisionCase(
                "A super admin cannot", [.superAdmin, .lockdown], override: true,
                is: .denied(.roleInsufficient, by: .superAdmin, missing: .role(.tenant))),
            DecisionCase(
                "A disabled owner cannot", [.role(.owner), .disabled, .lockdown], override: true,
                is: .denied(.userDisabled, reach: true)),
            DecisionCase(
                "Disabled remote operation cannot be overridden", [.role(.owner), .flatDoor(isRemote: false), .lockdown],
                override: true, is: .denied(.remoteOperationDisabled, by: .held(.owner))),
        ])
    func overrides(line: DecisionCase) { line.check() }

    @Test("A device is under the lockdown of its present property only")
    func moved() throws {
        var house = House([.role(.owner)])
        let other = PropertyID(high: 0, low: 50)
        house.directory.apply(
            .putProperty(
                Property(
                    id: other, name: "O", portfolioID: house.portfolio, lockdown: Lockdown(since: House.now, byUserID: nil),
                    createdAt: House.now, updatedAt: House.now)))
        var door = try #require(house.directory.device(house.flatDoor))
        #expect(house.decide().isAllowed)
        (door.propertyID, door.unitID) = (other, nil)
        house.directory.apply(.putDevice(door))
        #expect(house.decide().denial?.reason == .lockdownActive)
        #expect(house.decide(on: house.otherDoor).isAllowed)
        (door.propertyID, door.portfolioID) = (nil, nil)
        house.directory.apply(.putDevice(door))
        #expect(house.decide().denial?.reason == .deviceUnassigned)
        (door.propertyID, door.portfolioID) = (house.property, house.portfolio)
        house.directory.apply(.putDevice(door))
        #expect(house.decide().isAllowed)
    }

    @Test(
        "Guest accesses are denied while the subscription does not include them, and other rules are not",
        arguments: [
            DecisionCase(
                "Unlocking", [.guest(), .modules([.guestLinks])],
                is: .denied(.featureUnavailable, by: .guest(), missing: .module("guestAccess"))),
            DecisionCase(
                "Viewing the status", [.guest(), .modules([])], .viewStatus,
                is: .denied(.featureUnavailable, by: .guest(), missing: .module("guestAccess"))),
            DecisionCase(
                "By a link", [.guest(linkOnly: true), .modules([])], by: .link(1),
                is: .denied(.featureUnavailable, by: .guest(), missing: .module("guestAccess"))),
            DecisionCase(
                "The window is tested first", [.guest(until: .zero), .modules([])],
                is: .denied(.guestWindowEnded, by: .guest(), closes: .zero)),
            DecisionCase(
                "It comes nearer than a window that has not begun",
                [.guest(1, from: .seconds(5)), .guest(2), .modules([])],
                is: .denied(.featureUnavailable, by: .guest(2), missing: .module("guestAccess"))),
            DecisionCase(
                "It is reported before a lockdown, which only forbids what a rule allows", [.guest(), .modules([]), .lockdown],
                is: .denied(.featureUnavailable, by: .guest(), missing: .module("guestAccess"))),
            DecisionCase("A tenant", [.role(.tenant), .modules([])], is: .allowed(.held(.tenant))),
            DecisionCase(
                "A tenant who is also a guest", [.role(.tenant, 2), .guest(1), .modules([])], is: .allowed(.held(.tenant, 2))),
            DecisionCase(
                "Other modules do not matter", [.guest(), .modules([.guestAccess])], is: .allowed(.guest())),
            DecisionCase(
                "Switched on again", [.guest(), .modules([]), .modules([.guestAccess])], is: .allowed(.guest())),
        ])
    func guestAccess(line: DecisionCase) { line.check() }
}
