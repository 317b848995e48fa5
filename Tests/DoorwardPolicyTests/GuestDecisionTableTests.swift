import DoorwardDomain
import DoorwardPolicy
import Testing

/// Decision cases for guest accesses: time windows to the millisecond, grantors, revocation, visibility, guest links, several
/// accesses at once.
@Suite struct GuestDecisionTableTests {
    private static let ms = Duration.milliseconds(1)
    private static let before = Duration.milliseconds(-1)
    private static let hour = Duration.seconds(3600)
    private static let twoHours = Duration.seconds(7200)
    private static let hourAgo = Duration.seconds(-3600)
    private static let day = Duration.seconds(86_400)
    /// Thirty days, and instants around their end.
    private static let month = Duration.seconds(2_592_000)
    private static let monthBefore = Duration.milliseconds(2_591_999_999)
    private static let monthAndHour = Duration.seconds(2_595_600)
    private static let monthAndTwoHours = Duration.seconds(2_599_200)

    @Test(
        "The window is [validFrom, validUntil)",
        arguments: [
            DecisionCase(
                "A millisecond before the start", [.guest(from: .zero)], at: before,
                is: .denied(.guestWindowNotStarted, by: .guest(), opens: .zero)),
            DecisionCase("At the start", [.guest(from: .zero)], at: .zero, is: .allowed(.guest())),
            DecisionCase("A millisecond after the start", [.guest(from: .zero)], at: ms, is: .allowed(.guest())),
            DecisionCase("A millisecond before the end", [.guest(until: .zero)], at: before, is: .allowed(.guest())),
            DecisionCase(
                "At the end", [.guest(until: .zero)], at: .zero,
                is: .denied(.guestWindowEnded, by: .guest(), closes: .zero)),
            DecisionCase(
                "A millisecond after the end", [.guest(until: .zero)], at: ms,
                is: .denied(.guestWindowEnded, by: .guest(), closes: .zero)),
            DecisionCase(
                "A window of one millisecond allows at its start",
                [.guest(from: .zero, until: ms)], at: .zero, is: .allowed(.guest())),
            DecisionCase(
                "A window of one millisecond does not allow earlier", [.guest(from: .zero, until: ms)], at: before,
                is: .denied(.guestWindowNotStarted, by: .guest(), opens: .zero)),
            DecisionCase(
                "A window of one millisecond does not allow later", [.guest(from: .zero, until: ms)], at: ms,
                is: .denied(.guestWindowEnded, by: .guest(), closes: ms)),
            DecisionCase(
                "An empty window never allows", [.guest(from: .zero, until: .zero)], at: .zero,
                is: .denied(.guestWindowEnded, by: .guest(), closes: .zero)),
            DecisionCase(
                "A window that ends before it starts never allows", [.guest(from: hour, until: hourAgo)], at: .zero,
                is: .denied(.guestWindowEnded, by: .guest(), closes: hourAgo)),
            DecisionCase(
                "Viewing the status needs the window too: early", [.guest(from: .zero)], .viewStatus, at: before,
                is: .denied(.guestWindowNotStarted, by: .guest(), opens: .zero)),
            DecisionCase(
                "Viewing the status needs the window too: late", [.guest(until: .zero)], .viewStatus, at: .zero,
                is: .denied(.guestWindowEnded, by: .guest(), closes: .zero)),
        ])
    func window(line: DecisionCase) { line.check() }

