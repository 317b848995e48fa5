import DoorwardAdapterKit
import DoorwardDomain
import Testing

@Suite struct TransportScopeTests {
    private static let (oak, elm) = (PortfolioID(high: 1, low: 1), PortfolioID(high: 1, low: 2))
    private static let owners: [TransportOwner] = [.shared, .portfolio(oak), .portfolio(elm), .gateway]

    /// A scope, and the owners whose ways it includes.
    static let scopes: [(TransportScope, [TransportOwner])] = [
        (.everything, owners),
        (.of([]), [.shared]),
        (.of([oak]), [.shared, .portfolio(oak)]),
        (.everything.hanging(in: oak), [.shared, .portfolio(oak), .gateway]),
        (.everything.hanging(in: nil), owners),
        (.of([oak, elm]).hanging(in: elm), [.shared, .portfolio(elm)]),
        (.of([oak]).hanging(in: elm), [.shared]),
        (.of([oak]).hanging(in: nil), [.shared, .portfolio(oak)]),
    ]

    @Test("a scope includes the ways of its portfolios, and what is nobody's yet for a super admin alone", arguments: scopes)
    func includes(_ scope: TransportScope, _ included: [TransportOwner]) {
        #expect(Self.owners.filter(scope.includes) == included)
    }

    /// Where a lock may hang that is reached by a way of this owner.
    static let places: [(TransportOwner, [PortfolioID?])] = [
        (.shared, [nil, oak, elm]), (.portfolio(oak), [nil, oak]), (.portfolio(elm), [nil, elm]), (.gateway, [nil, oak, elm]),
    ]

    @Test("a portfolio's way leads to its own locks and to those that hang nowhere, any other anywhere", arguments: places)
    func allows(_ owner: TransportOwner, _ places: [PortfolioID?]) {
        #expect([nil, Self.oak, Self.elm].filter { owner.allows(hangingIn: $0) } == places)
    }
}
