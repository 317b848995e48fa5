package import DoorwardDomain

/// A change of the tenancy. The directory in memory and the store on disk apply the same changes, so that neither can contain
/// something that the other does not.
package enum TenancyChange: Hashable, Sendable {
    /// Adds the portfolio or replaces the one with this id; each `put` does so with its entity.
    case putPortfolio(Portfolio)
    /// Adds or replaces a property. Its units and devices stay as they are.
    case putProperty(Property)
    /// Adds or replaces a unit, including its whole list of common areas.
    case putUnit(Unit)
    /// Adds or replaces a device, including its place: attaches or moves it. A device without a property is unassigned.
    case putDevice(LockDevice)
    /// Does nothing if there is no such device. Guest accesses and units keep it in their lists, without effect.
    case removeDevice(DeviceID)
    /// Adds or replaces a user. Their roles and guest accesses stay as they are.
    case putUser(User)
    /// Adds an association, or replaces the one with this id, even if it is another user's.
    case putAssociation(UserRoleAssociation)
    /// Does nothing if there is no such association. Accesses granted under it stay, and are denied by the decision.
    case removeAssociation(AssociationID)
    /// Adds or replaces a guest access. Revoked accesses are kept: until 30 days after their end, their devices are visible to the
    /// guest.
    case putGuestAccess(GuestAccess)
}
