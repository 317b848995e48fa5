package import DoorwardDomain

extension SecurityService {
    /// Decides whether a subject may manage an object.
    ///
    /// - Parameter instant: when given, a guest access counts as reach to a device, as in `decide`.
    /// - Returns: `allowed` with the most specific rule, or `denied`. The reason is `role_insufficient` if the subject may know
    ///   that the object exists, as always for the gateway itself. Otherwise the denial is without reach, as for an object that
    ///   does not exist.
    package static func allows(
        _ subject: Subject, _ permission: ManagementPermission, on object: ManagedObject, at instant: Timestamp? = nil,
        in directory: TenancyDirectory
    ) -> Decision {
        if subject.status == .unknown { return .denied(Denial(.userUnknown, hasReach: false)) }
        guard let path = EntityPath(object, in: directory) else {
            return .denied(denialOfUnknown(object, to: subject))
        }
        guard subject.isEnabled else {
            let hasReach = object == .gateway || reaches(subject, path, at: instant, in: directory)
            return .denied(Denial(.userDisabled, hasReach: hasReach))
        }
        let holders = PermissionMatrix.holders(of: permission)
        var granting: Rule?
        var nearest: RuleFailure?
        forEachRule(reaching: path, for: subject, at: instant, in: directory) { rule in
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

    /// Whether a subject may know that an object exists: by an association on it or above it, by being allowed to read it (as a
    /// tenant the property of their unit), or as super admin. Disabling a user does not change this.
    package static func reaches(_ subject: Subject, _ object: AssociatedEntity, in directory: TenancyDirectory) -> Bool {
        EntityPath(ManagedObject(object), in: directory).map { reaches(subject, $0, at: nil, in: directory) } ?? false
    }

    /// The same for a device, which is also reached through a unit that shares it and through guest accesses.
    package static func reaches(
        _ subject: Subject, device: DeviceID, at instant: Timestamp, in directory: TenancyDirectory
    ) -> Bool {
        directory.resolve(device).map { reaches(subject, EntityPath($0), at: instant, in: directory) } ?? false
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
