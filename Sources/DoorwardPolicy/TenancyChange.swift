package import DoorwardDomain

/// One change to the tenancy. The directory in memory and the store on disk are two interpreters of the same words, so
/// that neither can know something that the other does not.
package enum TenancyChange: Hashable, Sendable {
    /// Adds the portfolio or replaces the one of this id, as each `put` does with its entity.
    case putPortfolio(Portfolio)
    /// Its units and devices stay as they are.
    case putProperty(Property)
    /// Also its list of common areas, as a whole.
    case putUnit(Unit)
    /// Where it hangs is part of it: this attaches and moves; one that hangs nowhere is unassigned.
    case putDevice(LockDevice)
    /// Changes nothing if there is none. Guest accesses and units that list it go on doing so, in vain.
    case removeDevice(DeviceID)
    /// Without what the user holds, which stays.
    case putUser(User)
    /// With an id that is known, it replaces that association, of another user too.
    case putAssociation(UserRoleAssociation)
    /// Changes nothing if there is none. What was granted under it stays, and is denied by the decision.
    case removeAssociation(AssociationID)
    /// Revoked ones stay: they still give their guest reach for a while.
    case putGuestAccess(GuestAccess)
}
