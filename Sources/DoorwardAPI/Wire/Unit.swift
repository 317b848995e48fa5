extension Wire {
    /// A flat, an office or another space of a property, with its own tenants.
    package struct Unit: ListItem, Equatable, Sendable {
        /// The key of a list of these in a response.
        package static let listKey = "units"

        /// The id, an opaque text.
        package var id: String
        /// The name, as entered by users; it need not be unique.
        package var name: String
        /// The property that contains the unit.
        package var propertyId: String?
        /// The portfolio of that property.
        package var portfolioId: String?
        /// The users who hold TENANT on the unit.
        package var tenantUserIds: [String]?
        /// The locks that are attached to the unit.
        package var deviceIds: [String]?
        /// The common areas: locks of the property that the unit's tenants may also operate.
        package var commonAreaAccessIds: [String]?
        /// When the unit was created.
        package var createdAt: String?
        /// When the unit was last changed.
        package var updatedAt: String?
        /// The level at which the reader sees it: `PUBLIC RESIDENT OPERATIONS MANAGEMENT OWNER`.
        package var viewLevel: String?
    }

    /// `data` of a response about one unit.
    package struct UnitAnswer: Decodable, Sendable {
        /// The unit, with the fields that are visible to the reader.
        package var unit: Unit
    }
}
