import DoorwardDomain
import DoorwardPolicy
import Testing

/// Decision cases for roles: the operations that they allow, and the operations that they do not allow.
@Suite struct AssociationDecisionTableTests {
    @Test(
        "A role applies to everything below the entity on which it is held",
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
                "An auditor of the property views the status of a flat's door", [.role(.auditor)], .viewStatus,
                is: .allowed(.held(.auditor))),
            DecisionCase(
                "An auditor of the portfolio views it too", [.role(.auditor, on: .portfolio)], .viewStatus,
                is: .allowed(.held(.auditor))),
            DecisionCase("A tenant unlocks their flat", [.role(.tenant)], .unlock, is: .allowed(.held(.tenant))),
            DecisionCase(
                "A tenant unlocks the front door that their unit shares", [.role(.tenant)], .unlock, .front,
                is: .allowed(.held(.tenant))),
            DecisionCase(
                "A tenant reads their own door's history", [.role(.tenant)], .viewAccessHistory,
                is: .allowed(.held(.tenant))),
            DecisionCase(
                "A tenant grants access to the front door", [.role(.tenant)], .grantAccess, .front,
                is: .allowed(.held(.tenant))),
        ])
    func down(line: DecisionCase) { line.check() }

    @Test(
        "A role applies to nothing beside or above its entity, and makes nothing there visible",
        arguments: [
            DecisionCase("A user without roles cannot unlock", [], .unlock, is: .hidden),
            DecisionCase("A tenant cannot unlock the flat next door", [.role(.tenant)], .unlock, .other, is: .hidden),
            DecisionCase("A tenant cannot see the flat next door", [.role(.tenant)], .viewStatus, .other, is: .hidden),
            DecisionCase(
                "A tenant cannot unlock a cellar that their unit does not share", [.role(.tenant)], .unlock, .cellar,
                is: .hidden),
            DecisionCase("Another user's role does not count", [.other(.owner, 1)], .unlock, is: .hidden),
            DecisionCase("A removed role gives no right", [.role(.owner), .removed(1)], .unlock, is: .hidden),
            DecisionCase(
                "An owner cannot see an unassigned device", [.role(.owner)], .viewStatus, .unassigned,
                is: .denied(.deviceUnassigned, reach: false)),
            DecisionCase(
                "For an owner an unknown device is unknown", [.role(.owner)], .viewStatus, .unknown,
                is: .denied(.deviceUnknown, reach: false)),
            DecisionCase(
                "A door that moved to another unit is no longer the tenant's",
                [.role(.tenant), .attached(.flat, to: \.otherUnit)], .unlock, is: .hidden),
            DecisionCase(
                "A front door that belongs to the flat next door is not shared",
                [.role(.tenant), .attached(.front, to: \.otherUnit)], .unlock, .front, is: .hidden),
            DecisionCase(
                "A front door that belongs to the tenant's own unit is theirs",
                [.role(.tenant), .attached(.front, to: \.unit)], .viewAccessHistory, .front, is: .allowed(.held(.tenant))),
            DecisionCase(
                "A front door that belongs to no unit again is shared again",
                [.role(.tenant), .attached(.front, to: \.otherUnit), .attachedToNoUnit(.front)], .unlock, .front,
                is: .allowed(.held(.tenant))),
        ])
    func sideways(line: DecisionCase) { line.check() }

    @Test(
        "A denial on a visible device names the role that would have the right",
        arguments: [
            DecisionCase(
                "An auditor cannot unlock a flat", [.role(.auditor)], .unlock,
                is: .denied(.roleInsufficient, by: .held(.auditor), missing: .role(.tenant))),
            DecisionCase(
                "An auditor cannot unlock the cellar", [.role(.auditor)], .unlock, .cellar,
                is: .denied(.roleInsufficient, by: .held(.auditor), missing: .role(.tenant))),
            DecisionCase(
                "An auditor cannot change settings", [.role(.auditor)], .changeSettings,
                is: .denied(.roleInsufficient, by: .held(.auditor), missing: .role(.propertyManager))),
            DecisionCase(
                "An auditor cannot grant access", [.role(.auditor)], .grantAccess,
                is: .denied(.roleInsufficient, by: .held(.auditor), missing: .role(.tenant))),
            DecisionCase(
                "Maintenance cannot read the history of a flat", [.role(.maintenance)], .viewAccessHistory,
                is: .denied(.roleInsufficient, by: .held(.maintenance), missing: .role(.tenant))),
            DecisionCase(
                "Maintenance cannot read the history of a common area, nor can a tenant",
                [.role(.maintenance)], .viewAccessHistory, .front,
                is: .denied(.roleInsufficient, by: .held(.maintenance), missing: .role(.auditor))),
            DecisionCase(
                "Maintenance cannot start a lockdown", [.role(.maintenance)], .lockdown,
                is: .denied(.roleInsufficient, by: .held(.maintenance), missing: .role(.propertyManager))),
            DecisionCase(
                "A tenant cannot change settings of their own door", [.role(.tenant)], .changeSettings,
                is: .denied(.roleInsufficient, by: .held(.tenant), missing: .role(.propertyManager))),
            DecisionCase(
                "A tenant cannot start a lockdown", [.role(.tenant)], .lockdown, .front,
                is: .denied(.roleInsufficient, by: .held(.tenant), missing: .role(.propertyManager))),
            DecisionCase(
                "A tenant cannot read the history of a common area", [.role(.tenant)], .viewAccessHistory, .front,
                is: .denied(.roleInsufficient, by: .held(.tenant), missing: .role(.auditor))),
            DecisionCase(
                "An owner role held on a unit gives no right", [.role(.owner, on: .unit)], .unlock,
                is: .denied(.roleInsufficient, by: .held(.owner), missing: .role(.tenant))),
            DecisionCase(
                "A tenant role held on the property gives no right", [.role(.tenant, on: .property)], .unlock,
                is: .denied(.roleInsufficient, by: .held(.tenant), missing: .role(.tenant))),
            DecisionCase(
                "A property manager role held on the portfolio gives no right",
                [.role(.propertyManager, on: .portfolio)], .viewStatus,
                is: .denied(.roleInsufficient, by: .held(.propertyManager), missing: .role(.tenant))),
        ])
    func insufficient(line: DecisionCase) { line.check() }

    @Test(
        "Of several rules that allow, the decision names the most specific; on one entity the higher role, then the smaller id",
        arguments: [
            DecisionCase(
                "Unit before property", [.role(.propertyManager, 1), .role(.tenant, 2)], is: .allowed(.held(.tenant, 2))),
            DecisionCase("Unit before portfolio", [.role(.owner, 1), .role(.tenant, 2)], is: .allowed(.held(.tenant, 2))),
            DecisionCase(
                "Property before portfolio, even if its role is lower",
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
                "A more specific rule that does not allow is skipped",
                [.role(.auditor, 1), .role(.owner, 2)], .unlock, is: .allowed(.held(.owner, 2))),
            DecisionCase(
                "On the property a manager before maintenance, whatever their ids are",
                [.role(.maintenance, 1), .role(.propertyManager, 2)], is: .allowed(.held(.propertyManager, 2))),
            DecisionCase(
                "On the property maintenance before an auditor", [.role(.auditor, 1), .role(.maintenance, 2)],
                .viewStatus, is: .allowed(.held(.maintenance, 2))),
            DecisionCase(
                "On the portfolio an owner before an admin", [.role(.portfolioAdmin, 1), .role(.owner, 2)],
                is: .allowed(.held(.owner, 2))),
            DecisionCase(
                "Of two tenancies the one with the smaller id",
                [.role(.tenant, 7), .role(.tenant, 3)], is: .allowed(.held(.tenant, 3))),
            DecisionCase(
                "Of two tenancies that share a common area the one with the smaller id",
                [.role(.tenant, 7), .role(.tenant, 3)], .unlock,
                .front, is: .allowed(.held(.tenant, 3))),
            DecisionCase(
                "If the association with the smaller id is removed, the other one",
                [.role(.tenant, 7), .role(.tenant, 3), .removed(3)], is: .allowed(.held(.tenant, 7))),
        ])
    func named(line: DecisionCase) { line.check() }

    @Test(
        "Of several roles that do not allow, the denial names the association with the smallest id",
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
                "Any role before the super admin rule", [.superAdmin, .role(.auditor, 9)], .unlock,
                is: .denied(.roleInsufficient, by: .held(.auditor, 9), missing: .role(.tenant))),
        ])
    func nearest(line: DecisionCase) { line.check() }

    @Test(
        "A super admin sees every device and operates none",
        arguments: [
            DecisionCase(
                "A super admin views the status of a flat's door", [.superAdmin], .viewStatus, is: .allowed(.superAdmin)),
            DecisionCase(
                "A super admin views the status of an unassigned device",
                [.superAdmin], .viewStatus, .unassigned, is: .allowed(.superAdmin)),
            DecisionCase(
                "A super admin cannot unlock a flat", [.superAdmin], .unlock,
                is: .denied(.roleInsufficient, by: .superAdmin, missing: .role(.tenant))),
            DecisionCase(
                "A super admin cannot unlock an unassigned device", [.superAdmin], .unlock, .unassigned,
                is: .denied(.roleInsufficient, by: .superAdmin, missing: .role(.tenant))),
            DecisionCase(
                "A super admin cannot read history", [.superAdmin], .viewAccessHistory, .front,
                is: .denied(.roleInsufficient, by: .superAdmin, missing: .role(.auditor))),
            DecisionCase(
                "A super admin learns that a device is unknown", [.superAdmin], .viewStatus, .unknown,
                is: .denied(.deviceUnknown, reach: true)),
            DecisionCase(
                "A disabled super admin is denied, with the device visible", [.disabledSuperAdmin], .viewStatus,
                is: .denied(.userDisabled, reach: true)),
            DecisionCase(
                "A disabled super admin is denied as disabled for an unknown device too",
                [.disabledSuperAdmin], .viewStatus, .unknown,
                is: .denied(.userDisabled, reach: true)),
            DecisionCase(
                "A super admin who is also a tenant unlocks their flat",
                [.superAdmin, .role(.tenant)], is: .allowed(.held(.tenant))),
        ])
    func superAdmin(line: DecisionCase) { line.check() }

    @Test(
        "Of several reasons the denial names the one that is checked first",
        arguments: [
            DecisionCase(
                "Unknown user before unknown device", [], .unlock, .unknown, by: .nobody,
                is: .denied(.userUnknown, reach: false)),
            DecisionCase(
                "Unknown user before unassigned device",
                [], .unlock, .unassigned, by: .nobody, is: .denied(.userUnknown, reach: false)),
            DecisionCase(
                "Disabled user before unknown device", [.disabled], .unlock, .unknown, is: .denied(.userDisabled, reach: false)),
            DecisionCase(
                "Disabled user before unassigned device",
                [.disabled], .unlock, .unassigned, is: .denied(.userDisabled, reach: false)),
            DecisionCase("Disabled user before no association", [.disabled], .unlock, is: .denied(.userDisabled, reach: false)),
            DecisionCase(
                "Disabled user before a role that would allow", [.role(.owner), .disabled], .unlock,
                is: .denied(.userDisabled, reach: true)),
            DecisionCase(
                "Disabled user before a role that would not allow", [.role(.auditor), .disabled], .unlock,
                is: .denied(.userDisabled, reach: true)),
            DecisionCase(
                "A disabled guest still sees the device within 30 days after the end", [.guest(), .disabled], .unlock,
                at: .seconds(2_500_000), is: .denied(.userDisabled, reach: true)),
            DecisionCase(
                "A disabled guest no longer sees the device after these 30 days",
                [.guest(), .disabled], .unlock, at: .seconds(2_600_000),
                is: .denied(.userDisabled, reach: false)),
            DecisionCase(
                "Unassigned device before no association", [], .unlock, .unassigned,
                is: .denied(.deviceUnassigned, reach: false)),
        ])
    func farthest(line: DecisionCase) { line.check() }
}
