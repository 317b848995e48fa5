import DoorwardDomain
import DoorwardPolicy
import Testing

/// Guest accesses in words: windows to the millisecond, grantors, revocation, reach, links, and several at once.
@Suite struct GuestDecisionTableTests {
    private static let ms = Duration.milliseconds(1)
    private static let before = Duration.milliseconds(-1)
    private static let hour = Duration.seconds(3600)
    private static let twoHours = Duration.seconds(7200)
    private static let hourAgo = Duration.seconds(-3600)
    private static let day = Duration.seconds(86_400)
    /// Thirty days, and the moments around their end.
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
            DecisionCase("A millisecond after it", [.guest(from: .zero)], at: ms, is: .allowed(.guest())),
            DecisionCase("A millisecond before the end", [.guest(until: .zero)], at: before, is: .allowed(.guest())),
            DecisionCase(
                "At the end", [.guest(until: .zero)], at: .zero,
                is: .denied(.guestWindowEnded, by: .guest(), closes: .zero)),
            DecisionCase(
                "A millisecond after the end", [.guest(until: .zero)], at: ms,
                is: .denied(.guestWindowEnded, by: .guest(), closes: .zero)),
            DecisionCase(
                "A window of one millisecond has one", [.guest(from: .zero, until: ms)], at: .zero, is: .allowed(.guest())),
            DecisionCase(
                "and no other before", [.guest(from: .zero, until: ms)], at: before,
                is: .denied(.guestWindowNotStarted, by: .guest(), opens: .zero)),
            DecisionCase(
                "and none after", [.guest(from: .zero, until: ms)], at: ms,
                is: .denied(.guestWindowEnded, by: .guest(), closes: ms)),
            DecisionCase(
                "An empty window has none", [.guest(from: .zero, until: .zero)], at: .zero,
                is: .denied(.guestWindowEnded, by: .guest(), closes: .zero)),
            DecisionCase(
                "A window back to front has none", [.guest(from: hour, until: hourAgo)], at: .zero,
                is: .denied(.guestWindowEnded, by: .guest(), closes: hourAgo)),
            DecisionCase(
                "Looking needs the window too: early", [.guest(from: .zero)], .viewStatus, at: before,
                is: .denied(.guestWindowNotStarted, by: .guest(), opens: .zero)),
            DecisionCase(
                "Looking needs the window too: late", [.guest(until: .zero)], .viewStatus, at: .zero,
                is: .denied(.guestWindowEnded, by: .guest(), closes: .zero)),
        ])
    func window(line: DecisionCase) { line.check() }

    @Test(
        "A guest has what was listed and what every guest has, on the listed devices",
        arguments: [
            DecisionCase("UNLOCK listed", [.guest(1, [.unlock])], .unlock, is: .allowed(.guest())),
            DecisionCase("LOCK listed", [.guest(1, [.lock])], .lock, is: .allowed(.guest())),
            DecisionCase("UNLATCH listed", [.guest(1, [.unlatch])], .unlatch, is: .allowed(.guest())),
            DecisionCase(
                "UNLOCK is not UNLATCH", [.guest(1, [.unlock])], .unlatch,
                is: .denied(.operationNotGranted, by: .guest(), missing: .operation(.unlatch))),
            DecisionCase(
                "UNLATCH is not UNLOCK", [.guest(1, [.unlatch])], .unlock,
                is: .denied(.operationNotGranted, by: .guest(), missing: .operation(.unlock))),
            DecisionCase("Looking need not be listed", [.guest(1, [])], .viewStatus, is: .allowed(.guest())),
            DecisionCase(
                "Nothing listed moves nothing", [.guest(1, [])], .lock,
                is: .denied(.operationNotGranted, by: .guest(), missing: .operation(.lock))),
            DecisionCase(
                "History is no guest's, listed or not", [.guest(1, LockOperation.allCases)], .viewAccessHistory,
                is: .denied(.operationNotGranted, by: .guest(), missing: .operation(.viewAccessHistory))),
            DecisionCase(
                "A guest lets nobody in, listed or not", [.guest(1, LockOperation.allCases)], .grantAccess,
                is: .denied(.operationNotGranted, by: .guest(), missing: .operation(.grantAccess))),
            DecisionCase("A second listed door", [.guest(at: [.flat, .front])], .unlock, .front, is: .allowed(.guest())),
            DecisionCase("A door that is not listed", [.guest(at: [.flat, .front])], .unlock, .cellar, is: .hidden),
            DecisionCase(
                "A listed door that hangs nowhere opens for nobody", [.guest(at: [.unassigned])], .unlock, .unassigned,
                is: .denied(.deviceUnassigned, reach: true)),
            DecisionCase(
                "A listed door that does not exist is unknown", [.guest(at: [.unknown])], .unlock, .unknown,
                is: .denied(.deviceUnknown, reach: false)),
            DecisionCase("A door listed twice is listed", [.guest(at: [.flat, .flat])], .unlock, is: .allowed(.guest())),
        ])
    func granted(line: DecisionCase) { line.check() }

    @Test(
        "What was granted as a tenant ends with the tenancy; what was granted from above stays",
        arguments: [
            DecisionCase(
                "Under a tenancy that stands", [.other(.tenant, 5), .guest(under: (5, .tenant))], is: .allowed(.guest())),
            DecisionCase(
                "Under a tenancy that was taken away", [.other(.tenant, 5), .guest(under: (5, .tenant)), .removed(5)],
                is: .denied(.grantorLostAccess, by: .guest())),
            DecisionCase(
                "Under a tenancy that never was", [.guest(under: (5, .tenant))],
                is: .denied(.grantorLostAccess, by: .guest())),
            DecisionCase(
                "Given back with the same id, it counts again",
                [.other(.tenant, 5), .guest(under: (5, .tenant)), .removed(5), .other(.tenant, 5)], is: .allowed(.guest())),
            DecisionCase(
                "Another tenancy of the same person does not help",
                [.other(.tenant, 5), .guest(under: (5, .tenant)), .removed(5), .other(.tenant, 6)],
                is: .denied(.grantorLostAccess, by: .guest())),
            DecisionCase(
                "Under a manager who is gone",
                [
                    .other(.propertyManager, 5), .guest(under: (5, .propertyManager)),
                    .removed(5),
                ], is: .allowed(.guest())),
            DecisionCase("Under an admin who is gone", [.guest(under: (5, .portfolioAdmin))], is: .allowed(.guest())),
            DecisionCase("Under an owner who is gone", [.guest(under: (5, .owner))], is: .allowed(.guest())),
            DecisionCase(
                "Looking ends too", [.guest(under: (5, .tenant))], .viewStatus, is: .denied(.grantorLostAccess, by: .guest())),
            DecisionCase(
                "The link ends too", [.guest(under: (5, .tenant), linkOnly: true)], by: .link(1),
                is: .denied(.grantorLostAccess, by: .guest())),
            DecisionCase(
                "Revoked is told first", [.guest(under: (5, .tenant), revoked: .zero)],
                is: .denied(.guestAccessRevoked, by: .guest())),
            DecisionCase(
                "Lost is told before what is not granted", [.guest(1, [], under: (5, .tenant))],
                is: .denied(.grantorLostAccess, by: .guest())),
        ])
    func grantor(line: DecisionCase) { line.check() }

    @Test(
        "A revoked access is revoked, whatever the clock says",
        arguments: [
            DecisionCase("Revoked a moment ago", [.guest(revoked: before)], is: .denied(.guestAccessRevoked, by: .guest())),
            DecisionCase("Revoked at this instant", [.guest(revoked: .zero)], is: .denied(.guestAccessRevoked, by: .guest())),
            DecisionCase(
                "Revoked by a clock that was ahead", [.guest(revoked: hour)], is: .denied(.guestAccessRevoked, by: .guest())),
            DecisionCase(
                "Revoked before it began", [.guest(from: hour, until: twoHours, revoked: .zero)],
                is: .denied(.guestAccessRevoked, by: .guest())),
            DecisionCase(
                "Revoked after its end", [.guest(until: hourAgo, revoked: .zero)],
                is: .denied(.guestAccessRevoked, by: .guest())),
            DecisionCase(
                "Looking is denied too", [.guest(revoked: .zero)], .viewStatus,
                is: .denied(.guestAccessRevoked, by: .guest())),
            DecisionCase(
                "Revoked is told before what was not granted", [.guest(1, [], revoked: .zero)],
                is: .denied(.guestAccessRevoked, by: .guest())),
            DecisionCase(
                "The link is revoked too", [.guest(revoked: .zero)], by: .link(1),
                is: .denied(.guestAccessRevoked, by: .guest())),
            DecisionCase(
                "Granted anew under another id, it opens", [.guest(1, revoked: .zero), .guest(2)], is: .allowed(.guest(2))),
        ])
    func revoked(line: DecisionCase) { line.check() }

    @Test(
        "A guest may know of the door from the creation until 30 days after the end",
        arguments: [
            DecisionCase(
                "A millisecond before the creation", [.guest(from: hour, until: twoHours, created: .zero)], at: before,
                is: .hidden),
            DecisionCase(
                "At the creation", [.guest(from: hour, until: twoHours, created: .zero)], at: .zero,
                is: .denied(.guestWindowNotStarted, by: .guest(), opens: hour)),
            DecisionCase(
                "A millisecond before 30 days are over", [.guest(until: .zero)], at: monthBefore,
                is: .denied(.guestWindowEnded, by: .guest(), closes: .zero)),
            DecisionCase("When they are over", [.guest(until: .zero)], at: month, is: .hidden),
            DecisionCase(
                "From an earlier revocation", [.guest(until: hour, revoked: .zero)], at: monthBefore,
                is: .denied(.guestAccessRevoked, by: .guest())),
            DecisionCase("and not longer", [.guest(until: hour, revoked: .zero)], at: month, is: .hidden),
            DecisionCase("A later revocation adds nothing", [.guest(until: .zero, revoked: hour)], at: month, is: .hidden),
            DecisionCase(
                "An access created after its own end is in reach from then on, for what is left of the 30 days",
                [.guest(until: .zero, created: day)], at: day,
                is: .denied(.guestWindowEnded, by: .guest(), closes: .zero)),
            DecisionCase(
                "An access created after its 30 days is never in reach",
                [.guest(until: .zero, created: monthAndHour)], at: monthAndTwoHours, is: .hidden),
            DecisionCase(
                "A window that began before the creation opens with the creation",
                [.guest(from: hourAgo, created: .zero)], at: before, is: .hidden),
            DecisionCase("and then at once", [.guest(from: hourAgo, created: .zero)], at: .zero, is: .allowed(.guest())),
            DecisionCase(
                "A role keeps reach when the guest's is over", [.guest(until: .zero), .role(.auditor, 2)], at: month,
                is: .denied(.roleInsufficient, by: .held(.auditor, 2), missing: .role(.tenant))),
            DecisionCase(
                "A lost grantor takes no reach away", [.guest(until: .zero, under: (5, .tenant))], at: monthBefore,
                is: .denied(.grantorLostAccess, by: .guest())),
        ])
    func reach(line: DecisionCase) { line.check() }

    @Test(
        "Of several accesses the smaller id allows, and none needs another",
        arguments: [
            DecisionCase("The smaller id", [.guest(8), .guest(2), .guest(5)], is: .allowed(.guest(2))),
            DecisionCase(
                "The only one in its window", [.guest(1, until: .zero), .guest(2), .guest(3, from: ms)],
                is: .allowed(.guest(2))),
            DecisionCase(
                "The only one that lists the operation", [.guest(1, [.lock]), .guest(2, [.unlock])],
                is: .allowed(.guest(2))),
            DecisionCase("The only one that lists the door", [.guest(1, at: [.front]), .guest(2)], is: .allowed(.guest(2))),
            DecisionCase(
                "Window of one and operation of another do not add up",
                [.guest(1, [.lock]), .guest(2, [.unlock], until: .zero)],
                is: .denied(.guestWindowEnded, by: .guest(2), closes: .zero)),
            DecisionCase(
                "One window that ends as the next begins leaves no gap: before",
                [.guest(1, until: .zero), .guest(2, from: .zero)], at: before, is: .allowed(.guest(1))),
            DecisionCase("and after", [.guest(1, until: .zero), .guest(2, from: .zero)], at: .zero, is: .allowed(.guest(2))),
        ])
    func several(line: DecisionCase) { line.check() }

    @Test(
        "A link is worth its access and nothing else",
        arguments: [
            DecisionCase("It opens the listed door", [.guest(linkOnly: true)], by: .link(1), is: .allowed(.guest())),
            DecisionCase("Its user's link does so for whoever holds it", [.guest()], by: .link(1), is: .allowed(.guest())),
            DecisionCase("Not another door", [.guest(linkOnly: true)], .unlock, .front, by: .link(1), is: .hidden),
            DecisionCase(
                "Not an unassigned one", [.guest(linkOnly: true)], .unlock, .unassigned, by: .link(1),
                is: .denied(.deviceUnassigned, reach: false)),
            DecisionCase(
                "A listed one that hangs nowhere is unassigned", [.guest(at: [.unassigned], linkOnly: true)], .unlock,
                .unassigned, by: .link(1), is: .denied(.deviceUnassigned, reach: true)),
            DecisionCase(
                "What its user holds besides is not the link's", [.guest(1, []), .role(.owner, 2)], by: .link(1),
                is: .denied(.operationNotGranted, by: .guest(), missing: .operation(.unlock))),
            DecisionCase(
                "That its user is a super admin is not the link's", [.guest(1, at: [.front]), .superAdmin], .viewStatus,
                by: .link(1), is: .hidden),
            DecisionCase(
                "Another access of its user is not the link's", [.guest(1, until: .zero), .guest(2)], by: .link(1),
                is: .denied(.guestWindowEnded, by: .guest(1), closes: .zero)),
            DecisionCase(
                "Of a disabled user it opens nothing", [.guest(), .disabled], by: .link(1),
                is: .denied(.userDisabled, reach: true)),
            DecisionCase(
                "and hides other doors", [.guest(), .disabled], .unlock, .other, by: .link(1),
                is: .denied(.userDisabled, reach: false)),
            DecisionCase(
                "A link without an access is nobody's", [.guest()], by: .link(4), is: .denied(.userUnknown, reach: false)),
            DecisionCase(
                "After 30 days it knows of nothing", [.guest(until: .zero, linkOnly: true)], at: month, by: .link(1),
                is: .hidden),
        ])
    func link(line: DecisionCase) { line.check() }
}
