package import DoorwardDomain

extension SecurityService {
    /// Whether one association, by itself, carries an operation on a device: its column of the matrix does, and the device
    /// hangs on or below what it is held on, or is a common area of it.
    package static func carries(
        _ association: UserRoleAssociation, _ operation: LockOperation, on device: DeviceID, in directory: TenancyDirectory
    ) -> Bool {
        guard let found = directory.device(device), found.propertyID != nil,
            let column = MatrixColumn(of: association.role, on: association.entity.type)
        else { return false }
        let columns = PermissionMatrix.columns(holding: operation)
        switch association.entity {
        case .portfolio(let id): return found.portfolioID == id && columns.contains(column)
        case .property(let id): return found.propertyID == id && columns.contains(column)
        case .unit(let id):
            if found.unitID == id { return columns.contains(column) }
            return directory.unitsSharing(device).contains(id) && columns.contains(.tenantCommonArea)
        }
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
