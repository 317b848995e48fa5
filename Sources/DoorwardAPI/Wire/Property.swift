extension Wire {
    /// A building or a site.
    package struct Property: Decodable, Equatable, Sendable {
        package var id: String
        package var name: String
        package var portfolioId: String?
        /// An IANA name.
        package var defaultTimeZone: String?
    }

    /// `data` of a page of properties.
    package struct PropertyPage: Decodable, Sendable {
        package var properties: [Property]
        package var pagination: Pagination
    }
}
