import DoorwardDomain
import Testing

@testable import DoorwardPolicy

@Suite struct RuleFailureTests {
    /// The tests of a rule in their order; what stands in one line is one step.
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

    @Test("Every reason that a rule can fail for has its step, those of later features too", arguments: ladder.indices)
    func steps(step: Int) {
        for reason in Self.ladder[step] {
            for (otherStep, others) in Self.ladder.enumerated() where otherStep != step {
                for other in others {
                    let expected = step > otherStep ? reason : other
                    // With the smaller id on the farther side too: it must not matter.
                    for (a, b) in [(1, 2), (2, 1)] as [(UInt64, UInt64)] {
                        #expect(nearest([failure(reason, a), failure(other, b)])?.reason == expected)
                        #expect(nearest([failure(other, b), failure(reason, a)])?.reason == expected)
                    }
                }
            }
        }
    }

    @Test("What is told before any rule is asked is farther than any rule's failure, and what forbids nearer")
    func ends() {
        for far in [DenialReason.userUnknown, .userDisabled, .deviceUnknown, .deviceUnassigned, .noAssociation] {
            #expect(nearest([failure(.guestAccessRevoked, 2), failure(far, 1)])?.reason == .guestAccessRevoked)
        }
        for near in [DenialReason.capabilityMissing, .remoteOperationDisabled, .lockdownActive] {
            #expect(nearest([failure(.featureUnavailable, 1), failure(near, 2)])?.reason == near)
        }
    }

    @Test(
        "On one step the earlier opening wins, none being last, and then the smaller id",
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

    @Test("The super admin's rule has no id and gives way to any that has one")
    func superAdmin() {
        let own = RuleFailure(.roleInsufficient, of: .superAdmin)
        let other = RuleFailure(.roleInsufficient, of: .association(AssociationID(high: .max, low: .max), .auditor))
        #expect(nearest([own, other])?.rule == other.rule)
        #expect(nearest([other, own])?.rule == other.rule)
        #expect(nearest([own])?.rule == .superAdmin)
        #expect(nearest([]) == nil)
    }

    @Test("Ids of associations and of guest accesses are in one order")
    func oneOrder() {
        let role = RuleFailure(.roleInsufficient, of: .association(AssociationID(high: 0, low: 5), .auditor))
        #expect(nearest([role, failure(.operationNotGranted, 4)])?.reason == .operationNotGranted)
        #expect(nearest([role, failure(.operationNotGranted, 6)])?.reason == .roleInsufficient)
    }
}
