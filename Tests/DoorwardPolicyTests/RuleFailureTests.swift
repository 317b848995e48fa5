import DoorwardDomain
import Testing

@testable import DoorwardPolicy

@Suite struct RuleFailureTests {
    /// The checks of a rule in their order; reasons in one row belong to the same step.
    private static let ladder: [[DenialReason]] = [
        [.guestAccessRevoked], [.grantorLostAccess], [.roleInsufficient, .operationNotGranted], [.guestWindowEnded],
        [.guestUsesExhausted], [.guestWindowNotStarted], [.outsideSchedule], [.clockUntrusted], [.featureUnavailable],
    ]

    private func nearest(_ failures: [RuleFailure]) -> RuleFailure? {
        failures.reduce(into: nil) { nearest, failure in failure.replace(&nearest) }
    }

    private func failure(_ reason: DenialReason, _ number: UInt64, opens: Int64? = nil) -> RuleFailure {
        RuleFailure(
            reason, of: .guestAccess(GuestAccessID(high: 0, low: number)), opensAt: opens.map(Timestamp.init(milliseconds:)))
    }

    @Test("Every reason for which a rule can fail has its step, including reasons of future features", arguments: ladder.indices)
    func steps(step: Int) {
        for reason in Self.ladder[step] {
            for (otherStep, others) in Self.ladder.enumerated() where otherStep != step {
                for other in others {
                    let expected = step > otherStep ? reason : other
                    // Try the smaller id on either step: ids must not matter between different steps.
                    for (a, b) in [(1, 2), (2, 1)] as [(UInt64, UInt64)] {
                        #expect(nearest([failure(reason, a), failure(other, b)])?.reason == expected)
                        #expect(nearest([failure(other, b), failure(reason, a)])?.reason == expected)
                    }
                }
            }
        }
    }

    @Test("A rule's failure replaces reasons that are decided before any rule, and is replaced by forbidding conditions")
    func ends() {
        for far in [DenialReason.userUnknown, .userDisabled, .deviceUnknown, .deviceUnassigned, .noAssociation] {
            #expect(nearest([failure(.guestAccessRevoked, 2), failure(far, 1)])?.reason == .guestAccessRevoked)
        }
        for near in [DenialReason.capabilityMissing, .remoteOperationDisabled, .lockdownActive] {
            #expect(nearest([failure(.featureUnavailable, 1), failure(near, 2)])?.reason == near)
        }
    }

    @Test(
        "On one step the earlier opening comes first, failures without an opening last, then the smaller id",
        arguments: [
            ([(1, 20), (2, 10)], 2), ([(1, nil), (2, 10)], 2), ([(2, nil), (1, nil)], 1), ([(2, 10), (1, 10)], 1),
            ([(3, 10), (2, nil), (1, 11)], 3), ([(1, 0), (2, -5)], 2),
        ] as [([(UInt64, Int64?)], UInt64)])
    func ties(candidates: [(UInt64, Int64?)], winner: UInt64) {
        let failures = candidates.map { failure(.outsideSchedule, $0.0, opens: $0.1) }
        let expected = Rule.guestAccess(GuestAccessID(high: 0, low: winner))
        #expect(nearest(failures)?.rule == expected)
        #expect(nearest(failures.reversed())?.rule == expected)
    }

    @Test("The super admin rule has no id, and comes after any rule with an id")
    func superAdmin() {
        let own = RuleFailure(.roleInsufficient, of: .superAdmin)
        let other = RuleFailure(.roleInsufficient, of: .association(AssociationID(high: .max, low: .max), .auditor))
        #expect(nearest([own, other])?.rule == other.rule)
        #expect(nearest([other, own])?.rule == other.rule)
        #expect(nearest([own])?.rule == .superAdmin)
        #expect(nearest([]) == nil)
    }

    @Test("Ids of associations and of guest accesses are compared with each other")
    func oneOrder() {
        let role = RuleFailure(.roleInsufficient, of: .association(AssociationID(high: 0, low: 5), .auditor))
        #expect(nearest([role, failure(.operationNotGranted, 4)])?.reason == .operationNotGranted)
        #expect(nearest([role, failure(.operationNotGranted, 6)])?.reason == .roleInsufficient)
    }
}
