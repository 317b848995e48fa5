internal import DoorwardDomain

/// The first test that a rule which reaches the device has failed.
struct RuleFailure {
    let reason: DenialReason
    let rule: Rule
    let opensAt: Timestamp?
    let closesAt: Timestamp?

    init(_ reason: DenialReason, of rule: Rule, opensAt: Timestamp? = nil, closesAt: Timestamp? = nil) {
        (self.reason, self.rule, self.opensAt, self.closesAt) = (reason, rule, opensAt, closesAt)
    }

    /// How many tests the rule had passed. An association has no window and no grantor, and passes the tests of them.
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

    /// Takes the place of `nearest` if this rule came nearer: more tests passed, then the earlier opening with none as
    /// the last, then the smaller id, that of the super admin's rule being the greatest.
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
    /// The id by which rules of different kinds are put in one order; the super admin's has none.
    var sortKey: EntityID<Rule>? {
        switch self {
        case .association(let id, _): id.cast()
        case .guestAccess(let id): id.cast()
        case .superAdmin: nil
        }
    }
}

extension GuestAccess {
    /// How long after its end an access still lets its guest know what it was for.
    static let reachAfterEnd = Duration.seconds(30 * 86_400)
}
