import DoorwardDomain
import DoorwardTesting
import Testing

@testable import DoorwardPolicy

@Suite struct SortedIDsTests {
    private static func id(_ number: UInt64) -> UnitID { UnitID(high: number / 7, low: number % 7) }

    @Test("Behaves like a sorted `Set` under random insertions and removals", arguments: 0..<10 as Range<UInt64>)
    func model(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var (ids, set) = (SortedIDs<Unit>(), Set<UnitID>())
        for _ in 0..<400 {
            let id = Self.id(.random(in: 0..<50, using: &generator))
            if Bool.random(using: &generator) {
                ids.insert(id)
                set.insert(id)
            } else {
                ids.remove(id)
                set.remove(id)
            }
            #expect(Array(ids) == set.sorted())
            #expect(ids.count == set.count && ids.isEmpty == set.isEmpty)
        }
        for number in 0..<60 as Range<UInt64> { #expect(ids.contains(Self.id(number)) == set.contains(Self.id(number))) }
    }

    @Test("Two sets with the same ids are equal, however they were built")
    func equality() {
        var generator = SeededGenerator(seed: 4)
        let numbers = (0..<20).map { Self.id(UInt64($0)) }
        let expected = SortedIDs(numbers)
        for _ in 0..<10 {
            var ids = SortedIDs((numbers + numbers).shuffled(using: &generator))
            #expect(ids == expected)
            #expect(Set([ids, expected]).count == 1)
            ids.remove(numbers[3])
            #expect(ids != expected)
        }
    }

    @Test("The first, the last and the only id are added and removed like others")
    func ends() {
        var ids = SortedIDs<Unit>()
        ids.remove(Self.id(1))
        #expect(ids.isEmpty && ids.first == nil && !ids.contains(Self.id(1)))
        for number in [5, 9, 1, 20, 0] as [UInt64] { ids.insert(Self.id(number)) }
        #expect(ids.first == Self.id(0) && ids.last == Self.id(20))
        ids.remove(Self.id(0))
        ids.remove(Self.id(20))
        #expect(Array(ids) == [1, 5, 9].map(Self.id))
        for number in [1, 5, 9] as [UInt64] { ids.remove(Self.id(number)) }
        #expect(ids == SortedIDs())
        ids.insert(Self.id(7))
        #expect(Array(ids) == [Self.id(7)])
    }

    @Test("A copy keeps its ids when the original changes")
    func copies() {
        var ids = SortedIDs((0..<10).map { Self.id(UInt64($0)) })
        let copy = ids
        ids.remove(Self.id(4))
        ids.insert(Self.id(30))
        #expect(copy.contains(Self.id(4)) && !copy.contains(Self.id(30)))
        #expect(copy.count == 10)
    }

    @Test("The lower bound is the first index whose element is not smaller", arguments: 0..<12)
    func lowerBound(count: Int) {
        let array = ContiguousArray((0..<count).map { $0 / 2 * 2 })
        for sought in -1...13 {
            let expected = array.firstIndex { $0 >= sought } ?? count
            #expect(array.lowerBound { $0 < sought } == expected)
        }
    }
}
