package import DoorwardDomain

/// Decides which operations and management permissions a subject has. Decisions are pure: the same snapshot, time and request
/// give the same decision, and nothing else is read or written. A request is denied unless a rule allows it.
package enum SecurityService {
    /// Decides one operation on one lock.
    ///
    /// - Parameters:
    ///   - time: the time of the operation, read once from the gateway's clock.
    ///   - override: whether the caller gave a reason to override a lockdown. Ignored if there is no lockdown.
    ///   - directory: the snapshot that the subject was resolved in.
    /// - Returns: `allowed` with the most specific rule that allows the operation, or `denied` with the reason of the rule that
    ///   came nearest to allowing it. A denial also states whether the subject may know that the device exists.
    package static func decide(
        _ subject: Subject, _ operation: LockOperation, on device: DeviceID, at time: DecisionTime, override: Bool,
        in directory: TenancyDirectory
    ) -> Decision {
        decide(subject, operation, on: directory.resolve(device), at: time, override: override, in: directory)
    }

    /// Resolves a principal in a snapshot and decides its request. Use this function for a single
    /// decision, such as the one in the dispatch gate.
    ///
    /// - Parameter uses: the uses of guest accesses that the command has reserved or failed to reserve.
    package static func decide(
        _ principal: Principal, _ operation: LockOperation, on device: DeviceID, at time: DecisionTime, override: Bool,
        uses: CommandUses = CommandUses(), in directory: TenancyDirectory
    ) -> Decision {
        // Resolve the device before the user, so that the processor waits for the memory of both at once.
        let device = directory.resolve(device)
        return directory.withSubject(of: principal) { subject in
            decide(subject, operation, on: device, at: time, override: override, uses: uses, in: directory)
        }
    }

    /// Decides one operation on a device that was resolved in the same snapshot. `device` is `nil` if the device does not exist.
    package static func decide(
        _ subject: Subject, _ operation: LockOperation, on device: DeviceNode?, at time: DecisionTime, override: Bool,
        uses: CommandUses = CommandUses(), in directory: TenancyDirectory
    ) -> Decision {
        guard let device else { return .denied(Denial(subject.denialReason ?? .deviceUnknown, hasReach: subject.isSuperAdmin)) }
        if let reason = subject.denialReason {
            return .denied(Denial(reason, hasReach: reaches(subject, EntityPath(device), at: time, in: directory)))
        }
        if let key = subject.key {
            guard !key.hasExpired(at: time) else { return .denied(Denial(.userUnknown, hasReach: false)) }
            return key.decide {
                decide($0, operation, on: device, at: time, override: override, uses: uses, in: directory)
            }
        }
        let request = AccessRequest(operation: operation, device: device, time: time, uses: uses)
        var granting: Rule?
        var nearest: RuleFailure?
        forEachRule(reaching: request, for: subject, in: directory) { rule, verdict in
            if case .failed(let failure) = verdict {
                failure.replace(&nearest)
                return .next
            }
            guard case .role(let held, .tenantCommonArea?) = rule else {
                // The most specific rule comes first.
                granting = granting ?? rule.rule
                return .stop
            }
            // Several units may share the device. Report the association with the smallest id.
            if granting?.sortKey.map({ $0 < held.id.cast() }) != true { granting = held.rule }
            return .next
        }
        if let granting { return request.decision(allowedBy: granting, for: subject, override: override, in: directory) }
        return .denied(request.denial(nearest))
    }

    /// Calls `body` with each rule that reaches the requested device, and with the rule's verdict,
    /// in the order of the other `forEachRule`.
    @inline(__always)
    static func forEachRule(
        reaching request: AccessRequest, for subject: Subject, in directory: TenancyDirectory,
        _ body: (ReachingRule, RuleVerdict) -> IterationStep
    ) {
        forEachRule(reaching: EntityPath(request.device), for: subject, at: request.time, in: directory) { rule in
            body(rule, request.verdict(on: rule, in: directory))
        }
    }
}

