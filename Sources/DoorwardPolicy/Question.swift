internal import DoorwardDomain
internal import HashTreeCollections

/// One operation on one device at one instant: what every rule is asked.
struct Question {
    let operation: LockOperation
    let device: DeviceNode
    let instant: Timestamp

    // MARK: - The rule that allows

    /// The most specific rule that allows it: unit, property, portfolio, guest access, super admin; of several on one
    /// entity the higher role, then the smaller id.
    func grantingRule(of user: UserNode, in directory: TenancyDirectory) -> Rule? {
        let columns = PermissionMatrix.columns(holding: operation)
        if let property = device.device.propertyID {
            if let unit = device.device.unitID, let rule = rule(of: user, on: unit.cast(), .unit, columns) { return rule }
            if let rule = commonAreaRule(of: user, columns) { return rule }
            if let rule = rule(of: user, on: property.cast(), .property, columns) { return rule }
            if let id = device.device.portfolioID, let rule = rule(of: user, on: id.cast(), .portfolio, columns) { return rule }
            if let rule = guestRule(of: user, in: directory) { return rule }
        }
        return user.isSuperAdmin && PermissionMatrix.superAdminOperations.contains(operation) ? .superAdmin : nil
    }

    @inline(__always)
    private func rule(
        of user: UserNode, on id: EntityID<AssociatedEntity>, _ type: AssociatedEntityType, _ columns: MatrixColumns
    ) -> Rule? {
        let roles = user.roles.all
        for index in user.roles.indices(on: id, type) {
            let role = roles[index].role
            if let column = MatrixColumn(of: role, on: type), columns.contains(column) {
                return .association(roles[index].id, role)
            }
        }
        return nil
    }

    private func commonAreaRule(of user: UserNode, _ columns: MatrixColumns) -> Rule? {
        guard !device.sharingUnits.isEmpty, columns.contains(.tenantCommonArea) else { return nil }
        return device.sharedRoles(of: user).filter { $0.role == .tenant }.map(\.id).min().map { .association($0, .tenant) }
    }

    private func guestRule(of user: UserNode, in directory: TenancyDirectory) -> Rule? {
        let entries = user.guestAccesses.entries
        for index in user.guestAccesses.indices(on: device.id) where entries[index].node.access.givesReach(at: instant) {
            if failure(of: entries[index].node, in: directory) == nil { return .guestAccess(entries[index].node.access.id) }
        }
        return nil
    }

    // MARK: - What forbids although a rule allows

    func decisionUnlessForbidden(_ rule: Rule) -> Decision {
        if let needed = operation.requiredCapability, !device.device.capabilities.contains(needed) {
            let missing = Denial.Missing(capability: needed.names.first)
            return .denied(Denial(.capabilityMissing, hasReach: true, rule: rule, missing: missing))
        }
        if operation.isMovement && !device.device.isRemoteOperationEnabled {
            return .denied(Denial(.remoteOperationDisabled, hasReach: true, rule: rule))
        }
        return .allowed(rule, override: false)
    }

    // MARK: - Why no rule allows

    /// Why `user`, whom no rule allows it, may not.
    func denial(of user: UserNode, in directory: TenancyDirectory) -> Denial {
        var nearest: RuleFailure?
        if device.device.propertyID != nil {
            for held in associations(of: user) {
                RuleFailure(.roleInsufficient, of: held.rule).replace(&nearest)
            }
            for node in guestAccesses(of: user) {
                failure(of: node, in: directory)?.replace(&nearest)
            }
        }
        if user.isSuperAdmin { RuleFailure(.roleInsufficient, of: .superAdmin).replace(&nearest) }
        if let nearest { return denial(nearest) }
        let isUnassigned = device.device.propertyID == nil
        return Denial(isUnassigned ? .deviceUnassigned : .noAssociation, hasReach: isReached(by: user))
    }

    /// The denial that a failure of a rule which reaches the device amounts to.
    func denial(_ failure: RuleFailure) -> Denial {
        let missing: Denial.Missing? =
            switch failure.reason {
            case .roleInsufficient:
                .init(role: PermissionMatrix.leastRole(holding: operation, hangsOnUnit: device.device.unitID != nil))
            case .operationNotGranted: .init(operation: operation)
            default: nil
            }
        return Denial(
            failure.reason, hasReach: true, rule: failure.rule, opensAt: failure.opensAt, closesAt: failure.closesAt,
            missing: missing)
    }

    /// The first test that a guest access which lists the device fails; `nil` when it passes all.
    func failure(of node: GuestAccessNode, in directory: TenancyDirectory) -> RuleFailure? {
        let access = node.access
        let rule = Rule.guestAccess(access.id)
        if access.revokedAt != nil { return RuleFailure(.guestAccessRevoked, of: rule) }
        if access.grantedUnderRole == .tenant && directory.holders[access.grantedUnderAssociationID] == nil {
            return RuleFailure(.grantorLostAccess, of: rule)
        }
        let columns = PermissionMatrix.columns(holding: operation)
        guard columns.contains(.guestInWindow) || (columns.contains(.guestIfGranted) && node.operations.contains(operation))
        else {
            return RuleFailure(.operationNotGranted, of: rule)
        }
        if instant >= access.window.validUntil {
            return RuleFailure(.guestWindowEnded, of: rule, closesAt: access.window.validUntil)
        }
        if instant < access.window.validFrom {
            return RuleFailure(.guestWindowNotStarted, of: rule, opensAt: access.window.validFrom)
        }
        return nil
    }

    // MARK: - Reach

    /// Whether the user may know that the device exists.
    func isReached(by user: UserNode) -> Bool {
        user.isSuperAdmin || !associations(of: user).isEmpty || !guestAccesses(of: user).isEmpty
    }

    /// What the user holds on the device's unit, property and portfolio, and on units that share it.
    func associations(of user: UserNode) -> [HeldRole] {
        var found = device.sharedRoles(of: user)
        if let id = device.device.unitID { found += user.roles.held(on: .unit(id)) }
        if let id = device.device.propertyID { found += user.roles.held(on: .property(id)) }
        if let id = device.device.portfolioID { found += user.roles.held(on: .portfolio(id)) }
        return found
    }

    /// The user's guest accesses that list the device and still, or already, let them know of it.
    func guestAccesses(of user: UserNode) -> [GuestAccessNode] {
        user.guestAccesses.all(on: device.id).filter { $0.access.givesReach(at: instant) }
    }
}