    @Test(
        "A guest may view the status, and use the granted operations, on the listed devices",
        arguments: [
            DecisionCase("UNLOCK is listed", [.guest(1, [.unlock])], .unlock, is: .allowed(.guest())),
            DecisionCase("LOCK is listed", [.guest(1, [.lock])], .lock, is: .allowed(.guest())),
            DecisionCase("UNLATCH is listed", [.guest(1, [.unlatch])], .unlatch, is: .allowed(.guest())),
            DecisionCase(
                "UNLOCK does not include UNLATCH", [.guest(1, [.unlock])], .unlatch,
                is: .denied(.operationNotGranted, by: .guest(), missing: .operation(.unlatch))),
            DecisionCase(
                "UNLATCH does not include UNLOCK", [.guest(1, [.unlatch])], .unlock,
                is: .denied(.operationNotGranted, by: .guest(), missing: .operation(.unlock))),
            DecisionCase("Viewing the status need not be listed", [.guest(1, [])], .viewStatus, is: .allowed(.guest())),
            DecisionCase(
                "Without listed operations no movement is allowed", [.guest(1, [])], .lock,
                is: .denied(.operationNotGranted, by: .guest(), missing: .operation(.lock))),
            DecisionCase(
                "A guest cannot read the history, even if it is listed", [.guest(1, LockOperation.allCases)], .viewAccessHistory,
                is: .denied(.operationNotGranted, by: .guest(), missing: .operation(.viewAccessHistory))),
            DecisionCase(
                "A guest cannot grant access, even if it is listed", [.guest(1, LockOperation.allCases)], .grantAccess,
                is: .denied(.operationNotGranted, by: .guest(), missing: .operation(.grantAccess))),
            DecisionCase("A second listed door", [.guest(at: [.flat, .front])], .unlock, .front, is: .allowed(.guest())),
            DecisionCase("A door that is not listed", [.guest(at: [.flat, .front])], .unlock, .cellar, is: .hidden),
            DecisionCase(
                "A listed door without a property is denied as unassigned", [.guest(at: [.unassigned])], .unlock, .unassigned,
                is: .denied(.deviceUnassigned, reach: true)),
            DecisionCase(
                "A listed door that does not exist is unknown", [.guest(at: [.unknown])], .unlock, .unknown,
                is: .denied(.deviceUnknown, reach: false)),
            DecisionCase(
                "A door that is listed twice counts as listed", [.guest(at: [.flat, .flat])], .unlock, is: .allowed(.guest())),
        ])
    func granted(line: DecisionCase) { line.check() }

    @Test(
        "A guest access from a tenant ends with the tenancy; one from a higher role remains",
        arguments: [
            DecisionCase(
                "Granted under an existing tenancy", [.other(.tenant, 5), .guest(under: (5, .tenant))], is: .allowed(.guest())),
            DecisionCase(
                "Granted under a removed tenancy", [.other(.tenant, 5), .guest(under: (5, .tenant)), .removed(5)],
                is: .denied(.grantorLostAccess, by: .guest())),
            DecisionCase(
                "Granted under a tenancy that never existed", [.guest(under: (5, .tenant))],
                is: .denied(.grantorLostAccess, by: .guest())),
            DecisionCase(
                "A tenancy that is restored with the same id counts again",
                [.other(.tenant, 5), .guest(under: (5, .tenant)), .removed(5), .other(.tenant, 5)], is: .allowed(.guest())),
            DecisionCase(
                "Another tenancy of the same grantor does not count",
                [.other(.tenant, 5), .guest(under: (5, .tenant)), .removed(5), .other(.tenant, 6)],
                is: .denied(.grantorLostAccess, by: .guest())),
            DecisionCase(
                "Granted by a manager who no longer has the role",
                [
                    .other(.propertyManager, 5), .guest(under: (5, .propertyManager)),
                    .removed(5),
                ], is: .allowed(.guest())),
            DecisionCase(
                "Granted by an admin who no longer has the role", [.guest(under: (5, .portfolioAdmin))], is: .allowed(.guest())),
            DecisionCase("Granted by an owner who no longer has the role", [.guest(under: (5, .owner))], is: .allowed(.guest())),
            DecisionCase(
                "Viewing the status is denied too",
                [.guest(under: (5, .tenant))], .viewStatus, is: .denied(.grantorLostAccess, by: .guest())),
            DecisionCase(
                "The guest link is denied too", [.guest(under: (5, .tenant), linkOnly: true)], by: .link(1),
                is: .denied(.grantorLostAccess, by: .guest())),
            DecisionCase(
                "Revocation comes before the lost tenancy", [.guest(under: (5, .tenant), revoked: .zero)],
                is: .denied(.guestAccessRevoked, by: .guest())),
            DecisionCase(
                "The lost tenancy comes before an operation that is not granted", [.guest(1, [], under: (5, .tenant))],
                is: .denied(.grantorLostAccess, by: .guest())),
        ])
    func grantor(line: DecisionCase) { line.check() }

