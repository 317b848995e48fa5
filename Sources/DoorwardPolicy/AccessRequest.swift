internal import DoorwardDomain
internal import HashTreeCollections

/// An access request: one operation on one device at one time.
struct AccessRequest {
    let operation: LockOperation
    let device: DeviceNode
    let time: DecisionTime
    /// The uses of guest accesses that the command has reserved or failed to reserve.
    var uses = CommandUses()

    private var instant: Timestamp { time.instant }

    /// Tests whether a rule that reaches the device allows the request.
    @inline(__always)
    func verdict(on rule: ReachingRule, in directory: TenancyDirectory) -> RuleVerdict {
        switch rule {
        case .superAdmin:
            if PermissionMatrix.superAdminOperations.contains(operation) { return .allowed(until: nil) }
            return .failed(RuleFailure(.roleInsufficient, of: .superAdmin))
        case .role(let held, let column):
            guard device.isAssigned else { return .failed(RuleFailure(.deviceUnassigned, of: held.rule)) }
            if PermissionMatrix.holds(operation, column) { return .allowed(until: nil) }
            return .failed(RuleFailure(.roleInsufficient, of: held.rule))
        case .tenancyBelow(let held): return .failed(RuleFailure(.roleInsufficient, of: held.rule))
        case .guestAccess(let node): return verdict(on: node, in: directory)
        }
    }

    private func verdict(on node: GuestAccessNode, in directory: TenancyDirectory) -> RuleVerdict {
        let rule = Rule.guestAccess(node.id)
        guard device.isAssigned else { return .failed(RuleFailure(.deviceUnassigned, of: rule)) }
        if node.isRevoked { return .failed(RuleFailure(.guestAccessRevoked, of: rule)) }
        if node.hasLostGrantor(of: device.id, in: directory) { return .failed(RuleFailure(.grantorLostAccess, of: rule)) }
        let columns = PermissionMatrix.columns(holding: operation)
        guard columns.contains(.guestInWindow) || (columns.contains(.guestIfGranted) && node.operations.contains(operation))
        else { return .failed(RuleFailure(.operationNotGranted, of: rule)) }
        if instant >= node.window.validUntil {
            return .failed(RuleFailure(.guestWindowEnded, of: rule, closesAt: node.window.validUntil))
        }
        if node.hasMaxUses, operation.isOpening, directory.isExhausted(node.access, for: uses) {
            return .failed(RuleFailure(.guestUsesExhausted, of: rule))
        }
        if instant < node.window.validFrom {
            return .failed(RuleFailure(.guestWindowNotStarted, of: rule, opensAt: node.window.validFrom))
        }
        if let failure = directory.scheduleFailure(of: node, at: instant) { return .failed(failure) }
        if !time.isTrusted { return .failed(RuleFailure(.clockUntrusted, of: rule)) }
        if !directory.portfoliosWithoutGuestAccess.isEmpty, let portfolio = device.portfolioID,
            directory.portfoliosWithoutGuestAccess.contains(portfolio)
        {
            return .failed(RuleFailure(.featureUnavailable, of: rule))
        }
        return .allowed(until: node.window.validUntil)
    }

    /// Returns the decision for a request that `rule` allows. The request is still denied if the
    /// lock lacks the capability, or if remote operation is disabled.
    ///
    /// - Parameter rule: the most specific rule that allows the request.
    @inline(__always)
    func decision(allowedBy rule: Rule, for subject: Subject, override: Bool, in directory: TenancyDirectory) -> Decision {
        if let needed = operation.requiredCapability, !device.capabilities.contains(needed) {
            let missing = Denial.Missing(capability: needed.names.first)
            return .denied(Denial(.capabilityMissing, hasReach: true, rule: rule, missing: missing))
        }
        if !device.isRemoteOperationEnabled && operation.isMovement {
            return .denied(Denial(.remoteOperationDisabled, hasReach: true, rule: rule))
        }
        if operation.isOpening, !directory.lockedDownProperties.isEmpty, let property = device.propertyID,
            directory.lockedDownProperties.contains(property)
        {
            return decisionUnderLockdown(allowedBy: rule, for: subject, override: override, in: directory)
        }
        return .allowed(rule, override: false)
    }

    /// Returns the decision to open a lock of a property under lockdown: allowed only by an override, under the rule that permits it.
    @inline(never)
    private func decisionUnderLockdown(
        allowedBy rule: Rule, for subject: Subject, override: Bool, in directory: TenancyDirectory
    ) -> Decision {
        var overriding: Rule?
        if override, let user = subject.user {
            let portfolio = EntityPath(unit: nil, property: nil, portfolio: device.portfolioID)
            _ = SecurityService.forEachRole(of: user, reaching: portfolio, in: directory) { rule in
                guard case .role(let held, let column?) = rule, PermissionMatrix.lockdownOverride.contains(column)
                else { return .next }
                overriding = held.rule
                return .stop
            }
        }
        if let overriding { return .allowed(overriding, override: true) }
        return .denied(Denial(.lockdownActive, hasReach: true, rule: rule))
    }

    /// The denial of a request that no rule allows.
    ///
    /// - Parameter nearest: the failure of the rule that came nearest to allowing it; `nil` if no rule reaches the device.
    func denial(_ nearest: RuleFailure?) -> Denial {
        guard let nearest else { return Denial(device.isAssigned ? .noAssociation : .deviceUnassigned, hasReach: false) }
        if nearest.reason == .deviceUnassigned { return Denial(.deviceUnassigned, hasReach: true) }
        let missing: Denial.Missing? =
            switch nearest.reason {
            case .roleInsufficient:
                .init(role: PermissionMatrix.leastRole(holding: operation, isOnUnit: device.unitID != nil))
            case .operationNotGranted: .init(operation: operation)
            case .featureUnavailable: .init(module: SubscriptionModule.guestAccess.rawValue)
            default: nil
            }
        return Denial(
            nearest.reason, hasReach: true, rule: nearest.rule, opensAt: nearest.opensAt, closesAt: nearest.closesAt,
            missing: missing)
    }
}

/// The result of testing one rule that reaches a device.
enum RuleVerdict {
    /// `until` is the end of the guest's window; `nil` for a rule without an end.
    case allowed(until: Timestamp?)
    case failed(RuleFailure)
}

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
