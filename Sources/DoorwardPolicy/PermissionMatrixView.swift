package import DoorwardDomain

/// Both matrices in the form of `GET /permission-matrix`.
package struct PermissionMatrixView: Encodable, Sendable {
    /// A row for each lock operation, in the order of the matrix.
    package let operations: [OperationRow]
    /// A row for each management permission, in the order of the matrix.
    package let management: [ManagementRow]

    /// A lock operation with all its holders, highest role first.
    package struct OperationRow: Encodable, Sendable {
        /// The operation; in JSON its raw value, such as `VIEW_STATUS`. Each operation has one row.
        package let operation: LockOperation
        /// The holders. A tenant appears twice if the operation is held both in their own unit and in common areas.
        package let holders: [OperationHolder]
    }

    /// A holder of an operation: a role, and a condition if there is one.
    package struct OperationHolder: Encodable, Sendable {
        /// The role; in JSON its raw value. `SUPER_ADMIN` stands for the flag, `GUEST` for a guest access.
        package let role: Role
        /// The devices or the time to which the operation is limited; absent if the role holds it
        /// on its entity and everything below it.
        package let condition: Condition?
    }

    /// The condition under which a role holds an operation. Raw values are those in JSON.
    package enum Condition: String, Encodable, Sendable {
        /// On every device of the gateway, including unassigned ones.
        case everyDevice = "EVERY_DEVICE"
        /// On devices attached to the unit that the role is held on.
        case ownUnit = "OWN_UNIT"
        /// On devices that are attached to no unit, and that the role's unit lists as common areas.
        case commonArea = "COMMON_AREA"
        /// On the devices of the guest access, within its window.
        case inWindow = "IN_WINDOW"
        /// On the devices of the guest access, within its window, if the guest access lists the operation.
        case grantedAndInWindow = "GRANTED_AND_IN_WINDOW"
    }

    /// A management permission with all its holders, highest role first.
    package struct ManagementRow: Encodable, Sendable {
        /// The permission; in JSON its raw value, such as `portfolio.create`.
        package let permission: ManagementPermission
        /// Where a super admin holds the permission by the flag alone.
        package let superAdmin: ManagementHolders.SuperAdminScope
        /// The roles that hold the permission, each on its entity and everything below it.
        package let roles: [Role]
    }

    /// Builds both matrices from `PermissionMatrix`.
    package init() {
        operations = LockOperation.allCases.map { operation in
            OperationRow(operation: operation, holders: Self.holders(of: operation))
        }
        management = ManagementPermission.allCases.map { permission in
            let holders = PermissionMatrix.holders(of: permission)
            return ManagementRow(permission: permission, superAdmin: holders.superAdmin, roles: holders.roles)
        }
    }

    private static func holders(of operation: LockOperation) -> [OperationHolder] {
        let superAdmin = PermissionMatrix.superAdminOperations.contains(operation)
        let columns = PermissionMatrix.columns(holding: operation)
        return (superAdmin ? [OperationHolder(role: .superAdmin, condition: .everyDevice)] : [])
            + MatrixColumn.allCases.filter(columns.contains).map { OperationHolder(role: $0.role, condition: condition($0)) }
    }

    private static func condition(_ column: MatrixColumn) -> Condition? {
        switch column {
        case .owner, .portfolioAdmin, .propertyManager, .maintenance, .auditor: nil
        case .tenantOwnUnit: .ownUnit
        case .tenantCommonArea: .commonArea
        case .guestInWindow: .inWindow
        case .guestIfGranted: .grantedAndInWindow
        }
    }
}