    @Test(
        "A revoked guest access is revoked at any time",
        arguments: [
            DecisionCase("Revoked a moment ago", [.guest(revoked: before)], is: .denied(.guestAccessRevoked, by: .guest())),
            DecisionCase("Revoked at this instant", [.guest(revoked: .zero)], is: .denied(.guestAccessRevoked, by: .guest())),
            DecisionCase(
                "Revoked in the future, by a clock that was ahead",
                [.guest(revoked: hour)], is: .denied(.guestAccessRevoked, by: .guest())),
            DecisionCase(
                "Revoked before it began", [.guest(from: hour, until: twoHours, revoked: .zero)],
                is: .denied(.guestAccessRevoked, by: .guest())),
            DecisionCase(
                "Revoked after its end", [.guest(until: hourAgo, revoked: .zero)],
                is: .denied(.guestAccessRevoked, by: .guest())),
            DecisionCase(
                "Viewing the status is denied too", [.guest(revoked: .zero)], .viewStatus,
                is: .denied(.guestAccessRevoked, by: .guest())),
            DecisionCase(
                "Revocation comes before an operation that is not granted", [.guest(1, [], revoked: .zero)],
                is: .denied(.guestAccessRevoked, by: .guest())),
            DecisionCase(
                "The guest link is denied too", [.guest(revoked: .zero)], by: .link(1),
                is: .denied(.guestAccessRevoked, by: .guest())),
            DecisionCase(
                "A new guest access with another id allows", [.guest(1, revoked: .zero), .guest(2)], is: .allowed(.guest(2))),
        ])
    func revoked(line: DecisionCase) { line.check() }

    @Test(
        "A device is visible to its guest from the creation of the guest access until 30 days after its end",
        arguments: [
            DecisionCase(
                "A millisecond before the creation", [.guest(from: hour, until: twoHours, created: .zero)], at: before,
                is: .hidden),
            DecisionCase(
                "At the creation", [.guest(from: hour, until: twoHours, created: .zero)], at: .zero,
                is: .denied(.guestWindowNotStarted, by: .guest(), opens: hour)),
            DecisionCase(
                "A millisecond before the 30 days end", [.guest(until: .zero)], at: monthBefore,
                is: .denied(.guestWindowEnded, by: .guest(), closes: .zero)),
            DecisionCase("At the end of the 30 days", [.guest(until: .zero)], at: month, is: .hidden),
            DecisionCase(
                "Revoked before its end: visible until 30 days after the revocation",
                [.guest(until: hour, revoked: .zero)], at: monthBefore,
                is: .denied(.guestAccessRevoked, by: .guest())),
            DecisionCase(
                "Revoked before its end: not visible at the end of these 30 days",
                [.guest(until: hour, revoked: .zero)], at: month, is: .hidden),
            DecisionCase(
                "A revocation after the end does not extend visibility",
                [.guest(until: .zero, revoked: hour)], at: month, is: .hidden),
            DecisionCase(
                "Created after its own end: visible for the rest of the 30 days",
                [.guest(until: .zero, created: day)], at: day,
                is: .denied(.guestWindowEnded, by: .guest(), closes: .zero)),
            DecisionCase(
                "Created after its 30 days: never visible",
                [.guest(until: .zero, created: monthAndHour)], at: monthAndTwoHours, is: .hidden),
            DecisionCase(
                "A window that began before the creation: not visible before the creation",
                [.guest(from: hourAgo, created: .zero)], at: before, is: .hidden),
            DecisionCase(
                "A window that began before the creation: allowed from the creation on",
                [.guest(from: hourAgo, created: .zero)], at: .zero, is: .allowed(.guest())),
            DecisionCase(
                "A role keeps the device visible when the guest access no longer does",
                [.guest(until: .zero), .role(.auditor, 2)], at: month,
                is: .denied(.roleInsufficient, by: .held(.auditor, 2), missing: .role(.tenant))),
            DecisionCase(
                "A lost tenancy of the grantor does not affect visibility",
                [.guest(until: .zero, under: (5, .tenant))], at: monthBefore,
                is: .denied(.grantorLostAccess, by: .guest())),
        ])
    func reach(line: DecisionCase) { line.check() }

