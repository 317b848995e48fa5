extension Wire {
    /// A flat, an office, a part of a property that somebody has to themselves.
    package struct Unit: Decodable, Equatable, Sendable {
        /// Opaque, as every id.
        package var id: String
        /// Given by people; other properties have one of the same name.
        package var name: String
        /// The property that it is a part of.
        package var propertyId: String?
        /// The portfolio of that property.
        package var portfolioId: String?
        /// Those who hold TENANT on it.
        package var tenantUserIds: [String]?
        /// The locks that are attached to it.
        package var deviceIds: [String]?
        /// The locks of the property that its tenants share.
        package var commonAreaAccessIds: [String]?
        /// When it was made.
        package var createdAt: String?
        /// When it was changed last.
        package var updatedAt: String?
    }

    /// `data` of an answer about one unit.
    package struct UnitAnswer: Decodable, Sendable {
        /// As its reader may see it.
        package var unit: Unit
    }

    /// `data` of a page of units.
    package struct UnitPage: Decodable, Sendable {
        /// In the order that was asked for.
        package var units: [Unit]
        /// Where in the whole list the page lies.
        package var pagination: Pagination
    }
}
