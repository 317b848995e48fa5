/// What a person is to a part of the hierarchy, or to the gateway. Raw values are the wire's.
package enum Role: String, CaseIterable, Codable, Sendable {
    /// Held on the gateway as a flag of the user, never as an association. Operates no lock.
    case superAdmin = "SUPER_ADMIN"
    /// Everything in the portfolio, and who its admins are.
    case owner = "OWNER"
    /// Everything in the portfolio but its owners, its admins and deleting it.
    case portfolioAdmin = "PORTFOLIO_ADMIN"
    /// Everything in one property.
    case propertyManager = "PROPERTY_MANAGER"
    /// Sees and operates a property's devices; no people, no log.
    case maintenance = "MAINTENANCE"
    /// Reads devices and log of a portfolio or property; operates nothing.
    case auditor = "AUDITOR"
    /// Operates the devices of a unit and those that it shares; lets guests in.
    case tenant = "TENANT"
    /// Comes from a `GuestAccess`, never from an association.
    case guest = "GUEST"

    /// The place of the role in the order of the role table: the higher role has the smaller rank.
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
    /// Reaches down to its properties, their units and all their devices.
    case portfolio = "PORTFOLIO"
    /// Reaches down to its units and devices.
    case property = "PROPERTY"
    /// Reaches its own devices, and those of the property that it shares.
    case unit = "UNIT"

    /// The roles that the path of this entity assigns: `…/admins`, `…/managers`, `…/tenants`.
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
    /// For owners, admins and auditors.
    case portfolio(PortfolioID)
    /// For managers, maintenance and auditors.
    case property(PropertyID)
    /// For tenants.
    case unit(UnitID)

    /// Puts together what `type` and `id` take apart.
    package init(type: AssociatedEntityType, id: EntityID<AssociatedEntity>) {
        switch type {
        case .portfolio: self = .portfolio(id.cast())
        case .property: self = .property(id.cast())
        case .unit: self = .unit(id.cast())
        }
    }

    /// What kind of entity it is.
    package var type: AssociatedEntityType {
        switch self {
        case .portfolio: .portfolio
        case .property: .property
        case .unit: .unit
        }
    }

    /// The id, whatever it is the id of.
    package var id: EntityID<AssociatedEntity> {
        switch self {
        case .portfolio(let id): id.cast()
        case .property(let id): id.cast()
        case .unit(let id): id.cast()
        }
    }
}
