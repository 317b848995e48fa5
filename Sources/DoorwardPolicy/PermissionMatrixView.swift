package import DoorwardDomain

/// Both matrices as `GET /permission-matrix` shows them.
package struct PermissionMatrixView: Encodable, Sendable {
    package let operations: [OperationRow]
    package let management: [ManagementRow]

    /// One lock operation and everybody who holds it, highest role first.
    package struct OperationRow: Encodable, Sendable {
        package let operation: LockOperation
        package let holders: [OperationHolder]
    }

    package struct OperationHolder: Encodable, Sendable {
        package let role: Role
        /// Of which devices, or when; absent where the role holds it wherever it reaches.
        package let condition: Condition?
    }

    package enum Condition: String, Encodable, Sendable {
        case everyDevice = "EVERY_DEVICE"
        case ownUnit = "OWN_UNIT"
        case commonArea = "COMMON_AREA"
        case inWindow = "IN_WINDOW"
        case grantedAndInWindow = "GRANTED_AND_IN_WINDOW"
    }

    /// One management permission and everybody who holds it, highest role first.
    package struct ManagementRow: Encodable, Sendable {
        package let permission: ManagementPermission
        package let superAdmin: ManagementHolders.SuperAdminScope
        package let roles: [Role]
    }

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
