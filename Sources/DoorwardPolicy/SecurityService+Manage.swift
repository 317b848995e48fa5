package import DoorwardDomain

extension SecurityService {
    /// Decides whether a user may manage an object.
    ///
    /// - Parameter instant: when given, a guest's accesses count towards their reach to a device, as in `decide`.
    /// - Returns: `allowed` with the most specific rule; `denied` for `role_insufficient` to whoever may know of the object
    ///   (everybody, of the gateway itself), and without reach to whoever may not know of it, or if it does not exist.
    package static func allows(
        _ user: UserID, _ permission: ManagementPermission, on object: ManagedObject, at instant: Timestamp? = nil,
        in directory: TenancyDirectory
    ) -> Decision {
        guard let node = directory.resolve(user), node.isKnown else { return .denied(Denial(.userUnknown, hasReach: false)) }
        let chain = Chain(object, in: directory)
        guard node.isEnabled else {
            return .denied(Denial(.userDisabled, hasReach: chain?.isReached(by: node, at: instant, in: directory) ?? false))
        }
        guard let chain else { return .denied(denialOfUnknown(object, to: node)) }
        let holders = PermissionMatrix.holders(of: permission)
        let tenancies = chain.tenancies(of: node, in: directory)
        let held = chain.associations(of: node, in: directory)
        let counting = (PermissionMatrix.tenantsHoldOnProperty.contains(permission) ? tenancies : []) + held
        if let granting = counting.first(where: { $0.isAssignable && holders.roles.contains($0.role) }) {
            return .allowed(granting.rule, override: false)
        }
        if node.isSuperAdmin && holders.superAdminHolds(on: object) { return .allowed(.superAdmin, override: false) }
        let guestRule = chain.guestAccess(of: node, at: instant, in: directory).map { Rule.guestAccess($0.access.id) }
        return .denied(
            denial(of: node, on: chain, rules: (held + tenancies).map(\.rule) + [guestRule].compactMap(\.self), holders))
    }

    /// Whether a user may know that an object exists: by an association on it or above it, by being allowed to read it (a
    /// tenant the property of their unit), or as super admin. Being disabled makes no difference.
    package static func reaches(_ user: UserID, _ object: AssociatedEntity, in directory: TenancyDirectory) -> Bool {
        reaches(user, ManagedObject(object), at: nil, in: directory)
    }

    /// The same for a device, which is also reached through a unit that shares it and through guest accesses.
    package static func reaches(_ user: UserID, device: DeviceID, at instant: Timestamp, in directory: TenancyDirectory) -> Bool {
        reaches(user, .device(device), at: instant, in: directory)
    }

    private static func reaches(_ user: UserID, _ object: ManagedObject, at instant: Timestamp?, in directory: TenancyDirectory)
        -> Bool
    {
        guard let node = directory.resolve(user), node.isKnown, let chain = Chain(object, in: directory) else { return false }
        return chain.isReached(by: node, at: instant, in: directory)
    }

    private static func denial(of user: UserNode, on chain: Chain, rules: [Rule], _ holders: ManagementHolders) -> Denial {
        guard user.isSuperAdmin || chain.object == .gateway || !rules.isEmpty else {
            let isUnassigned = chain.device.map { !$0.isAssigned } ?? false
            return Denial(isUnassigned ? .deviceUnassigned : .noAssociation, hasReach: false)
        }
        var nearest: RuleFailure?
        for rule in rules { RuleFailure(.roleInsufficient, of: rule).replace(&nearest) }
        let rule = nearest?.rule ?? (user.isSuperAdmin ? .superAdmin : nil)
        return Denial(.roleInsufficient, hasReach: true, rule: rule, missing: .init(role: holders.leastRole(on: chain.object)))
    }

    private static func denialOfUnknown(_ object: ManagedObject, to user: UserNode) -> Denial {
        if case .device = object { return Denial(.deviceUnknown, hasReach: user.isSuperAdmin) }
        return Denial(.noAssociation, hasReach: false)
    }
}

extension ManagementHolders {
    func superAdminHolds(on object: ManagedObject) -> Bool {
        switch superAdmin {
        case .nowhere: false
        case .gatewayOnly: object == .gateway
        case .everywhere: true
        }
    }

    /// The lowest role that would do for an object.
    func leastRole(on object: ManagedObject) -> Role? {
        object == .gateway || roles.isEmpty ? (superAdminHolds(on: object) ? .superAdmin : nil) : roles.last
    }
}
