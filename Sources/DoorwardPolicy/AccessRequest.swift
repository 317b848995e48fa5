internal import DoorwardDomain

/// An access request: one operation on one device at one instant.
struct AccessRequest {
    let operation: LockOperation
    let device: DeviceNode
    let instant: Timestamp

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
        else {
            return .failed(RuleFailure(.operationNotGranted, of: rule))
        }
        if instant >= node.window.validUntil {
            return .failed(RuleFailure(.guestWindowEnded, of: rule, closesAt: node.window.validUntil))
        }
        if instant < node.window.validFrom {
            return .failed(RuleFailure(.guestWindowNotStarted, of: rule, opensAt: node.window.validFrom))
        }
        return .allowed(until: node.window.validUntil)
    }

    /// Returns the decision for a request that `rule` allows. The request is still denied if the
    /// lock lacks the capability, or if remote operation is disabled.
    @inline(__always)
    func decision(allowedBy rule: Rule) -> Decision {
        if let needed = operation.requiredCapability, !device.capabilities.contains(needed) {
            let missing = Denial.Missing(capability: needed.names.first)
            return .denied(Denial(.capabilityMissing, hasReach: true, rule: rule, missing: missing))
        }
        if !device.isRemoteOperationEnabled && operation.isMovement {
            return .denied(Denial(.remoteOperationDisabled, hasReach: true, rule: rule))
        }
        return .allowed(rule, override: false)
    }

    /// Returns the denial of a request that no rule allows.
    ///
    /// - Parameter nearest: the failure of the rule that came nearest to allowing it; `nil` if no rule reaches the device.
    func denial(_ nearest: RuleFailure?) -> Denial {
        guard let nearest else {
            return Denial(device.isAssigned ? .noAssociation : .deviceUnassigned, hasReach: false)
        }
        if nearest.reason == .deviceUnassigned { return Denial(.deviceUnassigned, hasReach: true) }
        let missing: Denial.Missing? =
            switch nearest.reason {
            case .roleInsufficient:
                .init(role: PermissionMatrix.leastRole(holding: operation, hangsOnUnit: device.unitID != nil))
            case .operationNotGranted: .init(operation: operation)
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
