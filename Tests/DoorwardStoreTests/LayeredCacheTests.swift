import DoorwardTesting
import Testing

@testable import DoorwardStore

@Suite struct LayeredCacheTests {
    @Test("A value that was set is read at once, and discarded when the transaction is undone")
    func transaction() {
        var cache = LayeredCache<String, Int>()
        cache.note("a", 1)
        cache.set("a", 2)
        cache.set("b", 3)
        #expect(cache["a"] == 2)
        #expect(cache["b"] == 3)
        cache.undo(to: [:])
        #expect(cache["a"] == 1)
        #expect(cache["b"] == nil)
    }

    @Test("A value from before a savepoint is kept when the savepoint is undone, and discarded when the transaction is undone")
    func savepoint() {
        var cache = LayeredCache<String, Int>()
        cache.note("a", 1)
        cache.set("a", 2)
        let savepoint = cache.uncommitted
        cache.set("a", 3)
        cache.undo(to: savepoint)
        #expect(cache["a"] == 2)
        #expect(cache.uncommitted == ["a": 2])
        cache.undo(to: [:])
        #expect(cache["a"] == 1)
        #expect(cache.uncommitted.isEmpty)
    }

    @Test("After COMMIT nothing is uncommitted, and undoing does not affect committed values")
    func commit() {
        var cache = LayeredCache<String, Int>()
        cache.set("a", 1)
        cache.commit(limit: 10)
        #expect(cache.uncommitted.isEmpty)
        cache.undo(to: [:])
        #expect(cache["a"] == 1)
    }

    @Test("A commit empties a cache that exceeds its limit, and keeps all values of one at its limit", arguments: [0, 1, 5])
    func bound(limit: Int) {
        var cache = LayeredCache<Int, Int>()
        for key in 0..<limit { cache.set(key, key) }
        cache.commit(limit: limit)
        for key in 0..<limit { #expect(cache[key] == key) }
        cache.set(limit, limit)
        cache.commit(limit: limit)
        for key in 0...limit { #expect(cache[key] == nil) }
    }

    @Test(
        "After any sequence of operations the cache has the values of a stack of dictionaries",
        arguments: 1...6 as ClosedRange<UInt64>)
    func model(seed: UInt64) {
        var (cache, random) = (LayeredCache<Int, Int>(), SeededGenerator(seed: seed))
        // The layers as separate dictionaries that are copied as a whole at each step, which LayeredCache avoids.
        var (committed, savepoint, present): ([Int: Int], [Int: Int], [Int: Int]) = ([:], [:], [:])
        var earlier = cache.uncommitted
        for step in 0..<600 {
            let key = Int.random(in: 0..<8, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0...4:
                cache.set(key, step)
                present[key] = step
            case 5, 6:
                earlier = cache.uncommitted
                savepoint = present
            case 7:
                cache.undo(to: earlier)
                present = savepoint
            case 8:
                cache.undo(to: [:])
                (earlier, savepoint, present) = ([:], committed, committed)
            default:
                cache.commit(limit: 100)
                (earlier, savepoint, committed) = ([:], present, present)
            }
            for key in 0..<8 { #expect(cache[key] == present[key], "step \(step)") }
        }
    }
}
