extension Wire {
    /// A part of a property that has tenants of its own, such as a flat or an office.
    package struct Unit: Decodable, Equatable, Sendable {
        /// Opaque, as every id.
        package var id: String
        /// The name, given by people; units of other properties may have the same name.
        package var name: String
        /// The property that it belongs to.
        package var propertyId: String?
        /// The portfolio of that property.
        package var portfolioId: String?
        /// The users who hold TENANT on it.
        package var tenantUserIds: [String]?
        /// The locks that are attached to it.
        package var deviceIds: [String]?
        /// The common areas: locks of the property that the unit's tenants may operate too.
        package var commonAreaAccessIds: [String]?
        /// When it was created.
        package var createdAt: String?
        /// When it was last changed.
        package var updatedAt: String?
    }

    /// `data` of a response about one unit.
    package struct UnitAnswer: Decodable, Sendable {
        /// The unit as its reader may see it.
        package var unit: Unit
    }

    /// `data` of a page of units.
    package struct UnitPage: Decodable, Sendable {
        /// The units in the requested order.
        package var units: [Unit]
        /// The position of the page in the whole list.
        package var pagination: Pagination
    }
}
