package import DoorwardDomain

/// A change of the tenancy. The directory in memory and the store on disk apply the same changes,
/// so that they always have the same content.
package enum TenancyChange: Hashable, Sendable {
    /// Adds a portfolio, or replaces the one with the same id. Each other `put` does the same with its entity.
    case putPortfolio(Portfolio)
    /// Removes a portfolio if it exists, but not its children and roles: the caller removes those first. The store refuses to
    /// remove an entity that another one refers to. The same holds for properties, units and devices.
    case removePortfolio(PortfolioID)
    /// Adds or replaces a property. Its units and devices are unchanged.
    case putProperty(Property)
    /// Removes a property if it exists.
    case removeProperty(PropertyID)
    /// Adds or replaces a unit, including its whole list of common areas.
    case putUnit(Unit)
    /// Removes a unit if it exists, with its list of common areas.
    case removeUnit(UnitID)
    /// Adds or replaces a device, for example to attach or move it. A device without a property is unassigned.
    case putDevice(LockDevice)
    /// Removes a device if it exists. Guest accesses and units keep its id in their lists; the id then has no effect.
    case removeDevice(DeviceID)
    /// Adds or replaces a user. The user's roles and guest accesses are unchanged.
    case putUser(User)
    /// Removes a user, with the password and the sessions. Only a tombstone stays: the id, which records name. The email
    /// address becomes free.
    case removeUser(UserID)
    /// Adds an association, or replaces the one with the same id, even if that one belongs to another user.
    case putAssociation(UserRoleAssociation)
    /// Removes an association if it exists. Guest accesses that a tenant granted under it are kept,
    /// but no longer valid unless another association carries them.
    case removeAssociation(AssociationID)
    /// Adds or replaces a guest access. Revoked accesses are kept: until 30 days after their end, their devices are visible to the
    /// guest.
    case putGuestAccess(GuestAccess)
    /// Removes a guest access if it exists, with its count of uses and its link. Only for an access whose property or guest is
    /// removed: any other access that ends is revoked and kept.
    case removeGuestAccess(GuestAccessID)
    /// Adds or replaces an API key.
    case putAPIKey(APIKey)
    /// Removes an API key if it exists. Keys that it created stay, and are rejected.
    case removeAPIKey(APIKeyID)
    /// Adds or replaces an invitation.
    case putInvitation(Invitation)
    /// Removes an invitation if it exists: it was accepted or withdrawn, or has ended.
    case removeInvitation(InvitationID)
    /// Adds the link of a guest access, or replaces it: the token of the replaced link is unknown from then on.
    case putGuestLink(GuestLink)
    /// Removes the link of a guest access if there is one.
    case removeGuestLink(of: GuestAccessID)
}