    @Test(
        "Of several guest accesses, one that allows is enough, and the decision names the smallest id",
        arguments: [
            DecisionCase("The smallest id", [.guest(8), .guest(2), .guest(5)], is: .allowed(.guest(2))),
            DecisionCase(
                "The only guest access within its window", [.guest(1, until: .zero), .guest(2), .guest(3, from: ms)],
                is: .allowed(.guest(2))),
            DecisionCase(
                "The only guest access that lists the operation", [.guest(1, [.lock]), .guest(2, [.unlock])],
                is: .allowed(.guest(2))),
            DecisionCase(
                "The only guest access that lists the door", [.guest(1, at: [.front]), .guest(2)], is: .allowed(.guest(2))),
            DecisionCase(
                "The window of one guest access and the operation of another do not combine",
                [.guest(1, [.lock]), .guest(2, [.unlock], until: .zero)],
                is: .denied(.guestWindowEnded, by: .guest(2), closes: .zero)),
            DecisionCase(
                "Adjacent windows leave no gap: the last millisecond of the first",
                [.guest(1, until: .zero), .guest(2, from: .zero)], at: before, is: .allowed(.guest(1))),
            DecisionCase(
                "Adjacent windows leave no gap: the start of the second",
                [.guest(1, until: .zero), .guest(2, from: .zero)], at: .zero, is: .allowed(.guest(2))),
        ])
    func several(line: DecisionCase) { line.check() }

    @Test(
        "A guest link allows what its guest access allows, and nothing else",
        arguments: [
            DecisionCase("A link opens the listed door", [.guest(linkOnly: true)], by: .link(1), is: .allowed(.guest())),
            DecisionCase(
                "A link to a guest access of a user opens the door too", [.guest()], by: .link(1), is: .allowed(.guest())),
            DecisionCase(
                "A link does not open another door", [.guest(linkOnly: true)], .unlock, .front, by: .link(1), is: .hidden),
            DecisionCase(
                "A link does not open an unassigned device", [.guest(linkOnly: true)], .unlock, .unassigned, by: .link(1),
                is: .denied(.deviceUnassigned, reach: false)),
            DecisionCase(
                "A listed device without a property is denied as unassigned",
                [.guest(at: [.unassigned], linkOnly: true)], .unlock,
                .unassigned, by: .link(1), is: .denied(.deviceUnassigned, reach: true)),
            DecisionCase(
                "The guest's roles do not count for the link", [.guest(1, []), .role(.owner, 2)], by: .link(1),
                is: .denied(.operationNotGranted, by: .guest(), missing: .operation(.unlock))),
            DecisionCase(
                "The guest's super admin right does not count for the link", [.guest(1, at: [.front]), .superAdmin], .viewStatus,
                by: .link(1), is: .hidden),
            DecisionCase(
                "The guest's other guest accesses do not count for the link", [.guest(1, until: .zero), .guest(2)], by: .link(1),
                is: .denied(.guestWindowEnded, by: .guest(1), closes: .zero)),
            DecisionCase(
                "The link of a disabled guest opens nothing", [.guest(), .disabled], by: .link(1),
                is: .denied(.userDisabled, reach: true)),
            DecisionCase(
                "The link of a disabled guest makes no other door visible", [.guest(), .disabled], .unlock, .other, by: .link(1),
                is: .denied(.userDisabled, reach: false)),
            DecisionCase(
                "A link without a guest access is unknown", [.guest()], by: .link(4), is: .denied(.userUnknown, reach: false)),
            DecisionCase(
                "After 30 days the device is not visible to the link",
                [.guest(until: .zero, linkOnly: true)], at: month, by: .link(1),
                is: .hidden),
        ])
    func link(line: DecisionCase) { line.check() }
}
