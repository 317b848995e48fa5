package import DoorwardDomain

/// Both matrices as `GET /permission-matrix` shows them.
package struct PermissionMatrixView: Encodable, Sendable {
    /// A row for each lock operation, in the order of the matrix.
    package let operations: [OperationRow]
    /// A row for each management permission, in the order of the matrix.
    package let management: [ManagementRow]

    /// One lock operation and everybody who holds it, highest role first.
    package struct OperationRow: Encodable, Sendable {
        /// On the wire `LOCK`, `VIEW_STATUS` and so on; each stands in one row.
        package let operation: LockOperation
        /// A tenant has two marks where the right holds both in their own unit and in common areas.
        package let holders: [OperationHolder]
    }

    /// One mark in the matrix: a role, and perhaps a condition.
    package struct OperationHolder: Encodable, Sendable {
        /// On the wire by its raw value; `SUPER_ADMIN` stands for the flag, `GUEST` for a guest access.
        package let role: Role
        /// Of which devices, or when; absent where the role holds it wherever it reaches.
        package let condition: Condition?
    }

    /// What more than the role it takes. Raw values are the wire's.
    package enum Condition: String, Encodable, Sendable {
        /// On every device of the gateway, unassigned ones too.
        case everyDevice = "EVERY_DEVICE"
        /// On devices that hang on the unit that the role is held on.
        case ownUnit = "OWN_UNIT"
        /// On devices that hang on no unit, and that the role's unit lists.
        case commonArea = "COMMON_AREA"
        /// On the devices of the guest access, inside its window.
        case inWindow = "IN_WINDOW"
        /// The same, and only if the guest access lists the operation.
        case grantedAndInWindow = "GRANTED_AND_IN_WINDOW"
    }

    /// One management permission and everybody who holds it, highest role first.
    package struct ManagementRow: Encodable, Sendable {
        /// On the wire by its raw value, `portfolio.create` for example.
        package let permission: ManagementPermission
        /// Where a super admin holds it by the flag alone.
        package let superAdmin: ManagementHolders.SuperAdminScope
        /// Each on what it is held on and all below.
        package let roles: [Role]
    }

    /// Both matrices as they stand; there is nothing to choose.
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
