import DoorwardAdapterKit
import DoorwardDomain
import Testing

@Suite struct TransportScopeTests {
    private static let (oak, elm) = (PortfolioID(high: 1, low: 1), PortfolioID(high: 1, low: 2))
    private static let owners: [TransportOwner] = [.shared, .portfolio(oak), .portfolio(elm), .gateway]

    /// The scopes, each with the owners whose transports it includes.
    static let scopes: [(TransportScope, [TransportOwner])] = [
        (.everything, owners),
        (.of([]), [.shared]),
        (.of([oak]), [.shared, .portfolio(oak)]),
        (.everything.restricted(to: oak), [.shared, .portfolio(oak), .gateway]),
        (.everything.restricted(to: nil), owners),
        (.of([oak, elm]).restricted(to: elm), [.shared, .portfolio(elm)]),
        (.of([oak]).restricted(to: elm), [.shared]),
        (.of([oak]).restricted(to: nil), [.shared, .portfolio(oak)]),
    ]

    @Test(
        "a scope includes shared transports and those of its portfolios, and the gateway's only for a super admin",
        arguments: scopes)
    func includes(_ scope: TransportScope, _ included: [TransportOwner]) {
        #expect(Self.owners.filter(scope.includes) == included)
    }

    /// The owners of transports, each with the portfolios in which its locks may be; `nil` stands for an unassigned lock.
    static let places: [(TransportOwner, [PortfolioID?])] = [
        (.shared, [nil, oak, elm]), (.portfolio(oak), [nil, oak]), (.portfolio(elm), [nil, elm]), (.gateway, [nil, oak, elm]),
    ]

    @Test("a portfolio's transport can be used by its own and by unassigned locks, any other by all locks", arguments: places)
    func allows(_ owner: TransportOwner, _ places: [PortfolioID?]) {
        #expect([nil, Self.oak, Self.elm].filter { owner.allows(placementIn: $0) } == places)
    }
}
