/// An apartment, office or other space of a property.
package struct Unit: Hashable, Sendable {
    package let id: UnitID
    package var name: String
    package let propertyID: PropertyID
    package let portfolioID: PortfolioID
    /// Devices of the same property, hanging on no unit, that the unit's tenants may operate too: the front door, say.
    package var commonAreaAccessIDs: [DeviceID]
    package let createdAt: Timestamp
    package var updatedAt: Timestamp

    package init(
        id: UnitID, name: String, propertyID: PropertyID, portfolioID: PortfolioID, commonAreaAccessIDs: [DeviceID] = [],
        createdAt: Timestamp, updatedAt: Timestamp
    ) {
        (self.id, self.name, self.propertyID, self.portfolioID) = (id, name, propertyID, portfolioID)
        (self.commonAreaAccessIDs, self.createdAt, self.updatedAt) = (commonAreaAccessIDs, createdAt, updatedAt)
    }
}
