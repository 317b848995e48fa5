/// The highest level of ownership: everything below it belongs to one owner or company.
package struct Portfolio: Hashable, Sendable {
    /// Also the id of its log, which stays when the portfolio is deleted.
    package let id: PortfolioID
    /// As its people write it; not unique.
    package var name: String
    /// By the gateway's clock.
    package let createdAt: Timestamp
    /// The last change of the portfolio itself, not of what lies below it.
    package var updatedAt: Timestamp

    package init(id: PortfolioID, name: String, createdAt: Timestamp, updatedAt: Timestamp) {
        (self.id, self.name, self.createdAt, self.updatedAt) = (id, name, createdAt, updatedAt)
    }
}
