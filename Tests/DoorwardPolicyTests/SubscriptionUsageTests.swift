import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// The usage of a portfolio, which its limits restrict.
@Suite struct SubscriptionUsageTests {
    @Test("A portfolio's properties, units and devices are counted, and nothing of another portfolio")
    func counts() {
        var world = TenancyFixture(seed: 1)
        let (mine, other, empty) = (world.portfolio("A"), world.portfolio("B"), world.portfolio("C"))
        for portfolio in [mine, mine, other] {
            let property = world.property("P", in: portfolio)
            let unit = world.unit("U", in: property)
            _ = world.unit("V", in: property)
            for place in [TenancyFixture.Placement.unit(unit), .property(property), .property(property)] {
                _ = world.device("D", in: place)
            }
        }
        _ = world.device("D", in: .unassigned)
        let directory = world.directory
        let usage = { (portfolio: PortfolioID) in
            SubscriptionLimit.allCases.map { directory.usage(of: $0, in: portfolio, at: world.createdAt) }
        }
        #expect(usage(mine) == [2, 4, 6, 0])
        #expect(usage(other) == [1, 2, 3, 0])
        #expect(usage(empty) == [0, 0, 0, 0])
        #expect(usage(PortfolioID(high: 9, low: 9)) == [0, 0, 0, 0])
    }

    @Test("A guest access counts until it is revoked or its window has ended, also before the window begins")
    func guestAccesses() throws {
        var world = TenancyFixture(seed: 2)
        let portfolio = world.portfolio("A")
        let door = world.device("D", in: .property(world.property("P", in: portfolio)))
        let owner = world.assign(world.user("Olga"), .owner, .portfolio(portfolio))
        for hours in [0..<2, 1..<3, 5..<6] { world.guestAccess(for: nil, label: "L", to: [door], hours: hours, under: owner) }
        let granted = world.guestAccess(for: nil, label: "L", to: [door], hours: 0..<9, under: owner)
        let last = try #require(granted)
        func count(after hours: Int) -> Int {
            let instant = world.createdAt.advanced(by: .seconds(hours * 3600))
            return world.directory.usage(of: .maxActiveGuestAccess, in: portfolio, at: instant)
        }
        #expect([0, 1, 2, 3, 5, 6, 9].map(count) == [4, 4, 3, 2, 2, 1, 0])
        world.revoke(last, at: world.createdAt)
        #expect([0, 3].map(count) == [3, 1])
    }

    @Test("The shipped tiers have different names, and only `free` has limits")
    func tiers() {
        #expect(Subscription.tiers.map(\.tier) == ["free", "standard", "pro", "enterprise"])
        #expect(Subscription.tiers.map(\.limits.isEmpty) == [false, true, true, true])
        #expect(Set(Subscription.free.limits.keys) == Set(SubscriptionLimit.allCases))
        #expect(Set(SubscriptionModule.allCases).subtracting(Subscription.standard.modules) == [.complianceReport])
        for (smaller, larger) in zip(Subscription.tiers, Subscription.tiers.dropFirst()) {
            #expect(smaller.modules.isSubset(of: larger.modules))
        }
    }
}
