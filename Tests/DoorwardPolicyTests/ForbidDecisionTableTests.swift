import DoorwardDomain
import DoorwardPolicy
import Testing

/// What forbids although a rule allows, and overrides.
@Suite struct ForbidDecisionTableTests {
    private static let noUnlatch: LockCapabilities = [.lock, .unlock]

    @Test(
        "A movement that the lock cannot make is denied to everybody whom a rule allows it",
        arguments: [
            DecisionCase(
                "A tenant unlatches a lock without a latch", [.role(.tenant), .flatDoor(noUnlatch)], .unlatch,
                is: .denied(.capabilityMissing, by: .held(.tenant), missing: .capability("UNLATCH"))),
            DecisionCase(
                "An owner does", [.role(.owner), .flatDoor(noUnlatch)], .unlatch,
                is: .denied(.capabilityMissing, by: .held(.owner), missing: .capability("UNLATCH"))),
            DecisionCase(
                "A guest does", [.guest(1, [.unlatch]), .flatDoor(noUnlatch)], .unlatch,
                is: .denied(.capabilityMissing, by: .guest(), missing: .capability("UNLATCH"))),
            DecisionCase(
                "A link does", [.guest(1, [.unlatch], linkOnly: true), .flatDoor(noUnlatch)], .unlatch, by: .link(1),
                is: .denied(.capabilityMissing, by: .guest(), missing: .capability("UNLATCH"))),
            DecisionCase(
                "A sensor that cannot lock", [.role(.tenant), .flatDoor([.door])], .lock,
                is: .denied(.capabilityMissing, by: .held(.tenant), missing: .capability("LOCK"))),
            DecisionCase(
                "A sensor that cannot unlock", [.role(.tenant), .flatDoor([.door])], .unlock,
                is: .denied(.capabilityMissing, by: .held(.tenant), missing: .capability("UNLOCK"))),
            DecisionCase(
                "A sensor can be looked at", [.role(.tenant), .flatDoor([.door])], .viewStatus, is: .allowed(.held(.tenant))),
            DecisionCase(
                "Settings need no capability of a decision", [.role(.owner), .flatDoor([])], .changeSettings,
                is: .allowed(.held(.owner))),
            DecisionCase(
                "UNLATCH alone is no UNLOCK", [.role(.tenant), .flatDoor([.unlatch])], .unlock,
                is: .denied(.capabilityMissing, by: .held(.tenant), missing: .capability("UNLOCK"))),
        ])
    func capability(line: DecisionCase) { line.check() }

    @Test(
        "A lock that is not to be moved remotely is moved by nobody, and all else goes on",
        arguments: [
            DecisionCase(
                "Not locked", [.role(.tenant), .flatDoor(isRemote: false)], .lock,
                is: .denied(.remoteOperationDisabled, by: .held(.tenant))),
            DecisionCase(
                "Not unlocked", [.role(.tenant), .flatDoor(isRemote: false)], .unlock,
                is: .denied(.remoteOperationDisabled, by: .held(.tenant))),
            DecisionCase(
                "Not unlatched", [.role(.owner), .flatDoor(isRemote: false)], .unlatch,
                is: .denied(.remoteOperationDisabled, by: .held(.owner))),
            DecisionCase(
                "Not by the owner with an override", [.role(.owner), .flatDoor(isRemote: false)], .unlock,
                override: true, is: .denied(.remoteOperationDisabled, by: .held(.owner))),
            DecisionCase(
                "Not by a guest", [.guest(), .flatDoor(isRemote: false)], .unlock,
                is: .denied(.remoteOperationDisabled, by: .guest())),
            DecisionCase("Looked at", [.role(.tenant), .flatDoor(isRemote: false)], .viewStatus, is: .allowed(.held(.tenant))),
            DecisionCase(
                "Its history read", [.role(.tenant), .flatDoor(isRemote: false)], .viewAccessHistory,
                is: .allowed(.held(.tenant))),
            DecisionCase(
                "Guests admitted", [.role(.tenant), .flatDoor(isRemote: false)], .grantAccess, is: .allowed(.held(.tenant))),
            DecisionCase(
                "Its settings changed", [.role(.propertyManager), .flatDoor(isRemote: false)], .changeSettings,
                is: .allowed(.held(.propertyManager))),
            DecisionCase(
                "Switched on again it is moved",
                [.role(.tenant), .flatDoor(isRemote: false), .flatDoor(isRemote: true)], .unlock, is: .allowed(.held(.tenant))),
        ])
    func remote(line: DecisionCase) { line.check() }

