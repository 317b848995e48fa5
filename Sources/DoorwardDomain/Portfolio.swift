/// The top level of the hierarchy: the properties, units and devices of one owner or company.
public struct Portfolio: Hashable, Sendable {
    /// The id of the portfolio and of its log. The log is kept after the portfolio is deleted.
    package let id: PortfolioID
    /// The display name; not unique.
    package var name: String
    /// When the portfolio was created, by the gateway's clock.
    package let createdAt: Timestamp
    /// When the portfolio's own fields were last changed, not those of its properties, units or
    /// devices.
    package var updatedAt: Timestamp

    package init(id: PortfolioID, name: String, createdAt: Timestamp, updatedAt: Timestamp) {
        (self.id, self.name, self.createdAt, self.updatedAt) = (id, name, createdAt, updatedAt)
    }
}
