package import DoorwardDomain
package import DoorwardPolicy

/// A condition that must hold when a transaction takes effect, after all earlier transactions and before its own changes. If any
/// precondition does not hold, the store rejects the whole transaction.
package enum StorePrecondition: Hashable, Sendable {
    /// The entity has the content that this change has written, or is absent if the change has removed it. Only the content is
    /// compared: an entity that was changed and changed back meets the precondition.
    case unchanged(since: TenancyChange)
    /// Fewer than `max` uses of the guest access are taken.
    case usesLeft(of: GuestAccessID, max: Int)
}

/// A change of a counter that is stored separately from the entities of the tenancy: the uses of a guest access, or a log's newest
/// checkpoint.
package enum CounterChange: Hashable, Sendable {
    /// Takes one use of a guest access. Refused as `.parentUnknown` if the guest access does not exist.
    case takeUse(of: GuestAccessID)
    /// Returns a use that was taken. Refused as `.inconsistent` if none is taken; without effect if the guest access was removed.
    case returnUse(of: GuestAccessID)
    /// Stores which checkpoint of the log was signed last. A generation that is over, or a smaller size, does not replace the stored one.
    case setLastCheckpoint(LastCheckpoint)
}

/// The type and id of an entity of the tenancy.
package enum TenancyEntity: Hashable, Sendable {
    /// A portfolio.
    case portfolio(PortfolioID)
    /// A property, including its address.
    case property(PropertyID)
    /// A unit, including its list of common areas.
    case unit(UnitID)
    /// A device, including its position in the hierarchy.
    case device(DeviceID)
    /// A user, without their roles and guest accesses.
    case user(UserID)
    /// A role of a user on an entity.
    case association(AssociationID)
    /// A guest access, without its uses, which are counted separately.
    case guestAccess(GuestAccessID)
    /// An API key.
    case apiKey(APIKeyID)
    /// An invitation.
    case invitation(InvitationID)
    /// The link of a guest access.
    case guestLink(of: GuestAccessID)
}

extension TenancyChange {
    /// The entity that is written or removed.
    package var entity: TenancyEntity {
        switch self {
        case .putPortfolio(let portfolio): .portfolio(portfolio.id)
        case .removePortfolio(let id): .portfolio(id)
        case .putProperty(let property): .property(property.id)
        case .removeProperty(let id): .property(id)
        case .putUnit(let unit): .unit(unit.id)
        case .removeUnit(let id): .unit(id)
        case .putDevice(let device): .device(device.id)
        case .removeDevice(let id): .device(id)
        case .putUser(let user): .user(user.id)
        case .removeUser(let id): .user(id)
        case .putAssociation(let association): .association(association.id)
        case .removeAssociation(let id): .association(id)
        case .putGuestAccess(let access): .guestAccess(access.id)
        case .removeGuestAccess(let id): .guestAccess(id)
        case .putAPIKey(let key): .apiKey(key.id)
        case .removeAPIKey(let id): .apiKey(id)
        case .putInvitation(let invitation): .invitation(invitation.id)
        case .removeInvitation(let id): .invitation(id)
        case .putGuestLink(let link): .guestLink(of: link.accessID)
        case .removeGuestLink(let id): .guestLink(of: id)
        }
    }
}

/// A change of a field that may have no value.
package enum Patch<Value> {
    /// Leaves the field as it is.
    case unchanged
    /// Removes the value.
    case cleared
    /// Replaces the value.
    case set(Value)

    /// The new value, if the change sets one.
    package var newValue: Value? { if case .set(let value) = self { value } else { nil } }

    /// Whether the field stays as it is.
    package var isUnchanged: Bool { if case .unchanged = self { true } else { false } }

    /// The value of the field after the change.
    package func applied(to current: Value?) -> Value? { isUnchanged ? current : newValue }
}

extension Patch: Sendable where Value: Sendable {}
