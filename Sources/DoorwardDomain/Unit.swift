/// An apartment, office or other space of a property.
package struct Unit: Hashable, Sendable {
    /// Roles, devices and guest accesses refer to the unit by it.
    package let id: UnitID
    /// What is on the door plate, say; not unique.
    package var name: String
    /// For good: a unit does not move.
    package let propertyID: PropertyID
    /// That of its property, kept beside it so that roles there are found at once.
    package let portfolioID: PortfolioID
    /// Devices of the same property, hanging on no unit, that the unit's tenants may operate too: the front door, say.
    package var commonAreaAccessIDs: [DeviceID]
    /// By the gateway's clock.
    package let createdAt: Timestamp
    /// The last change of the unit itself, not of its tenants or devices.
    package var updatedAt: Timestamp

    package init(
        id: UnitID, name: String, propertyID: PropertyID, portfolioID: PortfolioID, commonAreaAccessIDs: [DeviceID] = [],
        createdAt: Timestamp, updatedAt: Timestamp
    ) {
        (self.id, self.name, self.propertyID, self.portfolioID) = (id, name, propertyID, portfolioID)
        (self.commonAreaAccessIDs, self.createdAt, self.updatedAt) = (commonAreaAccessIDs, createdAt, updatedAt)
    }
}
