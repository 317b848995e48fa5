package import DoorwardDomain

/// How many fields of an object a subject may see. Each level includes the lower ones.
package enum FieldLevel: Int, CaseIterable, Comparable, Sendable {
    /// The level of a guest: the fields needed to use a door.
    case publicLevel
    /// The level of a tenant: the fields that concern residents.
    case resident
    /// The level of maintenance, and of a super admin on places: the fields needed to keep locks working.
    case operations
    /// The level of a manager, an admin and an auditor: all fields but those private to one person.
    case management
    /// The level of an owner, and of every user on themselves: all fields.
    case owner

    /// `PUBLIC < RESIDENT < OPERATIONS < MANAGEMENT < OWNER`.
    package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    /// The name of the level, `PUBLIC` to `OWNER`.
    package var name: String {
        switch self {
        case .publicLevel: "PUBLIC"
        case .resident: "RESIDENT"
        case .operations: "OPERATIONS"
        case .management: "MANAGEMENT"
        case .owner: "OWNER"
        }
    }

    /// The level that a role gives on the objects that it reaches; `nil` for a super admin, whose level depends on the object.
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

/// An object whose fields are visible by level.
package enum FieldObject: Hashable, Sendable {
    /// Visible by a role on it; a role below it gives no level.
    case portfolio(PortfolioID)
    /// Visible by a role on it or its portfolio, and to the tenants of its units.
    case property(PropertyID)
    /// Visible by a role on it or above it; a guest access gives no level.
    case unit(UnitID)
    /// Visible to every subject with reach to it, including guests and the tenants of a unit that shares it.
    case device(DeviceID)
    /// Visible at the level that the reader has where the person holds a role or guest access; in full to the person and to super admins.
    case user(UserID)
    /// Visible to its guest, to its grantor, and by roles on its unit or property.
    case guestAccess(GuestAccessID)
    /// A record or command, visible by the place of its device and by its actor.
    case event(unit: UnitID?, property: PropertyID?, portfolio: PortfolioID?, actor: UserID?)
}
