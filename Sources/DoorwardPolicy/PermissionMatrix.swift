package import DoorwardDomain

/// Both permission matrices as data. The decision engine, the management routes, `GET /permission-matrix`, the docs and the tests all
/// read these tables.
package enum PermissionMatrix {
    /// The columns that hold an operation on a lock. SUPER_ADMIN has no column: see `superAdminOperations`.
    package static func columns(holding operation: LockOperation) -> MatrixColumns {
        switch operation {
        case .lock, .unlock, .unlatch:
            [.owner, .portfolioAdmin, .propertyManager, .maintenance, .tenantOwnUnit, .tenantCommonArea, .guestIfGranted]
        case .viewStatus:
            [
                .owner, .portfolioAdmin, .propertyManager, .maintenance, .auditor, .tenantOwnUnit, .tenantCommonArea,
                .guestInWindow,
            ]
        case .changeSettings:
            [.owner, .portfolioAdmin, .propertyManager]
        case .viewAccessHistory:
            [.owner, .portfolioAdmin, .propertyManager, .auditor, .tenantOwnUnit]
        case .grantAccess:
            [.owner, .portfolioAdmin, .propertyManager, .tenantOwnUnit, .tenantCommonArea]
        case .lockdown:
            [.owner, .portfolioAdmin, .propertyManager]
        }
    }

    /// Whether a column holds an operation. False without a column, because the role then gives no right on its entity.
    @inline(__always)
    static func holds(_ operation: LockOperation, _ column: MatrixColumn?) -> Bool {
        column.map(columns(holding: operation).contains) ?? false
    }

    /// The lowest role that can hold an operation on a device. `isOnUnit` is whether the device
    /// is attached to a unit; otherwise, the device may be a common area.
    package static func leastRole(holding operation: LockOperation, isOnUnit: Bool) -> Role? {
        let elsewhere: MatrixColumns = isOnUnit ? [.tenantCommonArea] : [.tenantOwnUnit]
        let columns = columns(holding: operation).subtracting(elsewhere)
        return MatrixColumn.allCases.filter(columns.contains).map(\.role).last { $0 != .guest }
    }

    /// The operations that SUPER_ADMIN holds on every device, including unassigned ones.
    package static let superAdminOperations: [LockOperation] = [.viewStatus]

    /// The columns that may open a lock under lockdown, if they give a reason.
    static let lockdownOverride: MatrixColumns = [.owner, .portfolioAdmin]

    /// The holders of a management permission.
    package static func holders(of permission: ManagementPermission) -> ManagementHolders {
        switch permission {
        case .portfolioCreate: .init(superAdmin: .everywhere, [])
        case .portfolioRead: .init(superAdmin: .everywhere, [.owner, .portfolioAdmin, .auditor])
        case .portfolioRename: .init(superAdmin: .everywhere, [.owner, .portfolioAdmin])
        case .portfolioDelete: .init(superAdmin: .everywhere, [.owner])
        case .subscriptionRead: .init(superAdmin: .everywhere, [.owner, .portfolioAdmin])
        case .subscriptionChange: .init(superAdmin: .everywhere, [])
        case .retentionChange: .init(superAdmin: .nowhere, [.owner])
        case .portfolioAdminsAssign: .init(superAdmin: .everywhere, [.owner])
        case .portfolioAuditorsAssign: .init(superAdmin: .everywhere, [.owner, .portfolioAdmin])
        case .propertyRead:
            .init(superAdmin: .everywhere, [.owner, .portfolioAdmin, .propertyManager, .maintenance, .auditor, .tenant])
        case .propertyChange: .init(superAdmin: .nowhere, [.owner, .portfolioAdmin, .propertyManager])
        case .propertyCreate, .propertyDelete: .init(superAdmin: .nowhere, [.owner, .portfolioAdmin])
        case .propertyManagersAssign: .init(superAdmin: .nowhere, [.owner, .portfolioAdmin])
        case .propertyStaffAssign: .init(superAdmin: .nowhere, [.owner, .portfolioAdmin, .propertyManager])
        case .unitRead, .deviceRead:
            .init(superAdmin: .everywhere, [.owner, .portfolioAdmin, .propertyManager, .maintenance, .auditor, .tenant])
        case .unitCreate, .unitChange, .unitDelete, .unitTenantsAssign:
            .init(superAdmin: .nowhere, [.owner, .portfolioAdmin, .propertyManager])
        case .deviceAttach: .init(superAdmin: .everywhere, [.owner, .portfolioAdmin, .propertyManager])
        case .deviceChange, .deviceMove, .deviceDetach:
            .init(superAdmin: .nowhere, [.owner, .portfolioAdmin, .propertyManager])
        case .lockdown: .init(superAdmin: .nowhere, [.owner, .portfolioAdmin, .propertyManager])
        case .guestAccessGrant, .guestAccessChange, .guestAccessRevoke, .guestAccessLink:
            .init(superAdmin: .nowhere, [.owner, .portfolioAdmin, .propertyManager, .tenant])
        case .peopleList, .peopleRead: .init(superAdmin: .everywhere, [.owner, .portfolioAdmin, .propertyManager])
        case .apiKeysManage: .init(superAdmin: .everywhere, [.owner, .portfolioAdmin, .propertyManager])
        case .accessLogExport: .init(superAdmin: .gatewayOnly, [.owner, .portfolioAdmin, .propertyManager, .auditor])
        case .accessLogVerify: .init(superAdmin: .gatewayOnly, [.owner, .portfolioAdmin, .auditor])
        case .complianceReport: .init(superAdmin: .nowhere, [.owner, .portfolioAdmin, .propertyManager, .auditor])
        case .usersCreate, .usersDisable, .usersDelete, .usersErase, .adaptersManage, .gatewayLogRead:
            .init(superAdmin: .everywhere, [])
        }
    }

    /// The permissions that tenants also hold on the property of their unit, although roles
    /// otherwise apply only to their entity and everything below it.
    package static let tenantsHoldOnProperty: [ManagementPermission] = [.propertyRead]
}

/// One row of the management matrix.
package struct ManagementHolders: Sendable {
    /// Where the super admin flag alone gives the permission.
    package enum SuperAdminScope: String, Codable, Sendable {
        /// On no object. Another role of the user can still give the permission.
        case nowhere = "NOWHERE"
        /// On the gateway itself, such as its log, but on no portfolio.
        case gatewayOnly = "GATEWAY"
        /// On the gateway and on everything below it.
        case everywhere = "EVERYWHERE"
    }

    /// Where the super admin flag alone gives the permission.
    package let superAdmin: SuperAdminScope
    /// The roles that hold the permission on their entity and everything below it, highest first. A role below the object does
    /// not give the permission: an auditor of a property cannot read the portfolio.
    package let roles: [Role]

    init(superAdmin: SuperAdminScope, _ roles: [Role]) { (self.superAdmin, self.roles) = (superAdmin, roles) }
}