    @Test(
        "What forbids is told only where a rule allows, the capability before remote operation",
        arguments: [
            DecisionCase(
                "Both forbid", [.role(.tenant), .flatDoor(isRemote: false, noUnlatch)], .unlatch,
                is: .denied(.capabilityMissing, by: .held(.tenant), missing: .capability("UNLATCH"))),
            DecisionCase("A stranger learns of neither", [.flatDoor(isRemote: false, [])], .unlock, is: .hidden),
            DecisionCase(
                "An auditor is told of their role", [.role(.auditor), .flatDoor(isRemote: false, [])], .unlock,
                is: .denied(.roleInsufficient, by: .held(.auditor), missing: .role(.tenant))),
            DecisionCase(
                "A guest too early is told of the window", [.guest(from: .seconds(5)), .flatDoor(isRemote: false, [])],
                .unlock, is: .denied(.guestWindowNotStarted, by: .guest(), opens: .seconds(5))),
            DecisionCase(
                "A guest without the operation is told of that", [.guest(), .flatDoor(noUnlatch)], .unlatch,
                is: .denied(.operationNotGranted, by: .guest(), missing: .operation(.unlatch))),
            DecisionCase(
                "Of two rules that allow, the most specific is the one that is named as forbidden",
                [.role(.owner, 1), .role(.tenant, 2), .flatDoor(isRemote: false)], .unlock,
                is: .denied(.remoteOperationDisabled, by: .held(.tenant, 2))),
            DecisionCase(
                "Disabled comes before what forbids", [.role(.tenant), .disabled, .flatDoor([])], .unlock,
                is: .denied(.userDisabled, reach: true)),
        ])
    func order(line: DecisionCase) { line.check() }

    @Test(
        "An override where nothing is overridden changes no answer, and is not recorded as one",
        arguments: [
            DecisionCase("An owner", [.role(.owner)], .unlock, override: true, is: .allowed(.held(.owner))),
            DecisionCase("An admin", [.role(.portfolioAdmin)], .unlatch, override: true, is: .allowed(.held(.portfolioAdmin))),
            DecisionCase("A tenant", [.role(.tenant)], .unlock, override: true, is: .allowed(.held(.tenant))),
            DecisionCase(
                "An owner who is a tenant too goes by the tenancy", [.role(.owner, 1), .role(.tenant, 2)], .unlock,
                override: true, is: .allowed(.held(.tenant, 2))),
            DecisionCase("A guest", [.guest()], .unlock, override: true, is: .allowed(.guest())),
            DecisionCase("A link", [.guest(linkOnly: true)], .unlock, by: .link(1), override: true, is: .allowed(.guest())),
            DecisionCase(
                "A super admin does not override their way in", [.superAdmin], .unlock, override: true,
                is: .denied(.roleInsufficient, by: .superAdmin, missing: .role(.tenant))),
            DecisionCase(
                "An auditor does not", [.role(.auditor)], .unlock, override: true,
                is: .denied(.roleInsufficient, by: .held(.auditor), missing: .role(.tenant))),
            DecisionCase("A stranger does not", [], .unlock, override: true, is: .hidden),
            DecisionCase(
                "A guest whose window has ended does not", [.guest(until: .zero)], .unlock, override: true,
                is: .denied(.guestWindowEnded, by: .guest(), closes: .zero)),
            DecisionCase(
                "An owner does not override a missing capability", [.role(.owner), .flatDoor([])], .lock,
                override: true, is: .denied(.capabilityMissing, by: .held(.owner), missing: .capability("LOCK"))),
        ])
    func override(line: DecisionCase) { line.check() }
}
