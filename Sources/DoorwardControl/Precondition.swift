package import DoorwardDomain
package import DoorwardPolicy

/// What must hold when a transaction takes effect, after all those before it and before any change of its own. Where one does not
/// hold, the store refuses the whole transaction.
package enum Precondition: Hashable, Sendable {
    /// The tenancy holds what this change has written, or no longer has what it has removed. An entity's version is its content:
    /// one that was changed and changed back is the same version.
    case unchanged(since: TenancyChange)
    /// Fewer than so many uses of the guest access are taken.
    case usesLeft(of: GuestAccessID, max: Int)
    /// The epoch has this value.
    case epoch(of: EpochOwner, is: UInt64)
    /// The log has this lease; `nil` for none.
    case lease(of: LogID, is: LogLease?)
}

/// What becomes of the values that change with commands and gateways, and belong to no entity of the tenancy.
package enum CounterChange: Hashable, Sendable {
    /// One more use of a guest access is taken. Refused as `.parentUnknown` where there is no such guest access.
    case takeUse(of: GuestAccessID)
    /// A use that was taken is given back. Refused as `.inconsistent` where none is taken.
    case returnUse(of: GuestAccessID)
    /// The epoch is one higher afterwards.
    case raiseEpoch(of: EpochOwner)
    /// The log has this lease afterwards, whatever it had; `nil` for none.
    case setLease(of: LogID, to: LogLease?)
}

/// Whose epoch: it is raised when rights there are taken away, so that what was decided before is not written afterwards.
package enum EpochOwner: Hashable, Sendable {
    /// Of everything in a portfolio.
    case portfolio(PortfolioID)
    /// Of everything that a user holds.
    case user(UserID)
}

/// The right of one gateway to append to a log.
package struct LogLease: Hashable, Sendable {
    /// The gateway that holds it.
    package let holder: GatewayNumber
    /// Higher with each holder, so that one which has lost the lease and comes back is told from what it was.
    package let epoch: UInt64

    package init(holder: GatewayNumber, epoch: UInt64) { (self.holder, self.epoch) = (holder, epoch) }
}

/// A gateway among those that share a store; it owns the commands that it executes.
package struct GatewayNumber: Hashable, Sendable {
    /// From 0, and small, so that it costs a row nothing.
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// The number of a gateway that has its store for itself.
    package static let single = GatewayNumber(rawValue: 0)
}

/// An entity of the tenancy, whichever kind it is of.
package enum TenancyEntity: Hashable, Sendable {
    /// Each case has the id that its kind has in the tenancy.
    case portfolio(PortfolioID)
    /// With its address.
    case property(PropertyID)
    /// With its list of common areas.
    case unit(UnitID)
    /// With the place where it is attached.
    case device(DeviceID)
    /// Without what the user holds.
    case user(UserID)
    /// A role on an entity.
    case association(AssociationID)
    /// Without its uses, which are counted apart.
    case guestAccess(GuestAccessID)
}

extension TenancyChange {
    /// The entity that is written or removed.
    package var entity: TenancyEntity {
        switch self {
        case .putPortfolio(let portfolio): .portfolio(portfolio.id)
        case .putProperty(let property): .property(property.id)
        case .putUnit(let unit): .unit(unit.id)
        case .putDevice(let device): .device(device.id)
        case .removeDevice(let id): .device(id)
        case .putUser(let user): .user(user.id)
        case .putAssociation(let association): .association(association.id)
        case .removeAssociation(let id): .association(id)
        case .putGuestAccess(let access): .guestAccess(access.id)
        }
    }
}
