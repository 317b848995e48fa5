import DoorwardDomain
import DoorwardTesting
import Testing

@testable import DoorwardPolicy

@Suite struct SlotIndexTests {
    private struct Entry: TableEntry {
        let id: UserID
    }

    /// An index and its table, which grow together.
    private struct Table {
        var index = SlotIndex<User>()
        var entries = PersistentArray<Entry>()

        mutating func add(_ id: UserID) {
            entries.append(Entry(id: id))
            index.insert(id, at: entries.count - 1)
        }

        func slot(of id: UserID) -> Int? { index.slot(of: id, in: entries) }
    }

    @Test("After each insertion exactly the inserted ids are found", arguments: 0..<3 as Range<UInt64>)
    func growth(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var table = Table()
        var ids: [UserID] = []
        #expect(table.slot(of: UserID(high: 0, low: 0)) == nil)
        for number in 0..<300 {
            let id = UserID(high: generator.next(), low: generator.next())
            #expect(table.slot(of: id) == nil)
            table.add(id)
            ids.append(id)
            // Checks all ids around the powers of two, where buckets are split, and otherwise the new id.
            if (number + 1).nonzeroBitCount <= 2 {
                for (slot, id) in ids.enumerated() { #expect(table.slot(of: id) == slot) }
            } else {
                #expect(table.slot(of: id) == number)
            }
        }
    }

    @Test("Ids of one bucket are all found, even if they are more than it can hold")
    func overflow() {
        // The halves of each id mix to the same 64-bit value. So all ids have the same hash, and always share one bucket.
        let ids = (0..<64 as Range<UInt64>).map { high in UserID(high: high, low: 5 ^ high &* 0x9E37_79B9_7F4A_7C15) }
        var table = Table()
        for id in ids { table.add(id) }
        for (slot, id) in ids.enumerated() { #expect(table.slot(of: id) == slot) }
        #expect(table.slot(of: UserID(high: 64, low: 5 ^ 64 &* 0x9E37_79B9_7F4A_7C15)) == nil, "the same hash, another id")
        var generator = SeededGenerator(seed: 9)
        for _ in 0..<500 { table.add(UserID(high: generator.next(), low: generator.next())) }
        for (slot, id) in ids.enumerated() { #expect(table.slot(of: id) == slot, "after other ids have split the buckets") }
    }

    @Test("Ids in one overfull bucket are still found when others are removed, moved and added again")
    func overflowShrinks() {
        let ids = (0..<24 as Range<UInt64>).map { high in UserID(high: high, low: 5 ^ high &* 0x9E37_79B9_7F4A_7C15) }
        var generator = SeededGenerator(seed: 13)
        for _ in 0..<50 {
            var table = EntityTable<Entry>()
            var left: Set<UserID> = []
            for _ in 0..<200 {
                guard let id = ids.randomElement(using: &generator) else { continue }
                if left.remove(id) == nil {
                    table.put(Entry(id: id))
                    left.insert(id)
                } else {
                    table.remove(id)
                }
                #expect(ids.allSatisfy { (table[$0] != nil) == left.contains($0) })
            }
        }
    }

    @Test("A copy and its original grow independently")
    func copies() {
        var generator = SeededGenerator(seed: 10)
        var table = Table()
        let shared = (0..<200).map { _ in UserID(high: generator.next(), low: generator.next()) }
        for id in shared { table.add(id) }
        var other = table
        let (mine, theirs) = (UserID(high: 1, low: 1), UserID(high: 2, low: 2))
        table.add(mine)
        other.add(theirs)
        #expect(table.slot(of: mine) == 200 && table.slot(of: theirs) == nil)
        #expect(other.slot(of: theirs) == 200 && other.slot(of: mine) == nil)
        for (slot, id) in shared.enumerated() { #expect(table.slot(of: id) == slot && other.slot(of: id) == slot) }
    }
}
