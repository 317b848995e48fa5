public import DoorwardDomain

/// The ways to locks that somebody may know of, or use for one lock. Any other is to be answered exactly as one that does not
/// exist.
public struct TransportScope: Hashable, Sendable {
    /// `nil`: those of all portfolios.
    private var portfolios: Set<PortfolioID>?
    private var includesGateway: Bool

    /// Nothing is hidden: a super admin's, and the gateway's own.
    public static let everything = TransportScope(portfolios: nil, includesGateway: true)

    /// Those of these portfolios, and those that are anybody's.
    public static func of(_ portfolios: Set<PortfolioID>) -> TransportScope {
        TransportScope(portfolios: portfolios, includesGateway: false)
    }

    /// Those of them by which a lock may be reached that hangs in the portfolio; `nil` for one that hangs nowhere.
    public func hanging(in portfolio: PortfolioID?) -> TransportScope {
        guard let portfolio else { return self }
        var narrowed = self
        narrowed.portfolios = portfolios?.intersection([portfolio]) ?? [portfolio]
        return narrowed
    }

    /// Whether a way with that owner is among them.
    public func includes(_ owner: TransportOwner) -> Bool {
        switch owner {
        case .shared: true
        case .portfolio(let id): portfolios?.contains(id) ?? true
        case .gateway: includesGateway
        }
    }
}
