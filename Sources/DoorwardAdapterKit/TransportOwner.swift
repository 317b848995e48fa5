public import DoorwardDomain

/// The owner of a transport, for example of an MQTT broker. The owner determines which users may
/// attach locks over the transport, and to which portfolios these locks may be assigned.
public enum TransportOwner: Hashable, Sendable {
    /// Shared: every user who may attach locks may use the transport. The locks can be assigned to any property.
    case shared
    /// Owned by one portfolio. A lock that is reached over the transport is in that portfolio or, temporarily, unassigned.
    case portfolio(PortfolioID)
    /// Not assigned to a portfolio yet. Only a super admin can attach locks over the transport. The
    /// locks can be assigned to any property.
    case gateway

    /// Returns whether a lock that is reached over this transport may be in the portfolio; `nil` stands for an unassigned lock.
    package func allows(placementIn portfolio: PortfolioID?) -> Bool {
        guard case .portfolio(let owner) = self, let portfolio else { return true }
        return portfolio == owner
    }
}
