import DoorwardDomain
import DoorwardTesting
import Testing

@testable import DoorwardPolicy

/// The set of properties under lockdown, which decisions read instead of each property.
@Suite struct LockdownSetTests {
    @Test("After any changes, the set has the properties whose lockdown is active, and no removed one", arguments: 1...50)
    func changes(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var directory = TenancyDirectory()
        let now = Timestamp(milliseconds: 1_000)
        let portfolio = PortfolioID(high: 0, low: 1)
        directory.apply(.putPortfolio(Portfolio(id: portfolio, name: "Oak", createdAt: now, updatedAt: now)))
        // The plain second implementation: the properties with whether they are under lockdown.
        var expected: [PropertyID: Bool] = [:]
        for step in 1...200 {
            let id = PropertyID(high: 0, low: UInt64.random(in: 1...12, using: &random))
            if UInt64.random(in: 0..<4, using: &random) == 0 {
                guard expected.removeValue(forKey: id) != nil else { continue }
                directory.apply(.removeProperty(id))
            } else {
                let isActive = Bool.random(using: &random)
                let lockdown = isActive ? Lockdown(since: now, byUserID: nil) : nil
                directory.apply(
                    .putProperty(
                        Property(
                            id: id, name: "House", portfolioID: portfolio, lockdown: lockdown, createdAt: now, updatedAt: now)))
                expected[id] = isActive
            }
            #expect(Set(directory.lockedDownProperties) == Set(expected.filter(\.value).keys), "step \(step)")
        }
    }

    @Test("The removal of a property that does not exist leaves the set as it is")
    func unknownProperty() {
        var directory = TenancyDirectory()
        directory.apply(.removeProperty(PropertyID(high: 0, low: 1)))
        #expect(Array(directory.lockedDownProperties) == [])
    }
}
