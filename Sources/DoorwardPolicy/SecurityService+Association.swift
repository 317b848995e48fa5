package import DoorwardDomain

extension SecurityService {
    /// The associations of a user that each allow all of `operations` on a device, ascending. Only standing roles count: a guest
    /// cannot grant access. The cost depends on the associations on the device and above it, and not on the user's other ones.
    package static func carriers(
        of operations: [LockOperation], by user: UserID, on device: DeviceID, in directory: TenancyDirectory
    ) -> [UserRoleAssociation] {
        guard let node = directory.resolve(user), let found = directory.resolve(device), found.isAssigned else { return [] }
        func carries(_ column: MatrixColumn?) -> Bool {
            column.map { column in operations.allSatisfy { PermissionMatrix.columns(holding: $0).contains(column) } } ?? false
        }
        var held: [HeldRole] = []
        directory.forEachSharedRole(of: node, on: found) { role in
            if case .tenant = role.role, carries(.tenantCommonArea) { held.append(role) }
        }
        let places: [AssociatedEntity?] = [
            found.unitID.map { .unit($0) }, found.propertyID.map { .property($0) }, found.portfolioID.map { .portfolio($0) },
        ]
        for case let place? in places {
            held += node.roles.held(on: place).filter { carries(MatrixColumn(of: $0.role, on: $0.type)) }
        }
        return held.map { $0.association(of: user) }.sorted { $0.id < $1.id }
    }

    /// The entities on which a user's roles carry an operation, for all devices that hang there, common areas left out.
    package static func entities(
        where user: UserID, holds operation: LockOperation, in directory: TenancyDirectory
    ) -> [AssociatedEntity] {
        guard directory.user(user)?.isEnabled == true else { return [] }
        let columns = PermissionMatrix.columns(holding: operation)
        return directory.associations(of: user).compactMap { association in
            MatrixColumn(of: association.role, on: association.entity.type).flatMap {
                columns.contains($0) ? association.entity : nil
            }
        }
    }
}
