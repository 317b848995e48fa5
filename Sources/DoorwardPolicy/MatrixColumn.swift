package import DoorwardDomain

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
