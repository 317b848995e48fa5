import DoorwardDomain
import DoorwardTesting
import Testing

@testable import DoorwardPolicy

@Suite struct CommonAreaUnitsTests {
    @Test("It is a set, whatever goes in and out", arguments: 0..<20 as Range<UInt64>)
    func model(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        // Few of them differ in the bits that the filter goes by, so that others get past it.
        let ids = (0..<60).map { UnitID(high: UInt64($0), low: .random(in: 0..<600, using: &generator) << UInt64(seed % 3)) }
        var units = CommonAreaUnits()
        var set: Set<UnitID> = []
        for _ in 0..<300 {
            let id = ids[Int.random(in: 0..<ids.count, using: &generator)]
            if Bool.random(using: &generator) {
                units.insert(id)
                set.insert(id)
            } else {
                units.remove(id)
                set.remove(id)
            }
            #expect(ids.allSatisfy { units.contains($0) == set.contains($0) })
            #expect(Array(units.ids) == set.sorted())
            #expect(units.isEmpty == set.isEmpty)
            #expect(set.allSatisfy { units.mayContain($0.low) })
        }
    }

    @Test("The filter turns most others away")
    func filter() {
        var generator = SeededGenerator(seed: 3)
        let units = CommonAreaUnits(
            SortedIDs((0..<40).map { _ in UnitID(high: 1, low: .random(in: 0...UInt64.max, using: &generator)) }))
        let passed = (0..<10_000).count { _ in units.mayContain(.random(in: 0...UInt64.max, using: &generator)) }
        #expect(passed < 1500)
    }
}
