public import DoorwardDomain

/// The owner of a transport, for example of an MQTT broker. The owner determines who may attach locks over the transport, and
/// where these locks may be placed.
public enum TransportOwner: Hashable, Sendable {
    /// Shared: every user who may attach locks may use the transport, and place the locks anywhere.
    case shared
    /// Owned by one portfolio. A lock that is reached over the transport is placed in that portfolio or, temporarily, nowhere.
    case portfolio(PortfolioID)
    /// Not assigned to a portfolio yet. Only a super admin attaches locks over it; such a lock can be placed anywhere.
    case gateway

    /// Returns whether a lock that is reached over this transport may be placed in the portfolio; `nil` means a lock without a
    /// place.
    package func allows(hangingIn portfolio: PortfolioID?) -> Bool {
        guard case .portfolio(let owner) = self, let portfolio else { return true }
        return portfolio == owner
    }
}
