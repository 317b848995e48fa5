package import DoorwardDomain

/// A column of the permission matrix of lock operations: a role, and for tenants and guests under what condition.
package enum MatrixColumn: UInt8, CaseIterable, Sendable {
    /// Of the portfolio that the device belongs to.
    case owner
    /// Of that portfolio; on its locks as much as an owner.
    case portfolioAdmin
    /// Of the property that the device hangs on; as much as an owner there, save that a lockdown binds them.
    case propertyManager
    /// Of that property: moves and watches its locks, reads no history, changes nothing.
    case maintenance
    /// Of a portfolio or of a property alike.
    case auditor
    /// A tenant of the unit that the device hangs on.
    case tenantOwnUnit
    /// A tenant of a unit that lists the device as a common area.
    case tenantCommonArea
    /// A guest inside the window, whatever was listed.
    case guestInWindow
    /// A guest inside the window, if the operation is one of those granted.
    case guestIfGranted

    /// The role whose column it is; tenants and guests have two each.
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

/// A set of columns in one word.
package struct MatrixColumns: OptionSet, Hashable, Sendable {
    /// A bit for each column, at the place that its `rawValue` names.
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

    /// Whether the column is one of the set; what `OptionSet` has asks for a set of one.
    package func contains(_ column: MatrixColumn) -> Bool { rawValue & (1 << UInt16(column.rawValue)) != 0 }
}

extension MatrixColumn {
    /// The column of a role held on an entity of a type; `nil`, and so no right at all, for a role that cannot be held there.
    /// A tenant's is that of their own unit.
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
