/// The top level of the hierarchy: everything in it belongs to one owner or company.
public struct Portfolio: Hashable, Sendable {
    /// Also the id of its log, which is kept after the portfolio is deleted.
    package let id: PortfolioID
    /// The display name; not unique.
    package var name: String
    /// When it was created, by the gateway's clock.
    package let createdAt: Timestamp
    /// When the portfolio itself was last changed; changes below it do not count.
    package var updatedAt: Timestamp

    package init(id: PortfolioID, name: String, createdAt: Timestamp, updatedAt: Timestamp) {
        (self.id, self.name, self.createdAt, self.updatedAt) = (id, name, createdAt, updatedAt)
    }
}
