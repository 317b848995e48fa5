public import DoorwardDomain

/// The transports that are visible to a caller, or that one lock may use. Any other transport must
/// be treated exactly like a transport that does not exist.
public struct TransportScope: Hashable, Sendable {
    /// The portfolios whose transports are in the scope; `nil` for all portfolios.
    private var portfolios: Set<PortfolioID>?
    private var includesGateway: Bool

    /// All transports: for super admins, and for the gateway itself.
    public static let everything = TransportScope(portfolios: nil, includesGateway: true)

    /// Returns the scope of the transports of these portfolios, and the shared ones.
    public static func of(_ portfolios: Set<PortfolioID>) -> TransportScope {
        TransportScope(portfolios: portfolios, includesGateway: false)
    }

    /// Returns the part of this scope that a lock in the portfolio may use; `nil` stands for an unassigned lock.
    public func restricted(to portfolio: PortfolioID?) -> TransportScope {
        guard let portfolio else { return self }
        var narrowed = self
        narrowed.portfolios = portfolios?.intersection([portfolio]) ?? [portfolio]
        return narrowed
    }

    /// Whether no portfolio and no shared transport is in the scope of a caller: the caller may attach locks nowhere.
    package var isEmpty: Bool { !includesGateway && portfolios?.isEmpty == true }

    /// Returns whether transports of that owner are in the scope.
    public func includes(_ owner: TransportOwner) -> Bool {
        switch owner {
        case .shared: true
        case .portfolio(let id): portfolios?.contains(id) ?? true
        case .gateway: includesGateway
        }
    }
}
