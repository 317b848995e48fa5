import DoorwardDomain
import DoorwardPolicy
import Testing

/// Decision cases for overrides, and for conditions that forbid an operation although a rule allows it.
@Suite struct ForbidDecisionTableTests {
    private static let noUnlatch: LockCapabilities = [.lock, .unlock]

    @Test(
        "A movement that the lock does not support is denied even if a rule allows it",
        arguments: [
            DecisionCase(
                "A tenant cannot unlatch a lock without a latch", [.role(.tenant), .flatDoor(noUnlatch)], .unlatch,
                is: .denied(.capabilityMissing, by: .held(.tenant), missing: .capability("UNLATCH"))),
            DecisionCase(
                "An owner cannot unlatch it", [.role(.owner), .flatDoor(noUnlatch)], .unlatch,
                is: .denied(.capabilityMissing, by: .held(.owner), missing: .capability("UNLATCH"))),
            DecisionCase(
                "A guest cannot unlatch it", [.guest(1, [.unlatch]), .flatDoor(noUnlatch)], .unlatch,
                is: .denied(.capabilityMissing, by: .guest(), missing: .capability("UNLATCH"))),
            DecisionCase(
                "A guest link cannot unlatch it",
                [.guest(1, [.unlatch], linkOnly: true), .flatDoor(noUnlatch)], .unlatch, by: .link(1),
                is: .denied(.capabilityMissing, by: .guest(), missing: .capability("UNLATCH"))),
            DecisionCase(
                "A sensor cannot be locked", [.role(.tenant), .flatDoor([.door])], .lock,
                is: .denied(.capabilityMissing, by: .held(.tenant), missing: .capability("LOCK"))),
            DecisionCase(
                "A sensor cannot be unlocked", [.role(.tenant), .flatDoor([.door])], .unlock,
                is: .denied(.capabilityMissing, by: .held(.tenant), missing: .capability("UNLOCK"))),
            DecisionCase(
                "The status of a sensor can be viewed",
                [.role(.tenant), .flatDoor([.door])], .viewStatus, is: .allowed(.held(.tenant))),
            DecisionCase(
                "Changing settings needs no capability", [.role(.owner), .flatDoor([])], .changeSettings,
                is: .allowed(.held(.owner))),
            DecisionCase(
                "The UNLATCH capability does not include UNLOCK", [.role(.tenant), .flatDoor([.unlatch])], .unlock,
                is: .denied(.capabilityMissing, by: .held(.tenant), missing: .capability("UNLOCK"))),
        ])
    func capability(line: DecisionCase) { line.check() }

    @Test(
        "If remote operation is disabled, no user can move the lock, and all other operations are allowed",
        arguments: [
            DecisionCase(
                "Locking is denied", [.role(.tenant), .flatDoor(isRemote: false)], .lock,
                is: .denied(.remoteOperationDisabled, by: .held(.tenant))),
            DecisionCase(
                "Unlocking is denied", [.role(.tenant), .flatDoor(isRemote: false)], .unlock,
                is: .denied(.remoteOperationDisabled, by: .held(.tenant))),
            DecisionCase(
                "Unlatching is denied", [.role(.owner), .flatDoor(isRemote: false)], .unlatch,
                is: .denied(.remoteOperationDisabled, by: .held(.owner))),
            DecisionCase(
                "An owner's override is denied", [.role(.owner), .flatDoor(isRemote: false)], .unlock,
                override: true, is: .denied(.remoteOperationDisabled, by: .held(.owner))),
            DecisionCase(
                "A guest is denied", [.guest(), .flatDoor(isRemote: false)], .unlock,
                is: .denied(.remoteOperationDisabled, by: .guest())),
            DecisionCase(
                "The status can be viewed",
                [.role(.tenant), .flatDoor(isRemote: false)], .viewStatus, is: .allowed(.held(.tenant))),
            DecisionCase(
                "The history can be read", [.role(.tenant), .flatDoor(isRemote: false)], .viewAccessHistory,
                is: .allowed(.held(.tenant))),
            DecisionCase(
                "Access can be granted",
                [.role(.tenant), .flatDoor(isRemote: false)], .grantAccess, is: .allowed(.held(.tenant))),
            DecisionCase(
                "The settings can be changed", [.role(.propertyManager), .flatDoor(isRemote: false)], .changeSettings,
                is: .allowed(.held(.propertyManager))),
            DecisionCase(
                "After remote operation is enabled again, the lock can be moved",
                [.role(.tenant), .flatDoor(isRemote: false), .flatDoor(isRemote: true)], .unlock, is: .allowed(.held(.tenant))),
        ])
    func remote(line: DecisionCase) { line.check() }

