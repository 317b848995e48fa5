/// The top level of the hierarchy: the properties, units and devices of one owner or company.
public struct Portfolio: Hashable, Sendable {
    /// The id of the portfolio and of its log. The log is kept after the portfolio is deleted.
    package let id: PortfolioID
    /// The display name; not unique.
    package var name: String
    /// The modules and limits of the portfolio.
    package var subscription: Subscription
    /// How long its access log is kept.
    package var retention: Retention
    /// When the portfolio was created, by the gateway's clock.
    package let createdAt: Timestamp
    /// When the portfolio's own fields were last changed, not those of its properties, units or devices.
    package var updatedAt: Timestamp

    package init(
        id: PortfolioID, name: String, subscription: Subscription = .standard, retention: Retention = Retention(),
        createdAt: Timestamp, updatedAt: Timestamp
    ) {
        (self.id, self.name, self.subscription, self.retention) = (id, name, subscription, retention)
        (self.createdAt, self.updatedAt) = (createdAt, updatedAt)
    }
}
