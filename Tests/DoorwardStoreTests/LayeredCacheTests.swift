import DoorwardTesting
import Testing

@testable import DoorwardStore

@Suite struct LayeredCacheTests {
    @Test("A value set in a savepoint is read at once, and discarded when the savepoint is undone")
    func savepoint() {
        var cache = LayeredCache<String, Int>()
        cache.note("a", 1)
        cache.set("a", 2)
        cache.set("b", 3)
        #expect(cache["a"] == 2)
        #expect(cache["b"] == 3)
        cache.undoSavepoint()
        #expect(cache["a"] == 1)
        #expect(cache["b"] == nil)
    }

    @Test("A value of a released savepoint is kept when the next savepoint is undone, and discarded when the batch is undone")
    func batch() {
        var cache = LayeredCache<String, Int>()
        cache.note("a", 1)
        cache.set("a", 2)
        cache.releaseSavepoint()
        cache.set("a", 3)
        cache.undoSavepoint()
        #expect(cache["a"] == 2)
        #expect(cache.uncommitted == ["a": 2])
        cache.undoBatch()
        #expect(cache["a"] == 1)
        #expect(cache.uncommitted.isEmpty)
    }

    @Test("The values of an unreleased savepoint are not written at the end of a batch")
    func unreleased() {
        var cache = LayeredCache<String, Int>()
        cache.set("a", 1)
        #expect(cache.uncommitted.isEmpty)
        cache.releaseSavepoint()
        #expect(cache.uncommitted == ["a": 1])
    }

    @Test("After COMMIT nothing is uncommitted, and undoing does not affect committed values")
    func commit() {
        var cache = LayeredCache<String, Int>()
        cache.set("a", 1)
        cache.releaseSavepoint()
        cache.commit(limit: 10)
        #expect(cache.uncommitted.isEmpty)
        cache.undoBatch()
        cache.undoSavepoint()
        #expect(cache["a"] == 1)
    }

    @Test("A commit empties a cache that exceeds its limit, and keeps all values of one at its limit", arguments: [0, 1, 5])
    func bound(limit: Int) {
        var cache = LayeredCache<Int, Int>()
        for key in 0..<limit { cache.set(key, key) }
        cache.releaseSavepoint()
        cache.commit(limit: limit)
        for key in 0..<limit { #expect(cache[key] == key) }
        cache.set(limit, limit)
        cache.releaseSavepoint()
        cache.commit(limit: limit)
        for key in 0...limit { #expect(cache[key] == nil) }
    }

    @Test(
        "After any sequence of operations the cache has the values of a stack of dictionaries",
        arguments: 1...6 as ClosedRange<UInt64>)
    func model(seed: UInt64) {
        var (cache, random) = (LayeredCache<Int, Int>(), SeededGenerator(seed: seed))
        // The layers as separate dictionaries that are copied as a whole at each step, which LayeredCache avoids.
        var (committed, batch, savepoint): ([Int: Int], [Int: Int], [Int: Int]) = ([:], [:], [:])
        for step in 0..<600 {
            let key = Int.random(in: 0..<8, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0...4:
                cache.set(key, step)
                savepoint[key] = step
            case 5, 6:
                cache.releaseSavepoint()
                batch = savepoint
            case 7:
                cache.undoSavepoint()
                savepoint = batch
            case 8:
                cache.undoBatch()
                (batch, savepoint) = (committed, committed)
            default:
                cache.undoSavepoint()
                cache.commit(limit: 100)
                (committed, savepoint) = (batch, batch)
            }
            for key in 0..<8 { #expect(cache[key] == savepoint[key], "step \(step)") }
        }
    }
}
