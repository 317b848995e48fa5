package import DoorwardDomain

/// One change to the tenancy. The directory in memory and the store on disk are two interpreters of the same words, so
/// that neither can know something that the other does not.
package enum TenancyChange: Hashable, Sendable {
    // Each `put` adds the entity or replaces the one of the same id.
    case putPortfolio(Portfolio)
    case putProperty(Property)
    case putUnit(Unit)
    case putDevice(LockDevice)
    case putUser(User)
    case putAssociation(UserRoleAssociation)
    case removeAssociation(AssociationID)
    case putGuestAccess(GuestAccess)
}