    @Test(
        "A forbidding condition is the reason only if a rule allows the operation; a missing capability comes before disabled remote operation",
        arguments: [
            DecisionCase(
                "Both conditions forbid", [.role(.tenant), .flatDoor(isRemote: false, noUnlatch)], .unlatch,
                is: .denied(.capabilityMissing, by: .held(.tenant), missing: .capability("UNLATCH"))),
            DecisionCase("A stranger learns of neither condition", [.flatDoor(isRemote: false, [])], .unlock, is: .hidden),
            DecisionCase(
                "For an auditor the reason is the role", [.role(.auditor), .flatDoor(isRemote: false, [])], .unlock,
                is: .denied(.roleInsufficient, by: .held(.auditor), missing: .role(.tenant))),
            DecisionCase(
                "For an early guest the reason is the window", [.guest(from: .seconds(5)), .flatDoor(isRemote: false, [])],
                .unlock, is: .denied(.guestWindowNotStarted, by: .guest(), opens: .seconds(5))),
            DecisionCase(
                "For a guest without the operation the reason is the operation", [.guest(), .flatDoor(noUnlatch)], .unlatch,
                is: .denied(.operationNotGranted, by: .guest(), missing: .operation(.unlatch))),
            DecisionCase(
                "Of two rules that allow, the denial names the more specific one",
                [.role(.owner, 1), .role(.tenant, 2), .flatDoor(isRemote: false)], .unlock,
                is: .denied(.remoteOperationDisabled, by: .held(.tenant, 2))),
            DecisionCase(
                "The reason that the user is disabled comes first", [.role(.tenant), .disabled, .flatDoor([])], .unlock,
                is: .denied(.userDisabled, reach: true)),
        ])
    func order(line: DecisionCase) { line.check() }

    @Test(
        "If there is nothing to override, an override does not change the decision, and is not recorded as one",
        arguments: [
            DecisionCase("An owner", [.role(.owner)], .unlock, override: true, is: .allowed(.held(.owner))),
            DecisionCase("An admin", [.role(.portfolioAdmin)], .unlatch, override: true, is: .allowed(.held(.portfolioAdmin))),
            DecisionCase("A tenant", [.role(.tenant)], .unlock, override: true, is: .allowed(.held(.tenant))),
            DecisionCase(
                "For an owner who is also a tenant the rule is the tenancy", [.role(.owner, 1), .role(.tenant, 2)], .unlock,
                override: true, is: .allowed(.held(.tenant, 2))),
            DecisionCase("A guest", [.guest()], .unlock, override: true, is: .allowed(.guest())),
            DecisionCase("A guest link", [.guest(linkOnly: true)], .unlock, by: .link(1), override: true, is: .allowed(.guest())),
            DecisionCase(
                "An override does not help a super admin", [.superAdmin], .unlock, override: true,
                is: .denied(.roleInsufficient, by: .superAdmin, missing: .role(.tenant))),
            DecisionCase(
                "An override does not help an auditor", [.role(.auditor)], .unlock, override: true,
                is: .denied(.roleInsufficient, by: .held(.auditor), missing: .role(.tenant))),
            DecisionCase("An override does not help a stranger", [], .unlock, override: true, is: .hidden),
            DecisionCase(
                "An override does not help a guest whose window has ended", [.guest(until: .zero)], .unlock, override: true,
                is: .denied(.guestWindowEnded, by: .guest(), closes: .zero)),
            DecisionCase(
                "An owner cannot override a missing capability", [.role(.owner), .flatDoor([])], .lock,
                override: true, is: .denied(.capabilityMissing, by: .held(.owner), missing: .capability("LOCK"))),
        ])
    func override(line: DecisionCase) { line.check() }
}
