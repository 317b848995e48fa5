extension Wire {
    /// The properties and devices of one owner or company.
    package struct Portfolio: ListItem, Equatable, Sendable {
        /// The key of a list of these in a response.
        package static let listKey = "portfolios"

        /// The id, an opaque text.
        package var id: String
        /// The name, as entered by users; it need not be unique.
        package var name: String
        /// The users who hold OWNER or PORTFOLIO_ADMIN on the portfolio.
        package var administratorUserIds: [String]?
        /// The properties of the portfolio, in ascending order of ids.
        package var propertyIds: [String]?
        /// When the portfolio was created.
        package var createdAt: String?
        /// When the portfolio was last changed.
        package var updatedAt: String?
        /// The level at which the reader sees it: `PUBLIC RESIDENT OPERATIONS MANAGEMENT OWNER`.
        package var viewLevel: String?
    }

    /// `data` of a response about one portfolio.
    package struct PortfolioAnswer: Decodable, Sendable {
        /// The portfolio, with the fields that are visible to the reader.
        package var portfolio: Portfolio
    }
}
