extension Wire {
    /// The properties and devices of one owner or company.
    package struct Portfolio: Decodable, Equatable, Sendable {
        /// Opaque, as every id.
        package var id: String
        /// The name, given by people; need not be unique.
        package var name: String
        /// The users who hold OWNER or PORTFOLIO_ADMIN on it.
        package var administratorUserIds: [String]?
        /// The ids in ascending order.
        package var propertyIds: [String]?
        /// When it was created.
        package var createdAt: String?
        /// When it was last changed.
        package var updatedAt: String?
    }

    /// `data` of a response about one portfolio.
    package struct PortfolioAnswer: Decodable, Sendable {
        /// The portfolio as its reader may see it.
        package var portfolio: Portfolio
    }

    /// `data` of a page of portfolios.
    package struct PortfolioPage: Decodable, Sendable {
        /// The portfolios in the requested order.
        package var portfolios: [Portfolio]
        /// The position of the page in the whole list.
        package var pagination: Pagination
    }
}
