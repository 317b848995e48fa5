import DoorwardDomain
import DoorwardTesting
import Testing

@testable import DoorwardPolicy

@Suite struct CommonAreaUnitsTests {
    @Test("Behaves like a `Set` under random insertions and removals", arguments: 0..<20 as Range<UInt64>)
    func model(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        // Few ids differ in the bits that the filter examines, so that it lets some ids pass that are not in the set.
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

    @Test("The filter rejects most ids that are not in the set")
    func filter() {
        var generator = SeededGenerator(seed: 3)
        let units = CommonAreaUnits(
            SortedIDs((0..<40).map { _ in UnitID(high: 1, low: .random(in: 0...UInt64.max, using: &generator)) }))
        let passed = (0..<10_000).count { _ in units.mayContain(.random(in: 0...UInt64.max, using: &generator)) }
        #expect(passed < 1500)
    }
}