extension SecurityService {
    /// Returns the subject's associations that each allow all of `operations` on a device, in
    /// ascending order; none for a disabled user. Guest accesses are ignored, because a guest
    /// cannot grant access. For an API key these are its creator's associations, if
    /// the key's role allows the operations too. The cost depends only on the associations that reach the device.
    package static func carriers(
        of operations: [LockOperation], by subject: Subject, on device: DeviceID, in directory: TenancyDirectory
    ) -> [UserRoleAssociation] {
        if let key = subject.key {
            let isGiven = !carriers(of: operations, by: key.role, on: device, in: directory).isEmpty
            return isGiven ? carriers(of: operations, by: key.creator, on: device, in: directory) : []
        }
        guard subject.isEnabled, let user = subject.user, let device = directory.resolve(device), device.isAssigned
        else { return [] }
        var carriers: [UserRoleAssociation] = []
        forEachRule(reaching: EntityPath(device), for: subject, at: nil, in: directory) { rule in
            if case .role(let held, let column) = rule, operations.allSatisfy({ PermissionMatrix.holds($0, column) }) {
                carriers.append(held.association(of: user.id))
            }
            return .next
        }
        return carriers.sorted { $0.id < $1.id }
    }

    /// The entities on which a role of the subject holds an operation for all attached devices. Common areas are ignored.
    package static func entities(
        where subject: Subject, holds operation: LockOperation, in directory: TenancyDirectory
    ) -> [AssociatedEntity] {
        if let key = subject.key {
            let ofCreator = entities(where: key.creator, holds: operation, in: directory)
            return entities(where: key.role, holds: operation, in: directory).flatMap { entity in
                ofCreator.contains { directory.covers($0, entity) } ? [entity] : ofCreator.filter { directory.covers(entity, $0) }
            }
        }
        guard let user = subject.user, subject.isEnabled else { return [] }
        return user.roles.all.sorted { $0.id < $1.id }.filter {
            PermissionMatrix.holds(operation, MatrixColumn(of: $0.role, on: $0.type))
        }.map(\.entity)
    }
}

extension SecurityService {
    /// Decides whether a subject may manage an object.
    ///
    /// - Parameter time: the time of the request. With `nil`, guest accesses are ignored;
    ///   otherwise, a guest access makes a device visible, as in `decide`.
    /// - Returns: `allowed` with the most specific rule, or `denied`. If the object is visible to
    ///   the subject, the reason is `role_insufficient`; the gateway is visible to every subject.
    ///   Otherwise `hasReach` is false, as in the denial for an object that does not exist.
    package static func allows(
        _ subject: Subject, _ permission: ManagementPermission, on object: ManagedObject, at time: DecisionTime? = nil,
        in directory: TenancyDirectory
    ) -> Decision {
        if subject.status == .unknown { return .denied(Denial(.userUnknown, hasReach: false)) }
        guard let path = EntityPath(object, in: directory) else { return .denied(denialOfUnknown(object, to: subject)) }
        if subject.isEnabled, let key = subject.key {
            return key.decide { allows($0, permission, on: object, at: time, in: directory) }
        }
        guard subject.isEnabled else {
            let hasReach = object == .gateway || reaches(subject, path, at: time, in: directory)
            return .denied(Denial(.userDisabled, hasReach: hasReach))
        }
        let holders = PermissionMatrix.holders(of: permission)
        var granting: Rule?
        var nearest: RuleFailure?
        forEachRule(reaching: path, for: subject, at: time, in: directory) { rule in
            if holders.hold(permission, by: rule, on: object) {
                granting = rule.rule
                return .stop
            }
            RuleFailure(.roleInsufficient, of: rule.rule).replace(&nearest)
            return .next
        }
        if let granting { return .allowed(granting, override: false) }
        guard nearest != nil || object == .gateway else {
            let isUnassigned = path.device.map { !$0.isAssigned } ?? false
            return .denied(Denial(isUnassigned ? .deviceUnassigned : .noAssociation, hasReach: false))
        }
        let missing = Denial.Missing(role: holders.leastRole(on: object))
        return .denied(Denial(.roleInsufficient, hasReach: true, rule: nearest?.rule, missing: missing))
    }

