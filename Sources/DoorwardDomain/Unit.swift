/// An apartment, office or other space of a property.
package struct Unit: Hashable, Sendable {
    /// The id by which roles, devices and guest accesses refer to the unit.
    package let id: UnitID
    /// The display name, such as the name on the door plate; not unique.
    package var name: String
    /// The property that contains the unit. It never changes.
    package let propertyID: PropertyID
    /// The portfolio of the property. It is also stored here, so that roles on the portfolio are
    /// found without a lookup of the property.
    package let portfolioID: PortfolioID
    /// The common areas: devices assigned to the property itself that the unit's tenants may operate too, such as the front door.
    package var commonAreaAccessIDs: [DeviceID]
    /// When the unit was created, by the gateway's clock.
    package let createdAt: Timestamp
    /// When the unit's own fields were last changed, not its tenants or devices.
    package var updatedAt: Timestamp

    package init(
        id: UnitID, name: String, propertyID: PropertyID, portfolioID: PortfolioID, commonAreaAccessIDs: [DeviceID] = [],
        createdAt: Timestamp, updatedAt: Timestamp
    ) {
        (self.id, self.name, self.propertyID, self.portfolioID) = (id, name, propertyID, portfolioID)
        (self.commonAreaAccessIDs, self.createdAt, self.updatedAt) = (commonAreaAccessIDs, createdAt, updatedAt)
    }
}
