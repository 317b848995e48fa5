internal import DoorwardDomain

/// The failure of a rule that reaches the device: the first test that the rule did not pass.
struct RuleFailure {
    let reason: DenialReason
    let rule: Rule
    let opensAt: Timestamp?
    let closesAt: Timestamp?

    init(_ reason: DenialReason, of rule: Rule, opensAt: Timestamp? = nil, closesAt: Timestamp? = nil) {
        (self.reason, self.rule, self.opensAt, self.closesAt) = (reason, rule, opensAt, closesAt)
    }

    /// The number of tests that the rule passed. An association has no window and no grantor, so it
    /// passes the tests of grantor and window.
    private var testsPassed: Int {
        switch reason {
        case .guestAccessRevoked: 0
        case .grantorLostAccess: 1
        case .roleInsufficient, .operationNotGranted: 2
        case .guestWindowEnded: 3
        case .guestUsesExhausted: 4
        case .guestWindowNotStarted: 5
        case .outsideSchedule: 6
        case .clockUntrusted: 7
        case .featureUnavailable: 8
        case .userUnknown, .userDisabled, .deviceUnknown, .deviceUnassigned, .noAssociation: -1
        case .capabilityMissing, .remoteOperationDisabled, .lockdownActive: 9
        }
    }

    /// Replaces `nearest` if this rule came nearer to allowing the request. The rule that passed more tests is nearer. If both
    /// passed the same number, the rule that opens earlier is nearer; a rule without such a time comes last. If this does not
    /// decide either, the rule with the smaller id is nearer; the super admin's rule comes last.
    func replace(_ nearest: inout RuleFailure?) {
        guard let other = nearest, !isNearer(than: other) else {
            nearest = self
            return
        }
    }

    private func isNearer(than other: RuleFailure) -> Bool {
        if testsPassed != other.testsPassed { return testsPassed > other.testsPassed }
        if opensAt != other.opensAt {
            guard let opensAt else { return false }
            return other.opensAt.map { opensAt < $0 } ?? true
        }
        guard let id = rule.sortKey else { return false }
        return other.rule.sortKey.map { id < $0 } ?? true
    }
}

extension Rule {
    /// The id by which rules of different kinds are ordered; `nil` for the super admin's rule.
    var sortKey: EntityID<Rule>? {
        switch self {
        case .association(let id, _): id.cast()
        case .guestAccess(let id): id.cast()
        case .superAdmin: nil
        }
    }
}

extension GuestAccess {
    /// The time for which an access keeps its devices visible to the guest after its end.
    static let reachAfterEnd = Duration.seconds(30 * 86_400)
}
