import DoorwardDomain
import DoorwardPolicy
import Testing

/// What roles give and what they do not, in words, one line each.
@Suite struct AssociationDecisionTableTests {
    @Test(
        "A role reaches down from where it is held",
        arguments: [
            DecisionCase("An owner unlocks a flat", [.role(.owner)], .unlock, is: .allowed(.held(.owner))),
            DecisionCase("An owner unlocks the front door", [.role(.owner)], .unlock, .front, is: .allowed(.held(.owner))),
            DecisionCase("An owner unlocks the cellar", [.role(.owner)], .unlock, .cellar, is: .allowed(.held(.owner))),
            DecisionCase("An admin unlatches a flat", [.role(.portfolioAdmin)], .unlatch, is: .allowed(.held(.portfolioAdmin))),
            DecisionCase(
                "A manager unlocks the flat next door", [.role(.propertyManager)], .unlock, .other,
                is: .allowed(.held(.propertyManager))),
            DecisionCase(
                "Maintenance unlocks the cellar", [.role(.maintenance)], .unlock, .cellar,
                is: .allowed(.held(.maintenance))),
            DecisionCase(
                "An auditor of the property looks at a flat's door", [.role(.auditor)], .viewStatus,
                is: .allowed(.held(.auditor))),
            DecisionCase(
                "An auditor of the portfolio does too", [.role(.auditor, on: .portfolio)], .viewStatus,
                is: .allowed(.held(.auditor))),
            DecisionCase("A tenant unlocks their flat", [.role(.tenant)], .unlock, is: .allowed(.held(.tenant))),
            DecisionCase(
                "A tenant unlocks the front door that their unit shares", [.role(.tenant)], .unlock, .front,
                is: .allowed(.held(.tenant))),
            DecisionCase(
                "A tenant reads their own door's history", [.role(.tenant)], .viewAccessHistory,
                is: .allowed(.held(.tenant))),
            DecisionCase(
                "A tenant lets guests through the front door", [.role(.tenant)], .grantAccess, .front,
                is: .allowed(.held(.tenant))),
        ])
    func down(line: DecisionCase) { line.check() }

    @Test(
        "It reaches neither sideways nor up, and tells nothing of what lies there",
        arguments: [
            DecisionCase("Nobody's person unlocks nothing", [], .unlock, is: .hidden),
            DecisionCase("A tenant does not unlock next door", [.role(.tenant)], .unlock, .other, is: .hidden),
            DecisionCase("A tenant does not see next door either", [.role(.tenant)], .viewStatus, .other, is: .hidden),
            DecisionCase(
                "A tenant does not unlock a cellar that their unit does not share", [.role(.tenant)], .unlock, .cellar,
                is: .hidden),
            DecisionCase("What another holds gives one nothing", [.other(.owner, 1)], .unlock, is: .hidden),
            DecisionCase("A role that was taken away gives nothing", [.role(.owner), .removed(1)], .unlock, is: .hidden),
            DecisionCase(
                "An owner does not reach an unassigned device", [.role(.owner)], .viewStatus, .unassigned,
                is: .denied(.deviceUnassigned, reach: false)),
            DecisionCase(
                "A device that is not there is unknown to an owner", [.role(.owner)], .viewStatus, .unknown,
                is: .denied(.deviceUnknown, reach: false)),
            DecisionCase(
                "A door that moved to another unit is no longer the tenant's",
                [.role(.tenant), .hangs(.flat, on: \.otherUnit)], .unlock, is: .hidden),
            DecisionCase(
                "A front door that hangs on the flat next door is shared by nobody",
                [.role(.tenant), .hangs(.front, on: \.otherUnit)], .unlock, .front, is: .hidden),
            DecisionCase(
                "A front door that hangs on the tenant's own unit is theirs",
                [.role(.tenant), .hangs(.front, on: \.unit)], .viewAccessHistory, .front, is: .allowed(.held(.tenant))),
            DecisionCase(
                "Back on no unit it is shared again",
                [.role(.tenant), .hangs(.front, on: \.otherUnit), .hangsOnNoUnit(.front)], .unlock, .front,
                is: .allowed(.held(.tenant))),
        ])
    func sideways(line: DecisionCase) { line.check() }

