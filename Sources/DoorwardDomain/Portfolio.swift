/// The highest level of ownership: everything below it belongs to one owner or company.
package struct Portfolio: Hashable, Sendable {
    package let id: PortfolioID
    package var name: String
    package let createdAt: Timestamp
    package var updatedAt: Timestamp

    package init(id: PortfolioID, name: String, createdAt: Timestamp, updatedAt: Timestamp) {
        (self.id, self.name, self.createdAt, self.updatedAt) = (id, name, createdAt, updatedAt)
    }
}
