package import DoorwardDomain

/// Who may do what: both matrices, and nothing else, as data. The decision engine, the management routes,
/// `GET /permission-matrix`, the docs and the tests all read these tables.
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

    /// Whether a column holds an operation. A role that gives no right where it is held has no column, and holds none.
    @inline(__always)
    static func holds(_ operation: LockOperation, _ column: MatrixColumn?) -> Bool {
        column.map(columns(holding: operation).contains) ?? false
    }

    /// The lowest role whose holder could do it on a device that hangs on a unit, or else is perhaps a common area.
    package static func leastRole(holding operation: LockOperation, hangsOnUnit: Bool) -> Role? {
        let elsewhere: MatrixColumns = hangsOnUnit ? [.tenantCommonArea] : [.tenantOwnUnit]
        let columns = columns(holding: operation).subtracting(elsewhere)
        return MatrixColumn.allCases.filter(columns.contains).map(\.role).last { $0 != .guest }
    }

    /// What SUPER_ADMIN holds on every device, unassigned ones too.
    package static let superAdminOperations: [LockOperation] = [.viewStatus]

    /// Who holds a management permission.
    package static func holders(of permission: ManagementPermission) -> ManagementHolders {
        switch permission {
        case .portfolioCreate: .init(superAdmin: .everywhere, [])
        case .portfolioRead: .init(superAdmin: .everywhere, [.owner, .portfolioAdmin, .auditor])
        case .portfolioRename: .init(superAdmin: .everywhere, [.owner, .portfolioAdmin])
        case .portfolioDelete: .init(superAdmin: .everywhere, [.owner])
        case .subscriptionRead: .init(superAdmin: .everywhere, [.owner, .portfolioAdmin])
        case .subscriptionChange: .init(superAdmin: .everywhere, [])
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

    /// The permissions that a tenant holds on the property of their unit, although a role reaches down only.
    package static let tenantsHoldOnProperty: [ManagementPermission] = [.propertyRead]
}

/// One row of the management matrix.
package struct ManagementHolders: Sendable {
    /// Where a super admin holds the permission.
    package enum SuperAdminScope: String, Codable, Sendable {
        /// On nothing at all, whatever else the user may hold there by a role.
        case nowhere = "NOWHERE"
        /// On the gateway itself, its log for example, and on nobody's portfolio.
        case gatewayOnly = "GATEWAY"
        /// On the gateway and on everything below it.
        case everywhere = "EVERYWHERE"
    }

    /// Where the flag alone gives it.
    package let superAdmin: SuperAdminScope
    /// The roles that hold it on what they are held on and all below, highest first. A role held below the object has no
    /// say, so that an auditor of a property does not read the portfolio.
    package let roles: [Role]

    init(superAdmin: SuperAdminScope, _ roles: [Role]) { (self.superAdmin, self.roles) = (superAdmin, roles) }
}
