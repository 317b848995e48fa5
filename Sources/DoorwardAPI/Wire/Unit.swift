extension Wire {
    /// A flat, an office, a part of a property that somebody has to themselves.
    package struct Unit: Decodable, Equatable, Sendable {
        package var id: String
        package var name: String
        package var propertyId: String?
    }

    /// `data` of a page of units.
    package struct UnitPage: Decodable, Sendable {
        package var units: [Unit]
        package var pagination: Pagination
    }
}
