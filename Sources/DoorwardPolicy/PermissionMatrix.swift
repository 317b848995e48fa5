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

    private static let admins: [Role] = [.owner, .portfolioAdmin]
    private static let managers: [Role] = [.owner, .portfolioAdmin, .propertyManager]
    private static let everyRole: [Role] = [.owner, .portfolioAdmin, .propertyManager, .maintenance, .auditor, .tenant]

    /// The row of a management permission: its objects and its holders.
    package static func holders(of permission: ManagementPermission) -> ManagementHolders {
        switch permission {
        case .portfolioCreate, .usersCreate, .usersDisable, .usersDelete, .usersErase, .adaptersManage, .gatewayLogRead:
            .init(["Gateway"], superAdmin: .everywhere, [])
        case .portfolioRead: .init(["Portfolio"], superAdmin: .everywhere, [.owner, .portfolioAdmin, .auditor])
        case .portfolioRename, .portfolioAuditorsAssign, .subscriptionRead: .init(["Portfolio"], superAdmin: .everywhere, admins)
        case .portfolioDelete, .portfolioAdminsAssign: .init(["Portfolio"], superAdmin: .everywhere, [.owner])
        case .subscriptionChange: .init(["Portfolio"], superAdmin: .everywhere, [])
        case .retentionChange: .init(["Portfolio"], superAdmin: .nowhere, [.owner])
        case .propertyCreate: .init(["Portfolio"], superAdmin: .nowhere, admins)
        case .propertyRead: .init(["Property"], superAdmin: .everywhere, everyRole)
        case .propertyDelete, .propertyManagersAssign: .init(["Property"], superAdmin: .nowhere, admins)
        case .propertyChange, .propertyStaffAssign, .unitCreate, .lockdown: .init(["Property"], superAdmin: .nowhere, managers)
        case .unitRead: .init(["Unit"], superAdmin: .everywhere, everyRole)
        case .unitChange, .unitDelete, .unitTenantsAssign: .init(["Unit"], superAdmin: .nowhere, managers)
        case .deviceRead: .init(["LockDevice"], superAdmin: .everywhere, everyRole)
        case .deviceChange, .deviceDetach: .init(["LockDevice"], superAdmin: .nowhere, managers)
        case .deviceAttach: .init(["Property", "Unit"], superAdmin: .everywhere, managers)
        case .deviceMove: .init(["Property", "Unit", "LockDevice"], superAdmin: .nowhere, managers)
        case .guestAccessGrant, .guestAccessChange, .guestAccessRevoke, .guestAccessLink:
            .init(["Property", "Unit"], superAdmin: .nowhere, [.owner, .portfolioAdmin, .propertyManager, .tenant])
        case .peopleList, .peopleRead, .apiKeysManage:
            .init(["Portfolio", "Property", "Unit"], superAdmin: .everywhere, managers)
        case .accessLogExport:
            .init(
                ["Portfolio", "Property", "Gateway"], superAdmin: .gatewayOnly,
                [.owner, .portfolioAdmin, .propertyManager, .auditor])
        case .accessLogVerify:
            .init(["Portfolio", "Property", "Gateway"], superAdmin: .gatewayOnly, [.owner, .portfolioAdmin, .auditor])
        case .complianceReport:
            .init(["Portfolio", "Property"], superAdmin: .nowhere, [.owner, .portfolioAdmin, .propertyManager, .auditor])
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

    /// The types of objects that the permission is checked on, by the names of CASL subjects. A function, because decisions, which read
    /// a row for each request, do not need them.
    package let subjects: @Sendable () -> [String]
    /// Where the super admin flag alone gives the permission.
    package let superAdmin: SuperAdminScope
    /// The roles that hold the permission on their entity and everything below it, highest first. A role below the object does
    /// not give the permission: an auditor of a property cannot read the portfolio.
    package let roles: [Role]

    init(_ subjects: @autoclosure @escaping @Sendable () -> [String], superAdmin: SuperAdminScope, _ roles: [Role]) {
        (self.subjects, self.superAdmin, self.roles) = (subjects, superAdmin, roles)
    }
}

/// A column of the permission matrix of lock operations: a role, with a condition for tenants and guests.
package enum MatrixColumn: UInt8, CaseIterable, Sendable {
    /// OWNER of the device's portfolio.
    case owner
    /// PORTFOLIO_ADMIN of the device's portfolio, with the rights of an owner on its locks.
    case portfolioAdmin
    /// PROPERTY_MANAGER of the device's property, with the rights of an owner on its locks. A
    /// lockdown also applies to property managers.
    case propertyManager
    /// MAINTENANCE of the device's property: operates its locks and sees their status, but reads no history and changes nothing.
    case maintenance
    /// AUDITOR of the device's portfolio or property.
    case auditor
    /// A tenant of the unit that the device is attached to.
    case tenantOwnUnit
    /// A tenant of a unit that lists the device as a common area.
    case tenantCommonArea
    /// A guest within the window, for operations that are allowed without being granted.
    case guestInWindow
    /// A guest within the window, if the operation was granted.
    case guestIfGranted

    /// The role of the column; tenants and guests have two columns each.
    package var role: Role {
        switch self {
        case .owner: .owner
        case .portfolioAdmin: .portfolioAdmin
        case .propertyManager: .propertyManager
        case .maintenance: .maintenance
        case .auditor: .auditor
        case .tenantOwnUnit, .tenantCommonArea: .tenant
        case .guestInWindow, .guestIfGranted: .guest
        }
    }
}

/// A set of columns in one integer.
package struct MatrixColumns: OptionSet, Hashable, Sendable {
    /// A bit for each column, at the position of its `rawValue`.
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    init(_ column: MatrixColumn) { self.init(rawValue: 1 << UInt16(column.rawValue)) }

    static let owner = Self(.owner)
    static let portfolioAdmin = Self(.portfolioAdmin)
    static let propertyManager = Self(.propertyManager)
    static let maintenance = Self(.maintenance)
    static let auditor = Self(.auditor)
    static let tenantOwnUnit = Self(.tenantOwnUnit)
    static let tenantCommonArea = Self(.tenantCommonArea)
    static let guestInWindow = Self(.guestInWindow)
    static let guestIfGranted = Self(.guestIfGranted)

    /// Whether the set contains the column; `OptionSet` itself tests only whether it contains another set.
    package func contains(_ column: MatrixColumn) -> Bool { rawValue & (1 << UInt16(column.rawValue)) != 0 }
}

extension MatrixColumn {
    /// Returns the column of a role on an entity type; `nil` if the role cannot be assigned on that type and therefore gives no
    /// right. For a tenant, returns the column of the tenant's own unit.
    @inline(__always)
    init?(of role: Role, on type: AssociatedEntityType) {
        switch (role, type) {
        case (.owner, .portfolio): self = .owner
        case (.portfolioAdmin, .portfolio): self = .portfolioAdmin
        case (.propertyManager, .property): self = .propertyManager
        case (.maintenance, .property): self = .maintenance
        case (.auditor, .portfolio), (.auditor, .property): self = .auditor
        case (.tenant, .unit): self = .tenantOwnUnit
        default: return nil
        }
    }
}

// The matrix of lock operations in the form of `GET /permission-matrix`.
extension PermissionMatrix {
    /// A holder of an operation: a role, and a condition if there is one.
    package struct OperationHolder: Sendable {
        /// The role; in JSON its raw value. `SUPER_ADMIN` stands for the flag, `GUEST` for a guest access.
        package let role: Role
        /// The devices or the time to which the operation is limited; `nil` if the role holds it
        /// on its entity and everything below it.
        package let condition: Condition?
    }

    /// The condition under which a role holds an operation. Raw values are those in JSON.
    package enum Condition: String, Sendable {
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

    /// The holders of an operation on a lock, highest role first. A tenant appears twice if the operation is held both in their own
    /// unit and in common areas.
    package static func operationHolders(of operation: LockOperation) -> [OperationHolder] {
        let superAdmin = superAdminOperations.contains(operation)
        let columns = columns(holding: operation)
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
