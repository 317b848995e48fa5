import DoorwardDomain
import DoorwardPolicy

/// The management matrix, copied again from the specification, with `allows` and the visible lists computed by linear search.
struct NaiveManagement {
    let world: PlainWorld

    /// `permission: [SUPER_ADMIN, OWNER, PORTFOLIO_ADMIN, PROPERTY_MANAGER, MAINTENANCE, AUDITOR, TENANT]`; `g` means yes on the
    /// gateway only.
    static let matrix: [String: String] = [
        "portfolio.create": "y n n n n n n", "portfolio.read": "y y y n n y n", "portfolio.rename": "y y y n n n n",
        "portfolio.delete": "y y n n n n n",
        "subscription.read": "y y y n n n n", "subscription.change": "y n n n n n n", "retention.change": "n y n n n n n",
        "portfolio.admins.assign": "y y n n n n n", "portfolio.auditors.assign": "y y y n n n n",
        "property.read": "y y y y y y y", "property.change": "n y y y n n n", "property.create": "n y y n n n n",
        "property.delete": "n y y n n n n",
        "property.managers.assign": "n y y n n n n", "property.staff.assign": "n y y y n n n",
        "unit.read": "y y y y y y y", "unit.create": "n y y y n n n", "unit.change": "n y y y n n n",
        "unit.delete": "n y y y n n n",
        "unit.tenants.assign": "n y y y n n n",
        "device.read": "y y y y y y y", "device.attach": "y y y y n n n", "device.change": "n y y y n n n",
        "device.move": "n y y y n n n", "device.detach": "n y y y n n n",
        "lockdown": "n y y y n n n",
        "guestAccess.grant": "n y y y n n y", "guestAccess.change": "n y y y n n y", "guestAccess.revoke": "n y y y n n y",
        "guestAccess.link": "n y y y n n y",
        "people.list": "y y y y n n n", "people.read": "y y y y n n n", "apiKeys.manage": "y y y y n n n",
        "accessLog.export": "g y y y n y n", "accessLog.verify": "g y y n n y n", "accessLog.complianceReport": "n y y y n y n",
        "users.create": "y n n n n n n", "users.disable": "y n n n n n n", "users.delete": "y n n n n n n",
        "users.erase": "y n n n n n n", "adapters.manage": "y n n n n n n", "gatewayLog.read": "y n n n n n n",
    ]

    static let roles: [Role] = [.superAdmin, .owner, .portfolioAdmin, .propertyManager, .maintenance, .auditor, .tenant]

    static func cell(_ permission: ManagementPermission, _ role: Role) -> String {
        guard let row = matrix[permission.rawValue], let column = roles.firstIndex(of: role) else { return "n" }
        return String(row.split(separator: " ")[column])
    }

    enum Answer: Equatable {
        case allowed
        case denied(reason: DenialReason, hasReach: Bool)
    }

    func allows(_ userID: UserID, _ permission: ManagementPermission, _ object: ManagedObject) -> Answer {
        guard let user = world.users.first(where: { $0.id == userID }) else {
            return .denied(reason: .userUnknown, hasReach: false)
        }
        let onOrAbove = world.associations.filter { $0.userID == userID && reachesDown($0, object) }
        let tenancies = world.associations.filter { $0.userID == userID && $0.role == .tenant && isInProperty($0, object) }
        let hasReach = user.isSuperAdmin && exists(object) || object == .gateway || !onOrAbove.isEmpty || !tenancies.isEmpty
        guard user.isEnabled else { return .denied(reason: .userDisabled, hasReach: hasReach) }
        guard exists(object) else {
            if case .device = object { return .denied(reason: .deviceUnknown, hasReach: user.isSuperAdmin) }
            return .denied(reason: .noAssociation, hasReach: false)
        }
        let cell = Self.cell(permission, .superAdmin)
        if user.isSuperAdmin && (cell == "y" || cell == "g" && object == .gateway) { return .allowed }
        let counting = onOrAbove + (permission == .propertyRead ? tenancies : [])
        let allows = counting.contains { association in
            NaivePolicy.column(of: association.role, on: association.entity.type, isCommonArea: false) != nil
                && Self.cell(permission, association.role) == "y"
        }
        if allows { return .allowed }
        if hasReach { return .denied(reason: .roleInsufficient, hasReach: true) }
        if case .device(let id) = object, world.devices.contains(where: { $0.id == id && $0.propertyID == nil }) {
            return .denied(reason: .deviceUnassigned, hasReach: false)
        }
        return .denied(reason: .noAssociation, hasReach: false)
    }

    func exists(_ object: ManagedObject) -> Bool {
        switch object {
        case .gateway: true
        case .portfolio(let id): world.portfolios.contains { $0.id == id }
        case .property(let id): world.properties.contains { $0.id == id }
        case .unit(let id): world.units.contains { $0.id == id }
        case .device(let id): world.devices.contains { $0.id == id }
        }
    }

    /// Returns whether an association is on the object or above it, or on a unit that shares it.
    private func reachesDown(_ association: UserRoleAssociation, _ object: ManagedObject) -> Bool {
        guard exists(object) else { return false }
        switch object {
        case .gateway: return false
        case .portfolio(let id): return association.entity == .portfolio(id)
        case .property(let id):
            let portfolio = world.properties.first { $0.id == id }?.portfolioID
            return association.entity == .property(id) || portfolio.map { association.entity == .portfolio($0) } == true
        case .unit(let id):
            guard let unit = world.units.first(where: { $0.id == id }) else { return false }
            return [.unit(id), .property(unit.propertyID), .portfolio(unit.portfolioID)].contains(association.entity)
        case .device(let id):
            guard let device = world.devices.first(where: { $0.id == id }) else { return false }
            return NaivePolicy(world: world).reach(association, device) != nil
        }
    }

    private func isInProperty(_ association: UserRoleAssociation, _ object: ManagedObject) -> Bool {
        guard case .property(let property) = object, case .unit(let unit) = association.entity else { return false }
        return world.units.contains { $0.id == unit && $0.propertyID == property }
    }
}
