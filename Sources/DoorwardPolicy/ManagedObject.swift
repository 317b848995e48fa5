package import DoorwardDomain

/// The object of a management permission.
package enum ManagedObject: Hashable, Sendable {
    /// Everything that belongs to no portfolio: users, adapters, the gateway's own log.
    case gateway
    /// Reached by roles on it.
    case portfolio(PortfolioID)
    /// Reached by roles on it and on its portfolio, and for reading also by tenants of its units.
    case property(PropertyID)
    /// Reached by roles on it, on its property and on its portfolio.
    case unit(UnitID)
    /// Reached by the roles on its place, by tenants of units that share it, and by its guests.
    case device(DeviceID)

    /// The object to manage that an entity is.
    package init(_ entity: AssociatedEntity) {
        switch entity {
        case .portfolio(let id): self = .portfolio(id)
        case .property(let id): self = .property(id)
        case .unit(let id): self = .unit(id)
        }
    }
}