    @Test(
        "Whoever has reach and not the right is told which role would do",
        arguments: [
            DecisionCase(
                "An auditor does not unlock a flat", [.role(.auditor)], .unlock,
                is: .denied(.roleInsufficient, by: .held(.auditor), missing: .role(.tenant))),
            DecisionCase(
                "An auditor does not unlock the cellar", [.role(.auditor)], .unlock, .cellar,
                is: .denied(.roleInsufficient, by: .held(.auditor), missing: .role(.tenant))),
            DecisionCase(
                "An auditor changes no settings", [.role(.auditor)], .changeSettings,
                is: .denied(.roleInsufficient, by: .held(.auditor), missing: .role(.propertyManager))),
            DecisionCase(
                "An auditor lets nobody in", [.role(.auditor)], .grantAccess,
                is: .denied(.roleInsufficient, by: .held(.auditor), missing: .role(.tenant))),
            DecisionCase(
                "Maintenance reads no history of a flat", [.role(.maintenance)], .viewAccessHistory,
                is: .denied(.roleInsufficient, by: .held(.maintenance), missing: .role(.tenant))),
            DecisionCase(
                "Maintenance reads no history of a common area, and a tenant would not either",
                [.role(.maintenance)], .viewAccessHistory, .front,
                is: .denied(.roleInsufficient, by: .held(.maintenance), missing: .role(.auditor))),
            DecisionCase(
                "Maintenance starts no lockdown", [.role(.maintenance)], .lockdown,
                is: .denied(.roleInsufficient, by: .held(.maintenance), missing: .role(.propertyManager))),
            DecisionCase(
                "A tenant changes no settings of their own door", [.role(.tenant)], .changeSettings,
                is: .denied(.roleInsufficient, by: .held(.tenant), missing: .role(.propertyManager))),
            DecisionCase(
                "A tenant starts no lockdown", [.role(.tenant)], .lockdown, .front,
                is: .denied(.roleInsufficient, by: .held(.tenant), missing: .role(.propertyManager))),
            DecisionCase(
                "A tenant reads no history of a common area", [.role(.tenant)], .viewAccessHistory, .front,
                is: .denied(.roleInsufficient, by: .held(.tenant), missing: .role(.auditor))),
            DecisionCase(
                "An owner's role held on a unit gives nothing", [.role(.owner, on: .unit)], .unlock,
                is: .denied(.roleInsufficient, by: .held(.owner), missing: .role(.tenant))),
            DecisionCase(
                "A tenancy held on the property gives nothing", [.role(.tenant, on: .property)], .unlock,
                is: .denied(.roleInsufficient, by: .held(.tenant), missing: .role(.tenant))),
            DecisionCase(
                "A manager of the portfolio is none", [.role(.propertyManager, on: .portfolio)], .viewStatus,
                is: .denied(.roleInsufficient, by: .held(.propertyManager), missing: .role(.tenant))),
        ])
    func insufficient(line: DecisionCase) { line.check() }

    @Test(
        "Of several rules that allow, the most specific is named; on one entity the higher role, then the smaller id",
        arguments: [
            DecisionCase(
                "Unit before property", [.role(.propertyManager, 1), .role(.tenant, 2)], is: .allowed(.held(.tenant, 2))),
            DecisionCase("Unit before portfolio", [.role(.owner, 1), .role(.tenant, 2)], is: .allowed(.held(.tenant, 2))),
            DecisionCase(
                "Property before portfolio, the lower role though it is",
                [.role(.owner, 1), .role(.maintenance, 2)], is: .allowed(.held(.maintenance, 2))),
            DecisionCase(
                "A shared unit before the property", [.role(.maintenance, 1), .role(.tenant, 2)], .unlock, .front,
                is: .allowed(.held(.tenant, 2))),
            DecisionCase("Portfolio before guest", [.guest(1), .role(.owner, 2)], is: .allowed(.held(.owner, 2))),
            DecisionCase("Guest before super admin", [.superAdmin, .guest(1)], .viewStatus, is: .allowed(.guest(1))),
            DecisionCase(
                "Portfolio before super admin", [.superAdmin, .role(.auditor, 1, on: .portfolio)], .viewStatus,
                is: .allowed(.held(.auditor, 1))),
            DecisionCase(
                "A more specific rule that does not allow is passed over",
                [.role(.auditor, 1), .role(.owner, 2)], .unlock, is: .allowed(.held(.owner, 2))),
            DecisionCase(
                "On the property a manager before maintenance, whatever the ids",
                [.role(.maintenance, 1), .role(.propertyManager, 2)], is: .allowed(.held(.propertyManager, 2))),
            DecisionCase(
                "On the property maintenance before an auditor", [.role(.auditor, 1), .role(.maintenance, 2)],
                .viewStatus, is: .allowed(.held(.maintenance, 2))),
            DecisionCase(
                "On the portfolio an owner before an admin", [.role(.portfolioAdmin, 1), .role(.owner, 2)],
                is: .allowed(.held(.owner, 2))),
            DecisionCase(
                "Of two tenancies the smaller id", [.role(.tenant, 7), .role(.tenant, 3)], is: .allowed(.held(.tenant, 3))),
            DecisionCase(
                "Of two tenancies of a common area the smaller id", [.role(.tenant, 7), .role(.tenant, 3)], .unlock,
                .front, is: .allowed(.held(.tenant, 3))),
            DecisionCase(
                "When the smaller is taken away, the other is named",
                [.role(.tenant, 7), .role(.tenant, 3), .removed(3)], is: .allowed(.held(.tenant, 7))),
        ])
    func named(line: DecisionCase) { line.check() }

