package import DoorwardDomain

/// What a management permission is asked about.
package enum ManagedObject: Hashable, Sendable {
    /// What belongs to no portfolio: users, adapters, the gateway's own log.
    case gateway
    /// The portfolio itself; all its roles are held on it.
    case portfolio(PortfolioID)
    /// Reached by roles on it and on its portfolio; reading it also by tenants of its units.
    case property(PropertyID)
    /// Reached by roles on it, on its property and on its portfolio.
    case unit(UnitID)
    /// Reached by the roles of the place that it hangs on, by tenants of units that share it, and by its guests.
    case device(DeviceID)

    /// The same entity, as something that is managed.
    package init(_ entity: AssociatedEntity) {
        switch entity {
        case .portfolio(let id): self = .portfolio(id)
        case .property(let id): self = .property(id)
        case .unit(let id): self = .unit(id)
        }
    }
}
