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
    ///
    /// - Parameter isReached: set when anything that the user holds may reach the device, so that a stranger is told from
    ///   others without a second look.
    @inline(__always)
    static func grantingRule(
        of user: UserNode, _ operation: LockOperation, on node: DeviceNode, at instant: Timestamp, isReached: inout Bool,
        in directory: TenancyDirectory
    ) -> Rule? {
        let columns = PermissionMatrix.columns(holding: operation)
        if let property = node.propertyID {
            if let id = node.unitID, let rule = rule(of: user, on: id.cast(), .unit, columns, &isReached) { return rule }
            if node.isShared, let rule = commonAreaRule(of: user, on: node, columns, &isReached, in: directory) { return rule }
            if let rule = rule(of: user, on: property.cast(), .property, columns, &isReached) { return rule }
            if let id = node.portfolioID, let rule = rule(of: user, on: id.cast(), .portfolio, columns, &isReached) {
                return rule
            }
            if user.deviceFilter.mayContain(node.id) {
                let question = Question(operation: operation, device: node, instant: instant)
                if let rule = question.guestRule(of: user, &isReached, in: directory) { return rule }
            }
        }
        guard user.isSuperAdmin else { return nil }
        isReached = true
        return PermissionMatrix.superAdminOperations.contains(operation) ? .superAdmin : nil
    }

    @inline(__always)
    private static func rule(
        of user: UserNode, on id: EntityID<AssociatedEntity>, _ type: AssociatedEntityType, _ columns: MatrixColumns,
        _ isReached: inout Bool
    ) -> Rule? {
        for index in user.roles.indices(on: id, type) {
            isReached = true
            let held = user.roles[index]
            if let column = MatrixColumn(of: held.role, on: type), columns.contains(column) { return held.rule }
        }
        return nil
    }

    private static func commonAreaRule(
        of user: UserNode, on node: DeviceNode, _ columns: MatrixColumns, _ isReached: inout Bool,
        in directory: TenancyDirectory
    ) -> Rule? {
        var smallest: AssociationID?
        directory.forEachSharedRole(of: user, on: node) { held in
            isReached = true
            guard case .tenant = held.role, columns.contains(.tenantCommonArea) else { return }
            smallest = smallest.map { min($0, held.id) } ?? held.id
        }
        return smallest.map { .association($0, .tenant) }
    }

    private func guestRule(of user: UserNode, _ isReached: inout Bool, in directory: TenancyDirectory) -> Rule? {
        let entries = user.guestAccesses.entries
        for index in user.guestAccesses.indices(on: device.id)
        where entries[index].node.givesReach(to: device, at: instant, in: directory) {
            isReached = true
            if failure(of: entries[index].node, in: directory) == nil { return .guestAccess(entries[index].node.id) }
        }
        return nil
    }

    // MARK: - What forbids although a rule allows

    @inline(__always)
    static func decisionUnlessForbidden(_ rule: Rule, _ operation: LockOperation, on node: DeviceNode) -> Decision {
        if let needed = operation.requiredCapability, !node.capabilities.contains(needed) {
            let missing = Denial.Missing(capability: needed.names.first)
            return .denied(Denial(.capabilityMissing, hasReach: true, rule: rule, missing: missing))
        }
        if !node.isRemoteOperationEnabled && operation.isMovement {
            return .denied(Denial(.remoteOperationDisabled, hasReach: true, rule: rule))
        }
        return .allowed(rule, override: false)
    }

    // MARK: - Why no rule allows

    /// Why `user`, whom no rule allows it, may not.
    func denial(of user: UserNode, in directory: TenancyDirectory) -> Denial {
        var nearest: RuleFailure?
        if device.isAssigned {
            for held in associations(of: user, in: directory) {
                RuleFailure(.roleInsufficient, of: held.rule).replace(&nearest)
            }
            for node in guestAccesses(of: user, in: directory) {
                failure(of: node, in: directory)?.replace(&nearest)
            }
        }
        if user.isSuperAdmin { RuleFailure(.roleInsufficient, of: .superAdmin).replace(&nearest) }
        if let nearest { return denial(nearest) }
        let isUnassigned = !device.isAssigned
        return Denial(isUnassigned ? .deviceUnassigned : .noAssociation, hasReach: isReached(by: user, in: directory))
    }

    /// The denial that a failure of a rule which reaches the device amounts to.
    func denial(_ failure: RuleFailure) -> Denial {
        let missing: Denial.Missing? =
            switch failure.reason {
            case .roleInsufficient:
                .init(role: PermissionMatrix.leastRole(holding: operation, hangsOnUnit: device.unitID != nil))
            case .operationNotGranted: .init(operation: operation)
            default: nil
            }
        return Denial(
            failure.reason, hasReach: true, rule: failure.rule, opensAt: failure.opensAt, closesAt: failure.closesAt,
            missing: missing)
    }

    /// The first test that a guest access which lists the device fails; `nil` when it passes all.
    func failure(of node: GuestAccessNode, in directory: TenancyDirectory) -> RuleFailure? {
        let rule = Rule.guestAccess(node.id)
        if node.isRevoked { return RuleFailure(.guestAccessRevoked, of: rule) }
        if node.hasLostGrantor(of: device.id, in: directory) {
            return RuleFailure(.grantorLostAccess, of: rule)
        }
        let columns = PermissionMatrix.columns(holding: operation)
        guard columns.contains(.guestInWindow) || (columns.contains(.guestIfGranted) && node.operations.contains(operation))
        else {
            return RuleFailure(.operationNotGranted, of: rule)
        }
        if instant >= node.window.validUntil {
            return RuleFailure(.guestWindowEnded, of: rule, closesAt: node.window.validUntil)
        }
        if instant < node.window.validFrom {
            return RuleFailure(.guestWindowNotStarted, of: rule, opensAt: node.window.validFrom)
        }
        return nil
    }

    // MARK: - Reach

    /// Whether the user may know that the device exists.
    func isReached(by user: UserNode, in directory: TenancyDirectory) -> Bool {
        user.isSuperAdmin || !associations(of: user, in: directory).isEmpty || !guestAccesses(of: user, in: directory).isEmpty
    }

    /// What the user holds on the device's unit, property and portfolio, and on units that share it.
    func associations(of user: UserNode, in directory: TenancyDirectory) -> [HeldRole] {
        var found = directory.sharedRoles(of: user, on: device)
        if let id = device.unitID { found += user.roles.held(on: .unit(id)) }
        if let id = device.propertyID { found += user.roles.held(on: .property(id)) }
        if let id = device.portfolioID { found += user.roles.held(on: .portfolio(id)) }
        return found
    }

    /// The user's guest accesses that list the device and still, or already, let them know of it.
    func guestAccesses(of user: UserNode, in directory: TenancyDirectory) -> [GuestAccessNode] {
        user.guestAccesses.all(on: device.id).filter { $0.givesReach(to: device, at: instant, in: directory) }
    }
}
