public import DoorwardDomain

/// The present state of a transport to locks, for example of an MQTT broker.
public struct AdapterTransport: Hashable, Sendable {
    /// The name by which addresses refer to the transport.
    public let name: String
    /// The owner of the transport. No other tenant may learn that the transport exists.
    public let owner: TransportOwner
    /// `.ok` while locks can be reached over the transport, else `.down`.
    public let health: AdapterHealth
    /// A text for operators about a problem of the transport: the reason why it is `.down`, or a
    /// restriction while it is `.ok`. The text contains no secrets; `nil` if no problem is known.
    public let problem: String?

    public init(name: String, owner: TransportOwner, health: AdapterHealth, problem: String? = nil) {
        (self.name, self.owner, self.health, self.problem) = (name, owner, health, problem)
    }
}

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
