package import DoorwardDomain

/// How much of an object somebody may see: each level sees what the lower ones see, and more.
package enum FieldLevel: Int, CaseIterable, Comparable, Sendable {
    /// A guest's: what one must know to use a door.
    case publicLevel
    /// A tenant's: what concerns the people who live there.
    case resident
    /// Maintenance's, and a super admin's of places: what one must know to keep locks working.
    case operations
    /// A manager's, an admin's and an auditor's: all but what is one person's own.
    case management
    /// An owner's, and everybody's of themselves: everything.
    case owner

    /// `PUBLIC < RESIDENT < OPERATIONS < MANAGEMENT < OWNER`.
    package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    /// `PUBLIC` to `OWNER`.
    package var name: String {
        switch self {
        case .publicLevel: "PUBLIC"
        case .resident: "RESIDENT"
        case .operations: "OPERATIONS"
        case .management: "MANAGEMENT"
        case .owner: "OWNER"
        }
    }

    /// The level that a role gives on what it reaches. A super admin's differs from object to object and is not here.
    package init?(of role: Role) {
        switch role {
        case .superAdmin: return nil
        case .owner: self = .owner
        case .portfolioAdmin, .propertyManager, .auditor: self = .management
        case .maintenance: self = .operations
        case .tenant: self = .resident
        case .guest: self = .publicLevel
        }
    }
}

/// An object of which somebody may see some fields.
package enum FieldObject: Hashable, Sendable {
    /// Seen by a role held on it; one held below it says nothing of it.
    case portfolio(PortfolioID)
    /// Seen by a role on it or its portfolio, and by the tenants of its units.
    case property(PropertyID)
    /// Seen by a role on it or above it; being a guest there gives no level.
    case unit(UnitID)
    /// Seen by whoever has reach to it: tenants of a unit that shares it and guests too.
    case device(DeviceID)
    /// Seen at the level that one has where the person holds something; by themselves and super admins whole.
    case user(UserID)
    /// Seen by its guest, by whoever granted it, and by the roles on the unit or property that it is for.
    case guestAccess(GuestAccessID)
    /// A record or command, by where its device hung and who acted.
    case event(unit: UnitID?, property: PropertyID?, portfolio: PortfolioID?, actor: UserID?)
}