    @Test(
        "Of several rules that do not allow, the smaller id is named: roles pass as many tests as one another",
        arguments: [
            DecisionCase(
                "Two auditors", [.role(.auditor, 4), .role(.auditor, 2)], .unlock,
                is: .denied(.roleInsufficient, by: .held(.auditor, 2), missing: .role(.tenant))),
            DecisionCase(
                "Portfolio and property", [.role(.auditor, 2, on: .portfolio), .role(.auditor, 3)], .unlock,
                is: .denied(.roleInsufficient, by: .held(.auditor, 2), missing: .role(.tenant))),
            DecisionCase(
                "Property and unit", [.role(.auditor, 2), .role(.tenant, 3)], .changeSettings,
                is: .denied(.roleInsufficient, by: .held(.auditor, 2), missing: .role(.propertyManager))),
            DecisionCase(
                "Any role before the super admin's", [.superAdmin, .role(.auditor, 9)], .unlock,
                is: .denied(.roleInsufficient, by: .held(.auditor, 9), missing: .role(.tenant))),
        ])
    func nearest(line: DecisionCase) { line.check() }

    @Test(
        "A super admin sees every device and moves none",
        arguments: [
            DecisionCase("They see a flat's door", [.superAdmin], .viewStatus, is: .allowed(.superAdmin)),
            DecisionCase("They see an unassigned device", [.superAdmin], .viewStatus, .unassigned, is: .allowed(.superAdmin)),
            DecisionCase(
                "They unlock no flat", [.superAdmin], .unlock,
                is: .denied(.roleInsufficient, by: .superAdmin, missing: .role(.tenant))),
            DecisionCase(
                "They unlock nothing unassigned", [.superAdmin], .unlock, .unassigned,
                is: .denied(.roleInsufficient, by: .superAdmin, missing: .role(.tenant))),
            DecisionCase(
                "They read no history", [.superAdmin], .viewAccessHistory, .front,
                is: .denied(.roleInsufficient, by: .superAdmin, missing: .role(.auditor))),
            DecisionCase(
                "They know that a device is unknown", [.superAdmin], .viewStatus, .unknown,
                is: .denied(.deviceUnknown, reach: true)),
            DecisionCase(
                "Disabled they see nothing, and still know that it is there", [.disabledSuperAdmin], .viewStatus,
                is: .denied(.userDisabled, reach: true)),
            DecisionCase(
                "Disabled they are told so of an unknown device too", [.disabledSuperAdmin], .viewStatus, .unknown,
                is: .denied(.userDisabled, reach: true)),
            DecisionCase(
                "As a tenant besides they unlock their flat", [.superAdmin, .role(.tenant)], is: .allowed(.held(.tenant))),
        ])
    func superAdmin(line: DecisionCase) { line.check() }

    @Test(
        "The farthest reason is named first",
        arguments: [
            DecisionCase(
                "Unknown before unknown device", [], .unlock, .unknown, by: .nobody,
                is: .denied(.userUnknown, reach: false)),
            DecisionCase(
                "Unknown before unassigned", [], .unlock, .unassigned, by: .nobody, is: .denied(.userUnknown, reach: false)),
            DecisionCase(
                "Disabled before unknown device", [.disabled], .unlock, .unknown, is: .denied(.userDisabled, reach: false)),
            DecisionCase(
                "Disabled before unassigned", [.disabled], .unlock, .unassigned, is: .denied(.userDisabled, reach: false)),
            DecisionCase("Disabled before no association", [.disabled], .unlock, is: .denied(.userDisabled, reach: false)),
            DecisionCase(
                "Disabled before a role that would do", [.role(.owner), .disabled], .unlock,
                is: .denied(.userDisabled, reach: true)),
            DecisionCase(
                "Disabled before a role that would not do", [.role(.auditor), .disabled], .unlock,
                is: .denied(.userDisabled, reach: true)),
            DecisionCase(
                "Disabled, a guest in their 30 days still has reach", [.guest(), .disabled], .unlock,
                at: .seconds(2_500_000), is: .denied(.userDisabled, reach: true)),
            DecisionCase(
                "Disabled, a guest after their 30 days has none", [.guest(), .disabled], .unlock, at: .seconds(2_600_000),
                is: .denied(.userDisabled, reach: false)),
            DecisionCase(
                "Unassigned before no association", [], .unlock, .unassigned,
                is: .denied(.deviceUnassigned, reach: false)),
        ])
    func farthest(line: DecisionCase) { line.check() }
}
