extension Wire {
    /// What belongs to one owner or one company.
    package struct Portfolio: Decodable, Equatable, Sendable {
        /// Opaque, as every id.
        package var id: String
        /// Given by people; need not be the only one.
        package var name: String
        /// Those who hold OWNER or PORTFOLIO_ADMIN on it.
        package var administratorUserIds: [String]?
        /// In the order of their ids.
        package var propertyIds: [String]?
        /// When it was made.
        package var createdAt: String?
        /// When it was changed last.
        package var updatedAt: String?
    }

    /// `data` of an answer about one portfolio.
    package struct PortfolioAnswer: Decodable, Sendable {
        /// As its reader may see it.
        package var portfolio: Portfolio
    }

    /// `data` of a page of portfolios.
    package struct PortfolioPage: Decodable, Sendable {
        /// In the order that was asked for.
        package var portfolios: [Portfolio]
        /// Where in the whole list the page lies.
        package var pagination: Pagination
    }
}