    /// Whether an object is visible to a subject: through an association on it or above it, as a tenant of a unit of the
    /// property, or as a super admin. Disabling a user does not change this.
    package static func reaches(_ subject: Subject, _ object: AssociatedEntity, in directory: TenancyDirectory) -> Bool {
        EntityPath(ManagedObject(object), in: directory).map { reaches(subject, $0, at: nil, in: directory) } ?? false
    }

    /// Whether a device is visible to a subject, also through a unit that shares the device or through a guest access.
    package static func reaches(
        _ subject: Subject, device: DeviceID, at time: DecisionTime, in directory: TenancyDirectory
    ) -> Bool {
        directory.resolve(device).map { reaches(subject, EntityPath($0), at: time, in: directory) } ?? false
    }

    private static func denialOfUnknown(_ object: ManagedObject, to subject: Subject) -> Denial {
        guard subject.isEnabled else { return Denial(.userDisabled, hasReach: false) }
        if case .device = object { return Denial(.deviceUnknown, hasReach: subject.isSuperAdmin) }
        return Denial(.noAssociation, hasReach: false)
    }
}

extension ManagementHolders {
    /// Whether a rule that reaches the object gives the permission on it.
    fileprivate func hold(_ permission: ManagementPermission, by rule: ReachingRule, on object: ManagedObject) -> Bool {
        switch rule {
        case .role(let held, let column): column != nil && roles.contains(held.role)
        case .tenancyBelow: PermissionMatrix.tenantsHoldOnProperty.contains(permission) && roles.contains(.tenant)
        case .guestAccess: false
        case .superAdmin: superAdminHolds(on: object)
        }
    }

    func superAdminHolds(on object: ManagedObject) -> Bool {
        switch superAdmin {
        case .nowhere: false
        case .gatewayOnly: object == .gateway
        case .everywhere: true
        }
    }

    /// The lowest role that holds the permission on an object.
    func leastRole(on object: ManagedObject) -> Role? {
        object == .gateway || roles.isEmpty ? (superAdminHolds(on: object) ? .superAdmin : nil) : roles.last
    }
}

extension SecurityService {
    /// Whether a subject holds a role or a higher one on an entity, directly or through an entity above it. True for a super admin: the
    /// rights that they give there are limited by their own rights anyway. For an API key, both its role and its creator must hold it.
    package static func holds(
        _ role: Role, on entity: AssociatedEntity, _ subject: Subject, in directory: TenancyDirectory
    ) -> Bool {
        if let key = subject.key {
            return [key.role, key.creator].allSatisfy { holds(role, on: entity, $0, in: directory) }
        }
        guard subject.isEnabled, let path = EntityPath(ManagedObject(entity), in: directory) else { return false }
        var isHeld = false
        forEachRule(reaching: path, for: subject, at: nil, in: directory) { rule in
            switch rule {
            case .role(let held, let column): isHeld = column != nil && held.role.rank <= role.rank
            case .superAdmin: isHeld = true
            case .tenancyBelow, .guestAccess: break
            }
            return isHeld ? .stop : .next
        }
        return isHeld
    }
}

extension SecurityService {
    /// Returns the highest field level that a subject's rules give for an object at a time; `nil` if no rule gives a level,
    /// so that no field is visible. `FieldTable` lists the fields of each level.
    ///
    /// The caller must first decide by `decide` or `allows` whether the subject may read the object at all.
    package static func fieldLevel(
        of subject: Subject, for object: FieldObject, at time: DecisionTime, in directory: TenancyDirectory
    ) -> FieldLevel? {
        guard subject.isEnabled else { return nil }
        if let key = subject.key { return level(of: key, for: object, at: time, in: directory) }
        switch object {
        case .portfolio(let id):
            return level(of: subject, on: .portfolio(id), superAdmin: .management, at: time, in: directory)
        case .property(let id): return level(of: subject, on: .property(id), superAdmin: .operations, at: time, in: directory)
        case .unit(let id): return level(of: subject, on: .unit(id), superAdmin: .operations, at: time, in: directory)
        case .device(let id): return level(of: subject, on: .device(id), superAdmin: .operations, at: time, in: directory)
        case .user(let id): return level(of: subject, onPerson: id, in: directory)
        case .guestAccess(let id): return level(of: subject, onGuestAccess: id, in: directory)
        case .event(let unit, let property, let portfolio, let actor):
            let path = EntityPath(unit: unit, property: property, portfolio: portfolio)
            let level = roleLevel(of: subject, on: path, in: directory)
            return actor.map(subject.isActor) == true ? max(level ?? .management, .management) : level
        }
    }

