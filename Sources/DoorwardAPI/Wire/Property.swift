extension Wire {
    /// A building or a site.
    package struct Property: Decodable, Equatable, Sendable {
        /// Opaque, as every id.
        package var id: String
        /// Given by people; need not be the only one.
        package var name: String
    }

    /// `data` of a page of properties.
    package struct PropertyPage: Decodable, Sendable {
        /// In the order that was asked for.
        package var properties: [Property]
        /// Where in the whole list the page lies.
        package var pagination: Pagination
    }
}
