public import DoorwardDomain

/// Whose a way to locks is: an MQTT broker's, say. It decides who may attach by it, and where such a lock may hang.
public enum TransportOwner: Hashable, Sendable {
    /// Nobody's in particular: who may attach a lock may attach it by this way, to hang anywhere.
    case shared
    /// One portfolio's. A lock that is reached by it hangs in that portfolio or, for a while, nowhere.
    case portfolio(PortfolioID)
    /// Given to nobody yet: a super admin alone attaches by it, and hands the lock over to wherever it is to hang.
    case gateway

    /// Whether a lock that is reached by this way may hang there; `nil` stands for a lock that hangs nowhere.
    package func allows(hangingIn portfolio: PortfolioID?) -> Bool {
        guard case .portfolio(let owner) = self, let portfolio else { return true }
        return portfolio == owner
    }
}
