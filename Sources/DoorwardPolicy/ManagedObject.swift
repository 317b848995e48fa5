package import DoorwardDomain

/// What a management permission is asked about.
package enum ManagedObject: Hashable, Sendable {
    /// What belongs to no portfolio: users, adapters, the gateway's own log.
    case gateway
    case portfolio(PortfolioID)
    case property(PropertyID)
    case unit(UnitID)
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