    /// The lower of the levels of the key's role and of its creator; at least MANAGEMENT for the key's own commands.
    private static func level(
        of key: KeyScope, for object: FieldObject, at time: DecisionTime, in directory: TenancyDirectory
    ) -> FieldLevel? {
        let levels = [key.role, key.creator].map { fieldLevel(of: $0, for: object, at: time, in: directory) }
        let common = levels.contains(nil) ? nil : levels.compactMap(\.self).min()
        guard case .event(_, _, _, let actor?) = object, key.isActor(actor) else { return common }
        return max(common ?? .management, .management)
    }

    private static func level(
        of subject: Subject, on object: ManagedObject, superAdmin: FieldLevel, at time: DecisionTime,
        in directory: TenancyDirectory
    ) -> FieldLevel? {
        guard let path = EntityPath(object, in: directory) else { return nil }
        var highest: FieldLevel?
        forEachRule(reaching: path, for: subject, at: time, in: directory) { rule in
            if let level = rule.fieldLevel(superAdmin: superAdmin) { highest = max(highest ?? level, level) }
            return .next
        }
        return highest
    }

    /// The highest level that roles on a path give; guest accesses and the super-admin flag are ignored.
    private static func roleLevel(of subject: Subject, on path: EntityPath?, in directory: TenancyDirectory) -> FieldLevel? {
        guard let user = subject.user, let path else { return nil }
        var highest: FieldLevel?
        _ = forEachRole(of: user, reaching: path, in: directory) { rule in
            if let level = rule.fieldLevel(superAdmin: nil) { highest = max(highest ?? level, level) }
            return .next
        }
        return highest
    }

    /// The user and super admins see all fields of a user. Another subject sees fields by its own level on the entities on which
    /// the user holds a role or guest access; the highest of these levels counts.
    private static func level(of subject: Subject, onPerson id: UserID, in directory: TenancyDirectory) -> FieldLevel? {
        guard let person = directory.users[id]?.node, person.isKnown else { return nil }
        if subject.isUser(id) || subject.isSuperAdmin { return .owner }
        let objects =
            person.roles.all.map { ManagedObject($0.entity) }
            + person.guestAccesses.ids.compactMap { access in
                directory.guestAccess(access).map(place)
            }
        let levels = Set(objects).compactMap { roleLevel(of: subject, on: EntityPath($0, in: directory), in: directory) }
        // Return at most MANAGEMENT: OWNER would add the fields that are private to the user.
        return levels.max().map { min($0, .management) }
    }

    /// The grantor and the management of the unit or property see all fields of a guest access. Its
    /// guest and the residents do not see the association under which it was granted.
    private static func level(
        of subject: Subject, onGuestAccess id: GuestAccessID, in directory: TenancyDirectory
    ) -> FieldLevel? {
        guard let access = directory.guestAccess(id) else { return nil }
        let asGrantor: FieldLevel? = subject.isUser(access.grantedByUserID) ? .management : nil
        let asGuest: FieldLevel? = subject.isUser(access.guestUserID) ? .publicLevel : nil
        let byPlace = roleLevel(of: subject, on: EntityPath(place(of: access), in: directory), in: directory)
        return [asGrantor, asGuest, byPlace].compactMap(\.self).max()
    }

    private static func place(of access: GuestAccess) -> ManagedObject {
        access.unitID.map { .unit($0) } ?? .property(access.propertyID)
    }
}

extension ReachingRule {
    /// The level that the rule gives on the object that it reaches; `nil` for a role that gives no right on its entity.
    fileprivate func fieldLevel(superAdmin: FieldLevel?) -> FieldLevel? {
        switch self {
        case .role(let held, let column): column == nil ? nil : FieldLevel(of: held.role)
        case .tenancyBelow(let held): FieldLevel(of: held.role)
        case .guestAccess: .publicLevel
        case .superAdmin: superAdmin
        }
    }
}
