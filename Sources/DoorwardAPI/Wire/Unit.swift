extension Wire {
    /// A flat, an office, a part of a property that somebody has to themselves.
    package struct Unit: Decodable, Equatable, Sendable {
        /// Opaque, as every id.
        package var id: String
        /// Given by people; other properties have one of the same name.
        package var name: String
        /// The property that it is a part of.
        package var propertyId: String?
    }

    /// `data` of a page of units.
    package struct UnitPage: Decodable, Sendable {
        /// In the order that was asked for.
        package var units: [Unit]
        /// Where in the whole list the page lies.
        package var pagination: Pagination
    }
}
