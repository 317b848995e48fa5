import DoorwardDomain
import DoorwardTesting
import Testing

@testable import DoorwardPolicy

@Suite struct EntityTableTests {
    struct Named: TableEntry, Equatable {
        let id: UnitID
        var name: Int
    }

    /// Ids as the gateway generates them, ids that count up as in tests, and ids that differ only in one half.
    enum Kind: CaseIterable {
        case random, counting, sameHigh, sameLow

        func id(_ number: Int, _ generator: inout SeededGenerator) -> UnitID {
            switch self {
            case .random:
                UnitID(high: .random(in: 0...UInt64.max, using: &generator), low: .random(in: 0...UInt64.max, using: &generator))
            case .counting: UnitID(high: UInt64(number & 1), low: UInt64(number >> 1))
            case .sameHigh: UnitID(high: 7, low: UInt64(number) << 20)
            case .sameLow: UnitID(high: UInt64(number) << 16, low: 7)
            }
        }
    }

    @Test("Behaves like a dictionary, with ids of every kind", arguments: Kind.allCases)
    func model(kind: Kind) {
        var generator = SeededGenerator(seed: 11)
        var table = EntityTable<Named>()
        var dictionary: [UnitID: Named] = [:]
        var ids: [UnitID] = []
        for number in 0..<20_000 {
            let known = Int.random(in: 0..<4, using: &generator) == 0 ? ids.randomElement(using: &generator) : nil
            let id = known ?? kind.id(number, &generator)
            if known == nil {
                #expect(table[id] == nil)
                ids.append(id)
            }
            let slot = table.put(Named(id: id, name: number))
            dictionary[id] = Named(id: id, name: number)
            #expect(table.slot(of: id) == slot)
            #expect(ids[slot] == id, "an entity keeps its slot, and a new one gets the next")
        }
        #expect(table.count == dictionary.count)
        #expect(ids.allSatisfy { table[$0] == dictionary[$0] })
        #expect(table.ids == ids)
        for number in 20_000..<22_000 { #expect(table[kind.id(number, &generator)] == nil) }
    }

    @Test("Removed entities are gone, and the others are found in their slots, with ids of every kind", arguments: Kind.allCases)
    func removal(kind: Kind) {
        var generator = SeededGenerator(seed: 12)
        var table = EntityTable<Named>()
        var left: [UnitID] = []
        for number in 0..<12_000 {
            // The table grows, shrinks and grows again.
            let shrinks = (4000..<9000).contains(number)
            if !left.isEmpty, Int.random(in: 0..<10, using: &generator) < (shrinks ? 9 : 2) {
                let id = left.remove(at: Int.random(in: 0..<left.count, using: &generator))
                let slot = table.slot(of: id)
                #expect(slot != nil && table.remove(id) == slot)
                #expect(table[id] == nil && table.remove(id) == nil)
            } else {
                let id = kind.id(number, &generator)
                table.put(Named(id: id, name: number))
                left.append(id)
            }
            if number % 500 == 0 {
                #expect(Set(table.ids) == Set(left) && table.count == left.count)
                #expect(left.allSatisfy { id in table.slot(of: id).map { table[slot: $0].id == id } ?? false })
            }
        }
        #expect(Set(table.ids) == Set(left))
    }

    @Test("A copy keeps entities that are removed from the original, each in its slot")
    func removalInACopy() {
        var table = EntityTable<Named>()
        let ids = (0..<200).map { UnitID(high: 3, low: UInt64($0)) }
        for (number, id) in ids.enumerated() { table.put(Named(id: id, name: number)) }
        let whole = table
        for id in ids.prefix(150) { table.remove(id) }
        #expect(Set(table.ids) == Set(ids.suffix(50)))
        #expect(ids.enumerated().allSatisfy { whole[$1] == Named(id: $1, name: $0) && whole.slot(of: $1) == $0 })
    }

    @Test("A copy keeps its entities while the original grows and changes")
    func persistence() {
        var generator = SeededGenerator(seed: 5)
        var table = EntityTable<Named>()
        var versions: [EntityTable<Named>] = []
        for number in 0..<2000 {
            if number % 100 == 0 { versions.append(table) }
            table.put(Named(id: Kind.random.id(number, &generator), name: 0))
        }
        let ids = table.ids
        for id in ids { table.put(Named(id: id, name: 1)) }
        for (index, version) in versions.enumerated() {
            #expect(version.count == index * 100)
            for (slot, id) in ids.enumerated() {
                #expect(version[id] == (slot < index * 100 ? Named(id: id, name: 0) : nil))
            }
        }
        #expect(ids.allSatisfy { table[$0]?.name == 1 })
    }
}
