/// A person's role on a part of the hierarchy or on the gateway, the highest first. Raw values are those of the API.
package enum Role: String, CaseIterable, Codable, Sendable {
    /// A flag of the user, never an association. A super admin runs the gateway and cannot operate locks.
    case superAdmin = "SUPER_ADMIN"
    /// Full rights in the portfolio, including managing its admins.
    case owner = "OWNER"
    /// All rights in the portfolio except to manage its owners and admins and to delete it.
    case portfolioAdmin = "PORTFOLIO_ADMIN"
    /// Full rights in one property.
    case propertyManager = "PROPERTY_MANAGER"
    /// Views and operates a property's devices; cannot manage users or read the log.
    case maintenance = "MAINTENANCE"
    /// Reads the devices and the log of a portfolio or property; cannot operate anything.
    case auditor = "AUDITOR"
    /// Operates the devices of a unit and its common areas; can grant guest accesses.
    case tenant = "TENANT"
    /// Derived from a `GuestAccess`, never from an association.
    case guest = "GUEST"

    /// The position of the role in the role table: a higher role has a smaller rank.
    package var rank: Int {
        switch self {
        case .superAdmin: 0
        case .owner: 1
        case .portfolioAdmin: 2
        case .propertyManager: 3
        case .maintenance: 4
        case .auditor: 5
        case .tenant: 6
        case .guest: 7
        }
    }
}

/// The kinds of entity that a role can be held on.
package enum AssociatedEntityType: String, CaseIterable, Codable, Sendable {
    /// A portfolio. A role on it covers its properties, their units and all their devices.
    case portfolio = "PORTFOLIO"
    /// A property. A role on it covers its units and devices.
    case property = "PROPERTY"
    /// A unit. A role on it covers its own devices and its common areas.
    case unit = "UNIT"

    /// The roles that can be assigned on this entity type with the routes `…/admins`, `…/managers` and `…/tenants`.
    package var assignableRoles: Set<Role> {
        switch self {
        case .portfolio: [.owner, .portfolioAdmin, .auditor]
        case .property: [.propertyManager, .maintenance, .auditor]
        case .unit: [.tenant]
        }
    }
}

/// The portfolio, property or unit that a role is held on.
package enum AssociatedEntity: Hashable, Sendable {
    /// The portfolio of an owner, admin or auditor.
    case portfolio(PortfolioID)
    /// The property of a manager, maintenance or auditor.
    case property(PropertyID)
    /// The unit of a tenant.
    case unit(UnitID)

    /// Creates the entity of `type` with `id`.
    package init(type: AssociatedEntityType, id: EntityID<AssociatedEntity>) {
        switch type {
        case .portfolio: self = .portfolio(id.cast())
        case .property: self = .property(id.cast())
        case .unit: self = .unit(id.cast())
        }
    }

    /// The type of the entity.
    package var type: AssociatedEntityType {
        switch self {
        case .portfolio: .portfolio
        case .property: .property
        case .unit: .unit
        }
    }

    /// The entity's id without its type.
    package var id: EntityID<AssociatedEntity> {
        switch self {
        case .portfolio(let id): id.cast()
        case .property(let id): id.cast()
        case .unit(let id): id.cast()
        }
    }
}
